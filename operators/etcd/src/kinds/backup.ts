/** `EtcdBackup`: a backup of a cluster, made once or on a schedule. */
import { defineResource, s } from "capstan";
import { backupForm } from "./store.ts";

export const backupRecord = s.object({
  name: s.string().describe("Its name in the store"),
  time: s.timestamp().describe("Time of the backup"),
  bytes: s.int64().describe("Size in the store"),
  version: s.string().describe("Version of etcd that the backup was taken from"),
  revision: s.int64().describe("Newest revision of the backup"),
  clusterId: s.string().optional().describe("etcd cluster ID that the revisions belong to"),
  clusterUid: s.string().optional().describe("UID of the EtcdCluster that was backed up"),
  forks: s
    .int32()
    .optional()
    .describe(
      "Number of recoveries from a single member of that cluster; revisions are comparable only within one number",
    ),
  hash: s.string().describe("sha256 of the snapshot"),
  digest: s.string().optional().describe("sha256 of the manifest in the store; a manifest that differs is refused"),
  verified: s.enum("checksum", "restore").optional().describe("How it was tried"),
  kvHash: s
    .object({
      hash: s.int64().describe("Hash of all keys and their revisions"),
      compactRevision: s.int64().describe("Compaction revision of the hash"),
    })
    .optional()
    .describe("etcd hash of the keys, to compare with a restored member"),
});

export const EtcdBackup = defineResource({
  group: "etcd.capstan.dev",
  version: "v1",
  kind: "EtcdBackup",
  shortNames: ["etcdb"],
  categories: ["all", "etcd"],
  describe: "A backup of an EtcdCluster, made once or on a schedule.",
  spec: s.object({
    cluster: s.string().min(1).max(56).immutable().describe("Name of the EtcdCluster in this namespace"),
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
    last: backupRecord.optional().describe("The newest backup"),
    backups: s.array(backupRecord).max(500).describe("Backups, the newest first"),
    nextTime: s.timestamp().optional().describe("Time of the next backup"),
    failures: s.int32().describe("In a row"),
    lastAttempt: s.timestamp().optional().describe("Time of the last attempt"),
    recorded: s.string().optional().describe("Pod whose result was recorded last"),
  }),
  conditions: { Ready: "The newest backup that was due exists and is verified" },
  columns: {
    Cluster: "spec.cluster",
    Phase: "status.phase",
    Last: "status.last.time",
    Revision: "status.last.revision",
    Message: { path: "status.message", wide: true },
  },
});
