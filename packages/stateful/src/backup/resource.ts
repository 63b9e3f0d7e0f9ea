/** The custom resources of backups: types that other files use, and fragments of schemas. */
import type { Kind, StoredObject } from "@capstan/model";
import { defineResource, s } from "@capstan/schema";
import type { Condition, Fields, Resource } from "@capstan/schema";
import type { Compression } from "./compression.ts";

/**
 * A key of a Secret.
 *
 * @example
 * const encryption: SecretKey = { name: "backup-key", key: "key" };
 */
export interface SecretKey {
  readonly name: string;
  readonly key: string;
}

/**
 * The store of a spec: exactly one of both.
 *
 * @example
 * const store: StoreSpec = { volume: { claim: "backups", path: "" } };
 */
export interface StoreSpec {
  readonly s3?: {
    readonly bucket: string;
    readonly prefix: string;
    readonly endpoint?: string;
    readonly region: string;
    readonly credentials: string;
    readonly pathStyle: boolean;
    readonly ca?: SecretKey;
  };
  readonly volume?: { readonly claim: string; readonly path: string };
}

/**
 * How a store is opened.
 *
 * @example
 * const access: StoreAccess = { store: { volume: { claim: "backups", path: "" } } };
 */
export interface StoreAccess {
  readonly store: StoreSpec;
  readonly encryption?: SecretKey | undefined;
  readonly allowUnencrypted?: boolean | undefined;
}

/** The form of backups, the same for those on demand and those in a cluster's spec. */
export interface BackupForm extends StoreAccess {
  readonly schedule?: string;
  readonly compression: Compression;
  readonly retention?: { readonly count?: number; readonly age?: string };
  readonly verify: "checksum" | "restore";
  readonly log?: { readonly every: string };
  readonly timeout: string;
}

/** Where the data of a new cluster comes from. */
export interface BackupChoice extends StoreAccess {
  readonly backup?: string;
  readonly digest?: string;
  readonly sourceCluster?: { readonly namespace?: string; readonly name: string };
  readonly until?: { readonly time?: string; readonly position?: string };
}

const duration = s.string().pattern("^([0-9]+(s|m|h|d))+$").max(32);

const secretKey = s.object({
  name: s.string().min(1).max(253).describe("Name of the Secret in the namespace of this object"),
  key: s.string().min(1).max(253).describe("Key in the Secret"),
});

const s3 = s
  .object({
    bucket: s.string().min(3).max(63).describe("Name of an existing bucket"),
    prefix: s.string().max(512).default("").describe("Prefix of every object name"),
    endpoint: s.string().max(512).optional().describe("Endpoint https://host:port of a store other than AWS"),
    region: s.string().max(64).default("us-east-1").describe("Region for request signatures"),
    credentials: s.string().min(1).max(253).describe("Secret with `accessKeyId` and `secretAccessKey`"),
    pathStyle: s.boolean().default(true).describe("The bucket is in the path, not in the host name"),
    ca: secretKey.optional().describe("CA of the store's certificate, if it is not a public one"),
  })
  .describe("Bucket of an S3-compatible object store");

const volume = s
  .object({
    claim: s.string().min(1).max(253).describe("Name of a PersistentVolumeClaim in the namespace of this object"),
    path: s.string().max(512).default("").describe("Folder on the volume"),
  })
  .describe("A volume, such as one on NFS");

/** The field `store`. */
export const storeField: Fields = { store: s.oneOf({ s3, volume }).describe("The store: exactly one of these") };

const access: Fields = {
  ...storeField,
  encryption: secretKey
    .optional()
    .describe("Key of 32 random bytes (`openssl rand -base64 32`). A backup that is not encrypted with it is refused"),
  allowUnencrypted: s
    .boolean()
    .optional()
    .describe("With `encryption`: also accept unencrypted backups, for the time after the key was introduced"),
};

/** The fields of `BackupForm`. */
export const backupForm: Fields = {
  ...access,
  compression: s.enum("none", "gzip", "zstd").default("gzip").describe("Compression of the content"),
  retention: s
    .object({
      count: s.int32().min(1).max(10_000).optional().describe("Number of backups to keep"),
      age: duration.optional().describe("Maximum age of backups to keep"),
    })
    .optional()
    .describe("Default: everything is kept. With both limits, a backup must satisfy both. The newest is always kept"),
  verify: s
    .enum("checksum", "restore")
    .default("checksum")
    .describe("`restore`: every backup is loaded into a scratch server, and its rows are compared"),
  log: s
    .object({ every: duration.default("5m").describe("How often new pieces of the log are stored") })
    .optional()
    .describe("Store the log of writes, for restores to a point in time"),
  timeout: duration.default("1h").describe("Timeout of a backup"),
};

