/** The etcd operator: its kinds, and the operator itself for whoever wants to run it in a program of their own. */
export { etcdOperator } from "./operator.ts";
export type { OperatorOptions } from "./operator.ts";
export { EtcdBackup, EtcdCluster, EtcdOperation, EtcdRestore } from "./kinds/index.ts";
export { connectEtcd } from "./etcd/index.ts";
