/** What the operator tells about a cluster, and what it must not forget. */
import { s } from "capstan";
import { backupRecord } from "./backup.ts";

const member = s.object({
  name: s.string(),
  id: s.string().optional().describe("In hexadecimal, as etcdctl prints it"),
  role: s.enum("Leader", "Follower", "Learner", "Joining"),
  version: s.string().optional(),
  health: s.enum("Healthy", "Starting", "Unreachable", "Corrupt", "Foreign", "Down"),
  since: s.timestamp().optional().describe("Since when it has this health"),
  revision: s.int64().optional(),
  lag: s.int64().optional().describe("Entries behind the leader"),
  dbBytes: s.int64().optional(),
  dbBytesInUse: s.int64().optional(),
  node: s.string().optional(),
});

const update = s.object({
  from: s.string(),
  to: s.string(),
  member: s.string().optional().describe("Whose turn it is"),
  began: s.timestamp(),
  floor: s.int64().optional().describe("How far the log must have come before the first member may be updated"),
  snapshot: s.string().optional().describe("The backup that was made before it, by its name in the store"),
  failed: s.string().optional().describe("The version that was put back, and why"),
  failedGeneration: s.int64().optional().describe("It is tried again when the spec changes"),
});

const recovery = s.object({
  phase: s.enum("Stopping", "Seeding", "Rejoining", "Done", "Refused"),
  source: s.enum("Member", "Backup").optional(),
  member: s.string().optional().describe("Whose data the cluster goes on with"),
  restore: s.string().optional().describe("The uid of the EtcdRestore that asked for it"),
  revision: s.int64().optional(),
  mayBeLost: s.string().optional().describe("Which writes may be gone"),
  reason: s.string(),
  began: s.timestamp(),
});

const defragmentation = s.object({
  began: s.timestamp().describe("When the last round by schedule began"),
  left: s.array(s.string()).max(32).describe("Members that are still to come"),
});

const comparison = s.object({
  at: s.timestamp().describe("When the data of all members was last compared, at one revision"),
  differing: s.array(s.string()).max(32).describe("Members with other data than the majority"),
});

const growthRefused = s.object({
  why: s.string().describe("What the API server says about volumes that are to grow"),
  at: s.timestamp().describe("It is tried again after a while"),
});

const advice = s.object({
  topic: s.enum("Quota", "Disk", "Lag", "Size", "Fragmentation", "Schedule", "Version"),
  text: s.string(),
});

/** The status of an EtcdCluster. */
export const clusterStatus = s.object({
  size: s.int32().describe("Members that the cluster has"),
  ready: s.int32().describe("Members that are well"),
  selector: s.string(),
  version: s.string().describe("The lowest version that really runs"),
  clusterVersion: s
    .string()
    .optional()
    .describe("What the members speak with each other; etcd does not go back below it"),
  clusterId: s.string().optional(),
  leader: s.string().optional(),
  serial: s.int32().optional().describe("The number of the newest member: names are never used twice"),
  members: s.array(member).max(32),
  endpoints: s.array(s.string()).max(32).describe("Where clients connect"),
  clientSecret: s.string().optional().describe("The Secret with everything that a client needs"),
  update: update.optional(),
  recovery: recovery.optional(),
  comparison: comparison.optional(),
  defragmentation: defragmentation.optional(),
  growthRefused: growthRefused.optional(),
  backup: backupRecord.optional(),
  advice: s.array(advice).max(16),
});
