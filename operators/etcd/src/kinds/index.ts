/** The four kinds of this operator. */
export { EtcdBackup } from "./backup.ts";
export { EtcdCluster } from "./cluster.ts";
export { EtcdOperation } from "./operation.ts";
export { EtcdRestore } from "./restore.ts";
