/** A client for one etcd member. */
export type * from "./client.ts";
export { EtcdError } from "./errors.ts";
export type { EtcdErrorCode } from "./errors.ts";
