/** The etcd operator: its kinds, and the operator itself for embedding in another program. */
export { etcdOperator } from "./operator.ts";
export type { OperatorOptions } from "./operator.ts";
export { EtcdBackup, EtcdCluster, EtcdOperation, EtcdRestore } from "./kinds/index.ts";
export { backupBytes, backups, members } from "./meters.ts";
export { connectEtcd } from "./etcd/index.ts";
