/** Tests that every adapter gets: its author runs each suite, and adds a workload with a checker. */
export { crashSuite } from "./crash-suite.ts";
export type { CrashOptions } from "./crash-suite.ts";
export { modelSuite } from "./model-suite.ts";
export type { ModelOptions } from "./model-suite.ts";
export { checkLists } from "./history/check-lists.ts";
export type { Anomaly, CycleType, Dependency, DependencyType, ListOperation, Transaction } from "./history/history.ts";
export type { TestCase } from "./case.ts";
export type { OpenWorld } from "./memory/world.ts";
