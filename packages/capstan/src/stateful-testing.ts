/** Tests that every adapter of a database gets: models of the decisions, crashes of the operator. */
export { checkLists, crashSuite, modelSuite } from "@capstan/stateful/testing";
export type {
  Anomaly,
  CrashOptions,
  ListOperation,
  ModelOptions,
  OpenWorld,
  TestCase,
  Transaction,
} from "@capstan/stateful/testing";
