/** The store of backups in specs. */
import { s } from "capstan";

/** A key of a Secret. */
export const secretKey = s.object({
  name: s.string().min(1).max(253).describe("The Secret, in the namespace of this object"),
  key: s.string().min(1).max(253).describe("Which of its entries"),
});

/** An S3-compatible object store. */
const s3 = s
  .object({
    bucket: s.string().min(3).max(63).describe("The bucket, which has to exist"),
    prefix: s.string().max(512).default("").describe("Put before every name in the bucket"),
    endpoint: s.string().max(512).optional().describe("https://host:port of a store that is not Amazon's"),
    region: s.string().max(64).default("us-east-1").describe("The region that requests are signed for"),
    credentials: s.string().min(1).max(253).describe("A Secret with `accessKeyId` and `secretAccessKey`"),
    pathStyle: s.boolean().default(true).describe("The bucket stands in the path, not in the host name"),
    ca: secretKey.optional().describe("Who signed the store's certificate, if nobody well known did"),
  })
  .describe("A bucket of an S3-compatible object store");

/** An existing PersistentVolumeClaim of the namespace, for example on NFS. */
const volume = s
  .object({
    claim: s.string().min(1).max(253).describe("A PersistentVolumeClaim in the namespace of this object"),
    path: s.string().max(512).default("").describe("A folder on the volume"),
  })
  .describe("A volume, such as one on NFS");

/** Exactly one kind of store. */
export const store = s
  .oneOf({ s3, volume })
  .example({ volume: { claim: "backups" } })
  .describe("Where backups are: one of these");

const allowUnencrypted = s
  .boolean()
  .optional()
  .describe(
    "With `encryption`: take backups that are not encrypted, too, for the time after the key was introduced. Who writes to the store can then forge one",
  );

/** The backup, and how to read it. */
export const backupChoice = {
  store,
  backup: s.string().max(512).optional().describe("Its name in the store; left out: the newest of `sourceCluster`"),
  digest: s
    .string()
    .pattern("^[0-9a-f]{64}$")
    .max(64)
    .optional()
    .describe("sha256 of its manifest, as the status of its EtcdBackup has it: any other is refused"),
  sourceCluster: s
    .object({
      namespace: s.string().min(1).max(63).optional().describe("Left out: the namespace of this object"),
      name: s.string().min(1).max(56).describe("The EtcdCluster that was backed up"),
    })
    .optional()
    .describe("Whose backup; left out: that of a cluster of the same namespace and name, or whatever `backup` names"),
  encryption: secretKey
    .optional()
    .describe("The key that the backup was encrypted with. What is not encrypted with it is refused"),
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
  .describe("With which images are pulled: of members, and of the pods that make, try and fetch backups");

/** The form of backups, the same for manual and scheduled ones. */
export const backupForm = {
  store,
  compression: s.enum("none", "gzip", "zstd").default("gzip").describe("How the snapshot is made smaller"),
  encryption: secretKey
    .optional()
    .describe("32 random bytes (`openssl rand -base64 32`): without them the backups cannot be read"),
  allowUnencrypted,
  retention: s
    .object({
      count: s.int32().min(1).max(10_000).optional().describe("Keep so many"),
      age: s.string().pattern("^([0-9]+(s|m|h|d))+$").max(32).optional().describe("Keep those younger than this"),
    })
    .optional()
    .describe("What is kept: left out, everything; with both, what both keep; always the newest"),
  verify: s
    .enum("checksum", "restore")
    .default("checksum")
    .describe("`restore`: every backup is restored into a scratch member before it counts"),
  timeout: s
    .string()
    .pattern("^([0-9]+(s|m|h|d))+$")
    .max(32)
    .default("10m")
    .describe("A backup that takes longer has failed"),
};
