/** The status of a cluster: reports for the user, and state that the operator relies on. */
import { s } from "capstan";
import { backupRecord } from "./backup.ts";
import { backupSource } from "./store.ts";

const member = s.object({
  name: s.string().describe("Name of the member and of its pod"),
  id: s.string().optional().describe("Member ID in hexadecimal, as etcdctl prints it"),
  role: s.enum("Leader", "Follower", "Learner", "Joining").describe("Role in the cluster; learners do not vote"),
  version: s.string().optional().describe("Running version, as reported by the member"),
  podVersion: s.string().optional().describe("Version of the member's pod template"),
  health: s.enum("Healthy", "Starting", "Unreachable", "Corrupt", "Foreign", "Down").describe("How it is"),
  since: s.timestamp().optional().describe("Time of the last change of health"),
  revision: s.int64().optional().describe("Newest revision of the member"),
  lag: s.int64().optional().describe("Raft log entries behind the leader"),
  dbBytes: s.int64().optional().describe("Size of the database on disk"),
  dbBytesInUse: s.int64().optional().describe("Size of the database in use"),
  node: s.string().optional().describe("Node of the pod"),
});

const update = s.object({
  from: s.string().describe("Version before the upgrade"),
  to: s.string().describe("Target version of the current step, at most one minor version ahead"),
  member: s.string().optional().describe("Member that is being upgraded"),
  began: s.timestamp().describe("Start of the upgrade of this member"),
  floor: s.int64().optional().describe("Raft index that every member must reach before the first member is upgraded"),
  snapshot: s.string().optional().describe("Name in the store of the backup that was made before the upgrade"),
  failed: s.string().optional().describe("Version that was rolled back, and the reason"),
  failedGeneration: s.int64().optional().describe("The upgrade is retried when the spec changes"),
});

const skipped = s.object({
  backup: s.string().describe("Name in the store; the backup is kept there"),
  why: s.string().describe("Reason why the backup is unusable"),
});

const recovery = s.object({
  phase: s
    .enum("Stopping", "Seeding", "Rejoining", "Returning", "Done", "Refused")
    .describe("Phase; `Returning`: an in-place restore is being reverted to the old data"),
  source: s.enum("Member", "Backup").optional().describe("Where the data comes from"),
  member: s.string().optional().describe("Member whose data the cluster continues with"),
  restore: s.string().optional().describe("UID of the EtcdRestore that requested it"),
  from: backupSource.optional().describe("Backup that the recovery uses"),
  passed: s.array(skipped).max(64).optional().describe("Backups that no member could start from; they are not retried"),
  bump: s
    .int64()
    .optional()
    .describe("Offset added to the revisions of the backup, so that clients never see revisions decrease"),
  revision: s.int64().optional().describe("Newest revision of the data"),
  mayBeLost: s.string().optional().describe("Writes that may be lost"),
  reason: s.string().describe("Reason for the decision, with the observations"),
  began: s.timestamp().describe("Time of the decision"),
});

const defragmentation = s.object({
  began: s.timestamp().describe("Start of the last scheduled run"),
  left: s.array(s.string()).max(32).describe("Members that are not processed yet"),
});

const comparison = s.object({
  at: s.timestamp().describe("Time of the last comparison of all members' data at one revision"),
  differing: s.array(s.string()).max(32).describe("Members whose data differs from the majority"),
  answered: s.array(s.string()).max(128).optional().describe("Reasons that required this comparison"),
  accused: s
    .array(s.string())
    .max(32)
    .optional()
    .describe("Members for which etcd raised a CORRUPT alarm at that time"),
  agreeing: s
    .array(s.string())
    .max(32)
    .optional()
    .describe("Members whose data was confirmed when a corruption was reported"),
  of: s
    .string()
    .optional()
    .describe(
      "After a difference or a reported corruption: the voting members, their pods and the observed generation",
    ),
  since: s
    .timestamp()
    .optional()
    .describe("Time since which the result is unchanged; the interval between checks grows with it"),
});

const uncompared = s.object({
  at: s.timestamp().describe("Time of the last attempt"),
  reasons: s
    .array(s.string())
    .max(128)
    .describe("Reasons why data must be compared; no member is replaced or added before"),
  members: s.array(s.string()).max(32).describe("Members without a comparable hash"),
  unlike: s
    .array(s.string())
    .max(32)
    .optional()
    .describe("Members of these that returned a hash of another version or compaction revision"),
});

const missed = s.object({
  at: s.timestamp().describe("Time of the last attempt"),
  members: s.array(s.string()).max(32).describe("Members that returned no hash"),
});

