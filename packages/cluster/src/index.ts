/** The embedded cluster: an API server, the built-in controllers, a scheduler and nodes in one process. */
export { startCluster } from "./cluster.ts";
export type { Cluster, ClusterNode, ClusterOptions } from "./cluster.ts";
