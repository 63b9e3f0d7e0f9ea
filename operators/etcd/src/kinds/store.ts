/** The store of backups in specs. */
import { s } from "capstan";

/** A key of a Secret. */
export const secretKey = s.object({
  name: s.string().min(1).max(253).describe("Name of the Secret in the namespace of this object"),
  key: s.string().min(1).max(253).describe("Key in the Secret"),
});

/** An S3-compatible object store. */
const s3 = s
  .object({
    bucket: s.string().min(3).max(63).describe("Name of an existing bucket"),
    prefix: s.string().max(512).default("").describe("Prefix of every object name"),
    endpoint: s.string().max(512).optional().describe("Endpoint https://host:port of a store other than AWS"),
    region: s.string().max(64).default("us-east-1").describe("Region for request signatures"),
    credentials: s.string().min(1).max(253).describe("Secret with `accessKeyId` and `secretAccessKey`"),
    pathStyle: s
      .boolean()
      .default(true)
      .describe("Path-style addressing: the bucket is in the path, not in the host name"),
    ca: secretKey.optional().describe("CA of the store's certificate, if it is not a public one"),
  })
  .describe("Bucket of an S3-compatible object store");

/** An existing PersistentVolumeClaim of the namespace, for example on NFS. */
const volume = s
  .object({
    claim: s.string().min(1).max(253).describe("Name of a PersistentVolumeClaim in the namespace of this object"),
    path: s.string().max(512).default("").describe("Folder on the volume"),
  })
  .describe("A volume, such as one on NFS");

/** Exactly one kind of store. */
export const store = s
  .oneOf({ s3, volume })
  .example({ volume: { claim: "backups" } })
  .describe("Store of the backups: exactly one of these");

const allowUnencrypted = s
  .boolean()
  .optional()
  .describe(
    "With `encryption`: also accept unencrypted backups, for the time after the key was introduced. Anyone with write access to the store can then forge one",
  );

/** The backup, and how to read it. */
export const backupChoice = {
  store,
  backup: s.string().max(512).optional().describe("Name in the store; default: the newest backup of `sourceCluster`"),
  digest: s
    .string()
    .pattern("^[0-9a-f]{64}$")
    .max(64)
    .optional()
    .describe("sha256 of the manifest, as in the status of the EtcdBackup; a backup with another manifest is refused"),
  sourceCluster: s
    .object({
      namespace: s.string().min(1).max(63).optional().describe("Default: the namespace of this object"),
      name: s.string().min(1).max(56).describe("Name of the EtcdCluster that was backed up"),
    })
    .optional()
    .describe(
      "Source of the backup; default: the cluster of the same namespace and name, or the one that `backup` names",
    ),
  encryption: secretKey.optional().describe("Key of the backup. A backup that is not encrypted with it is refused"),
  allowUnencrypted,
};

/** The location of a backup. */
export const backupSource = s.object(backupChoice);

/** Pull secrets for private registries. */
export const imagePullSecrets = s
  .array(s.object({ name: s.string().min(1).max(253).describe("A Secret of type kubernetes.io/dockerconfigjson") }))
  .max(16)
  .map("name")
  .default([])
  .describe("Pull secrets of the images of members and of backup pods");

/** The form of backups, the same for manual and scheduled ones. */
export const backupForm = {
  store,
  compression: s.enum("none", "gzip", "zstd").default("gzip").describe("Compression of the snapshot"),
  encryption: secretKey
    .optional()
    .describe("Key of 32 random bytes (`openssl rand -base64 32`); backups cannot be read without it"),
  allowUnencrypted,
  retention: s
    .object({
      count: s.int32().min(1).max(10_000).optional().describe("Number of backups to keep"),
      age: s.string().pattern("^([0-9]+(s|m|h|d))+$").max(32).optional().describe("Maximum age of backups to keep"),
    })
    .optional()
    .describe(
      "Retention; default: everything is kept. With both limits, a backup must satisfy both. The newest backup is always kept",
    ),
  verify: s
    .enum("checksum", "restore")
    .default("checksum")
    .describe("`restore`: every backup is verified by a restore into a scratch member"),
  timeout: s.string().pattern("^([0-9]+(s|m|h|d))+$").max(32).default("10m").describe("Timeout of a backup"),
};
