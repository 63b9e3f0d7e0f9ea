/** `EtcdBackup`: a backup of a cluster, made once or on a schedule. */
import { defineResource, s } from "capstan";
import { backupForm } from "./store.ts";

export const backupRecord = s.object({
  name: s.string().describe("Its name in the store"),
  time: s.timestamp().describe("When it was taken"),
  bytes: s.int64().describe("What it takes in the store"),
  version: s.string().describe("Of the etcd that it was taken from"),
  revision: s.int64().describe("The newest revision in it"),
  clusterId: s.string().optional().describe("etcd's id of the cluster whose revisions these are"),
  clusterUid: s
    .string()
    .optional()
    .describe("The very EtcdCluster that it was taken for: not one that has its name later"),
  forks: s
    .int32()
    .optional()
    .describe("How often a member of that cluster had gone on alone: revisions are compared within one number only"),
  hash: s.string().describe("sha256 of the snapshot"),
  digest: s.string().optional().describe("sha256 of its manifest in the store: what differs from it is refused"),
  verified: s.enum("checksum", "restore").optional().describe("How it was tried"),
  kvHash: s
    .object({
      hash: s.int64().describe("Over all keys and their revisions"),
      compactRevision: s.int64().describe("From which revision on"),
    })
    .optional()
    .describe("etcd's hash over the keys, to compare a restored member with"),
});

export const EtcdBackup = defineResource({
  group: "etcd.capstan.dev",
  version: "v1",
  kind: "EtcdBackup",
  shortNames: ["etcdb"],
  categories: ["all", "etcd"],
  describe: "A backup of an EtcdCluster, made once or on a schedule.",
  spec: s.object({
    cluster: s.string().min(1).max(56).immutable().describe("The EtcdCluster in this namespace"),
    schedule: s.string().min(9).max(128).optional().describe("Five fields as in cron, UTC; left out: once, now"),
    ...backupForm,
  }),
  status: s.object({
    phase: s.enum("Pending", "Running", "Succeeded", "Failed", "Scheduled").describe("How far it is"),
    message: s.string().describe("The same in a sentence"),
    last: backupRecord.optional().describe("The newest backup"),
    backups: s.array(backupRecord).max(500).describe("Newest first"),
    nextTime: s.timestamp().optional().describe("When the next one is due"),
    failures: s.int32().describe("In a row"),
    lastAttempt: s.timestamp().optional().describe("When one was last tried"),
    recorded: s.string().optional().describe("The pod whose result was written down last"),
  }),
  conditions: { Ready: "The newest backup that was due exists and was verified" },
  columns: {
    Cluster: "spec.cluster",
    Phase: "status.phase",
    Last: "status.last.time",
    Revision: "status.last.revision",
    Message: { path: "status.message", wide: true },
  },
});
