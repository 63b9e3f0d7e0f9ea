/** Tests that every adapter of a database gets: models of the decisions, crashes of the operator. */
export { crashSuite, modelSuite } from "@capstan/stateful/testing";
export type { CrashOptions, ModelOptions, OpenWorld, TestCase } from "@capstan/stateful/testing";