/** The fields of `BackupChoice`. */
export const backupChoice: Fields = {
  ...access,
  backup: s.string().max(512).optional().describe("Name in the store; default: the newest backup of `sourceCluster`"),
  digest: s
    .string()
    .pattern("^[0-9a-f]{64}$")
    .max(64)
    .optional()
    .describe("sha256 of the manifest, as in the status of the backup; a backup with another manifest is refused"),
  sourceCluster: s
    .object({
      namespace: s.string().min(1).max(63).optional().describe("Default: the namespace of this object"),
      name: s.string().min(1).max(56).describe("Name of the cluster that was backed up"),
    })
    .optional()
    .describe("Source of the backup; default: a cluster of the same namespace and name"),
  until: s
    .oneOf({
      time: s.timestamp().describe("Every write before this time"),
      position: s.string().min(1).max(4096).describe("Every write up to this position, and none after it"),
    })
    .optional()
    .describe("Replay the log up to this point; default: the backup alone"),
};

const record = s.object({
  name: s.string().describe("Its name in the store"),
  time: s.timestamp().describe("Time of the backup"),
  bytes: s.int64().describe("Size in the store"),
  version: s.string().describe("Version of the server"),
  position: s.string().describe("Position of the data in the history of writes"),
  digest: s.string().optional().describe("sha256 of the manifest in the store"),
  lineage: s.string().optional().describe("Identity of the data"),
  verified: s.enum("checksum", "restore").optional().describe("How it was tried"),
});

/** A backup in the status. */
export interface BackupRecord {
  readonly name: string;
  readonly time: string;
  readonly bytes: number;
  readonly version: string;
  readonly position: string;
  readonly digest?: string;
  readonly lineage?: string;
  readonly verified?: "checksum" | "restore";
}

/** The spec of a backup. */
export interface BackupSpec extends BackupForm {
  readonly cluster: string;
}

/** The status of a backup. */
export interface BackupStatus {
  readonly phase?: "Pending" | "Running" | "Succeeded" | "Failed" | "Scheduled";
  readonly message?: string;
  readonly last?: BackupRecord;
  readonly backups?: readonly BackupRecord[];
  readonly nextTime?: string;
  readonly failures?: number;
  readonly lastAttempt?: string;
  readonly recorded?: string;
  readonly log?: {
    readonly position: string;
    readonly until: string;
    readonly lastAttempt: string;
    readonly failures: number;
  };
}

/** A backup object. */
export interface BackupObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: StoredObject["metadata"];
  readonly spec: BackupSpec;
  readonly status?: BackupStatus & {
    readonly observedGeneration?: number;
    readonly conditions?: readonly Condition<BackupCondition>[];
  };
}

/** The conditions of a backup. */
export type BackupCondition = "Ready" | "LogArchived";

/**
 * The kind of a cluster's backups.
 *
 * @example
 * const crdOf = (kind: BackupKind) => kind.toCrd();
 */
export type BackupKind = Omit<Resource<unknown, unknown, BackupCondition>, "~types"> & Kind<BackupObject>;

/** The kind for backups of a kind of cluster. */
export function defineBackup({ group, kind }: { readonly group: string; readonly kind: string }): BackupKind {
  const defined = defineResource({
    group,
    version: "v1",
    kind: `${kind}Backup`,
    categories: ["all"],
    describe: `A backup of a ${kind}, made once or on a schedule.`,
    spec: s.object({
      cluster: s.string().min(1).max(56).immutable().describe(`Name of the ${kind} in this namespace`),
      schedule: s
        .string()
        .min(9)
        .max(128)
        .optional()
        .describe("Cron schedule, five fields, in UTC; default: one backup now"),
      ...backupForm,
    }),
    status: s.object({
      phase: s.enum("Pending", "Running", "Succeeded", "Failed", "Scheduled").describe("Phase"),
      message: s.string().describe("Human-readable message"),
      last: record.optional().describe("The newest backup"),
      backups: s.array(record).max(500).describe("Backups, the newest first"),
      nextTime: s.timestamp().optional().describe("Time of the next backup"),
      failures: s.int32().describe("In a row"),
      lastAttempt: s.timestamp().optional().describe("Time of the last attempt"),
      recorded: s.string().optional().describe("Pod whose result was recorded last"),
      log: s
        .object({
          position: s.string().describe("Position up to which the log is stored"),
          until: s.timestamp().describe("Time up to which the log is stored"),
          lastAttempt: s.timestamp().describe("Time of the last attempt"),
          failures: s.int32().describe("In a row"),
        })
        .optional()
        .describe("The stored log"),
    }),
    conditions: {
      Ready: "The newest backup that was due exists and is verified",
      LogArchived: "The log of writes is stored without a gap since the newest backup",
    },
    columns: {
      Cluster: "spec.cluster",
      Phase: "status.phase",
      Last: "status.last.time",
      Position: "status.last.position",
      Message: { path: "status.message", wide: true },
    },
  });
  // The interfaces above repeat the types of the schema, which cannot be inferred across packages.
  return defined as unknown as BackupKind;
}
