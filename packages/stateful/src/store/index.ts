/** Stores for backups: S3-compatible buckets and folders. */
export { openDirectory } from "./directory.ts";
export { openS3 } from "./s3/s3.ts";
export type { S3Options } from "./s3/s3.ts";
export { readUpTo, readWhole, StoreError } from "./store.ts";
export type { Store, StoredObject, StoreCall, StoreErrorCode } from "./store.ts";
