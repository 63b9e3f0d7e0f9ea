/** The four kinds of this operator. */
export { EtcdBackup } from "./backup.ts";
export { OWN_FLAGS } from "./cluster-parts.ts";
export { EtcdCluster } from "./cluster.ts";
export { EtcdOperation } from "./operation.ts";
export { EtcdRestore } from "./restore.ts";
