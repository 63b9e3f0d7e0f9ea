/** A client for one etcd member. */
export type * from "./client.ts";
export { connectEtcd } from "./connect.ts";
export { EtcdError, isPassing } from "./errors.ts";
export type { EtcdErrorCode } from "./errors.ts";
export { isAuthWanted, superusersOf, syncAuth } from "./sync-auth.ts";
export type { AuthMeans, AuthSpec } from "./sync-auth.ts";