const survivors = s.object({
  at: s.timestamp().describe("Time of the last attempt"),
  of: s.string().describe("Remaining members with their pods and revisions"),
  differing: s.array(s.string()).max(32).describe("Members whose data differs from the other remaining members"),
  unhashed: s
    .array(s.string())
    .max(32)
    .describe("Members that returned no hash; recovery waits until they have been compared"),
});

const exhausted = s.object({
  revision: s.int64().describe("Newest revision at that time; if it is unchanged, nothing was deleted"),
  quota: s.int64().describe("Quota in bytes at that time"),
  at: s.timestamp().describe("Time of the last attempt to free space"),
});

const auth = s.object({
  cluster: s.string().describe("etcd cluster ID at that time; data from a backup has another one"),
  inUse: s.boolean().describe("Whether users or roles of an earlier `spec.auth` may still exist"),
});

const growthRefused = s.object({
  why: s.string().describe("Error of the API server for the resize of volumes"),
  at: s.timestamp().describe("The request is retried with backoff"),
});

const formRefused = s.object({
  print: s.string().describe("Hash of the pod template of the spec"),
  why: s.string().describe("Error of the API server for these pods"),
  at: s.timestamp().describe("The request is retried with backoff"),
});

const formFailed = s.object({
  form: s.string().describe("Hash of the failed pod template; another template is tried"),
  why: s.string().describe("Member that did not become ready with it, and the known reason"),
  at: s.timestamp().describe("Time of the rollback"),
});

const watched = s.object({
  what: s.string().describe("Pod that is not ready or does not terminate, with a key of this occurrence"),
  since: s.timestamp().describe("Time of the first observation by the operator's clock; deadlines count from here"),
  seen: s
    .int64()
    .optional()
    .describe("Approximate seconds of direct observation; they count independently of clock changes"),
});

const advice = s.object({
  topic: s
    .enum("Quota", "Disk", "Lag", "Size", "Fragmentation", "Schedule", "Version")
    .describe("Subject of the warning"),
  text: s.string().describe("What to do"),
});

export const clusterStatus = s.object({
  size: s.int32().describe("Number of members"),
  ready: s.int32().describe("Number of healthy members"),
  selector: s.string().describe("Label selector of the pods, for `kubectl scale` and autoscalers"),
  version: s.string().describe("Lowest running version of the members"),
  clusterVersion: s.string().optional().describe("Cluster version of etcd; members cannot be downgraded below it"),
  clusterId: s.string().optional().describe("etcd cluster ID; only an in-place restore changes it"),
  bornFrom: s
    .string()
    .optional()
    .describe(
      "Name in the store of the backup that the cluster was bootstrapped from; the newest one at that time if `bootstrap` names none",
    ),
  forks: s
    .int32()
    .optional()
    .describe("Number of recoveries from a single member; revisions are comparable only within one number"),
  leader: s.string().optional().describe("Leader"),
  serial: s.int32().optional().describe("Serial number of the newest member; names are never reused"),
  members: s.array(member).max(32).describe("Members as last observed"),
  watched: s.array(watched).max(64).optional().describe("Conditions that the operator is waiting for"),
  endpoints: s.array(s.string()).max(32).describe("Client endpoint"),
  clientSecret: s.string().optional().describe("Secret with the endpoint and credentials for clients"),
  update: update.optional().describe("Current upgrade, or the last failed one"),
  recovery: recovery.optional().describe("Last recovery from a lost quorum, with actions and reasons"),
  comparison: comparison.optional().describe("Last comparison of the members' data"),
  uncompared: uncompared.optional().describe("Required comparison that failed"),
  missed: missed.optional().describe("Hourly comparison that failed; it is retried with backoff"),
  survivors: survivors.optional().describe("Last comparison of the remaining members without quorum"),
  defragmentation: defragmentation.optional().describe("Last scheduled run"),
  exhausted: exhausted.optional().describe("The database is full of live data; no space could be freed"),
  auth: auth.optional().describe("Whether the operator manages users and roles; set before the first one is written"),
  growthRefused: growthRefused.optional().describe("Reason why volumes cannot be resized"),
  formRefused: formRefused
    .optional()
    .describe(
      "Reason why pods with the template of the spec cannot be created; missing members are recreated with the last good template",
    ),
  formFailed: formFailed
    .optional()
    .describe("A member did not become ready with the template of the spec; all members use the last good template"),
  backup: backupRecord.optional().describe("Newest scheduled backup"),
  advice: s.array(advice).max(16).describe("Warnings about problems to come"),
});
