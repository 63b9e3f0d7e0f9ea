/** The embedded cluster: an API server, the built-in controllers, a scheduler and nodes in one process. */
export { startCluster } from "./cluster.ts";
export type { Cluster, ClusterOptions, RealCluster, RealClusterOptions, SimulatedClusterOptions } from "./cluster.ts";
export type { RealNode } from "./nodes/real.ts";
export type { ClusterNode } from "./nodes/simulated.ts";
export { enterNetwork } from "./network/network.ts";
export type { ClusterNetwork, NetworkEntry } from "./network/network.ts";
export type { Fault, Faults, FaultTarget } from "./network/faults.ts";
export { ClusterError } from "./errors.ts";
export type { ClusterErrorCode } from "./errors.ts";
export { pruneUnpackedImages, userImageFolder } from "./image-folders.ts";
