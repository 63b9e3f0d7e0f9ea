/** Tests of operators: the real API server in process, virtual time, and failures on demand. */
export { testOperator, TestWorld } from "./test-operator.ts";
export type { FailedObject } from "./failures.ts";
export type { TestOptions, TestServer } from "./options.ts";
export { connectToCluster } from "./on-cluster.ts";
export type { ClusterWorlds, TestCluster } from "./on-cluster.ts";
export { crashEverywhere, failEverywhere } from "./crash.ts";
export type { OpenWorld, Story, Survived, SurvivedFailures } from "./crash.ts";
export { seededRandomness, seedOf } from "./randomness.ts";
export type { ServerRandomness } from "./randomness.ts";
export { replay } from "./replay.ts";
export type { Replay, ReplayedWrite } from "./replay.ts";
export { errors, faultyApi } from "./faulty-api.ts";
export type { Call, Fault } from "./faulty-api.ts";
export { VirtualClock } from "./clock.ts";

// The queue alone, for models and benchmarks of its order and speed.
export { Queue } from "../queue/queue.ts";
export type { QueueAction, QueueOptions, ReconcileRequest, Request } from "../queue/queue.ts";
