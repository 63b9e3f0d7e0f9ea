/** The status of a cluster: reports for the user, and state that the operator relies on. */
import { s } from "capstan";
import { backupRecord } from "./backup.ts";
import { backupSource } from "./store.ts";

const member = s.object({
  name: s.string().describe("That of its pod, too"),
  id: s.string().optional().describe("In hexadecimal, as etcdctl prints it"),
  role: s.enum("Leader", "Follower", "Learner", "Joining").describe("What it is in the cluster; learners do not vote"),
  version: s.string().optional().describe("What really runs, as the member itself says"),
  podVersion: s.string().optional().describe("The version that its pod was made for"),
  health: s.enum("Healthy", "Starting", "Unreachable", "Corrupt", "Foreign", "Down").describe("How it is"),
  since: s.timestamp().optional().describe("Since when it has this health"),
  revision: s.int64().optional().describe("The newest revision that it has"),
  lag: s.int64().optional().describe("Entries behind the leader"),
  dbBytes: s.int64().optional().describe("What its database takes on disk"),
  dbBytesInUse: s.int64().optional().describe("How much of that holds data"),
  node: s.string().optional().describe("Where its pod runs"),
});

const update = s.object({
  from: s.string().describe("The version that members had"),
  to: s.string().describe("The version that they go to now, one minor version at a time"),
  member: s.string().optional().describe("Whose turn it is"),
  began: s.timestamp().describe("When the turn of this member began"),
  floor: s.int64().optional().describe("How far the log must have come before the first member may be updated"),
  snapshot: s.string().optional().describe("The backup that was made before it, by its name in the store"),
  failed: s.string().optional().describe("The version that was put back, and why"),
  failedGeneration: s.int64().optional().describe("It is tried again when the spec changes"),
});

const skipped = s.object({
  backup: s.string().describe("Its name in the store, where it stays"),
  why: s.string().describe("What is wrong with it"),
});

const recovery = s.object({
  phase: s
    .enum("Stopping", "Seeding", "Rejoining", "Returning", "Done", "Refused")
    .describe("How far it is; `Returning`: a restore in place goes back to the old data"),
  source: s.enum("Member", "Backup").optional().describe("Where the data comes from"),
  member: s.string().optional().describe("Whose data the cluster goes on with"),
  restore: s.string().optional().describe("The uid of the EtcdRestore that asked for it"),
  from: backupSource.optional().describe("The backup that it began with and keeps to"),
  passed: s
    .array(skipped)
    .max(64)
    .optional()
    .describe("Backups that no member could begin with: they are not tried again"),
  bump: s.int64().optional().describe("What the backup's revisions are raised by, so that clients never see them fall"),
  revision: s.int64().optional().describe("The newest revision of that data"),
  mayBeLost: s.string().optional().describe("Which writes may be gone"),
  reason: s.string().describe("Why it was decided, with what was seen"),
  began: s.timestamp().describe("When it was decided"),
});

const defragmentation = s.object({
  began: s.timestamp().describe("When the last round by schedule began"),
  left: s.array(s.string()).max(32).describe("Members that are still to come"),
});

const comparison = s.object({
  at: s.timestamp().describe("When the data of all members was last compared, at one revision"),
  differing: s.array(s.string()).max(32).describe("Members with other data than the majority"),
  answered: s.array(s.string()).max(128).optional().describe("Reasons to compare that it was an answer to"),
  accused: s.array(s.string()).max(32).optional().describe("Members that etcd itself said were corrupt just then"),
  agreeing: s.array(s.string()).max(32).optional().describe("Who was found to be right, where somebody was accused"),
  of: s
    .string()
    .optional()
    .describe("Where somebody differs or was accused: who voted, in which pods, by which generation of the spec"),
  since: s
    .timestamp()
    .optional()
    .describe("Since when the same has been found of them: the longer, the rarer it is asked"),
});

const uncompared = s.object({
  at: s.timestamp().describe("When it was last tried"),
  reasons: s.array(s.string()).max(128).describe("Why data has to be compared: nobody is given up or let in before"),
  members: s.array(s.string()).max(32).describe("Members that gave no hash that could be compared"),
  unlike: s
    .array(s.string())
    .max(32)
    .optional()
    .describe("Those of them that gave a hash, of another version or compaction than others"),
});

const missed = s.object({
  at: s.timestamp().describe("When it was last tried"),
  members: s.array(s.string()).max(32).describe("Members that gave no hash"),
});

const survivors = s.object({
  at: s.timestamp().describe("When it was last tried"),
  of: s.string().describe("Who was left: in which pods, at which revisions"),
  differing: s.array(s.string()).max(32).describe("Members with other data than the others that are left"),
  unhashed: s.array(s.string()).max(32).describe("Members that gave no hash: nobody goes on before they were compared"),
});

const exhausted = s.object({
  revision: s.int64().describe("The newest revision then: nothing was deleted while it stays"),
  quota: s.int64().describe("Bytes that the database might have then"),
  at: s.timestamp().describe("When room was to be made for the last time"),
});

const auth = s.object({
  cluster: s.string().describe("etcd's own name for the cluster then: data of a backup has another"),
  inUse: s.boolean().describe("Whether something that `spec.auth` asked for may still be there"),
});

const growthRefused = s.object({
  why: s.string().describe("What the API server says about volumes that are to grow"),
  at: s.timestamp().describe("It is tried again after a while"),
});

const formRefused = s.object({
  print: s.string().describe("The fingerprint of the pods that the spec asks for"),
  why: s.string().describe("What the API server says about them"),
  at: s.timestamp().describe("It is tried again after a while"),
});

const formFailed = s.object({
  form: s.string().describe("Which form that was: it is tried again when the spec has another one"),
  why: s.string().describe("Who did not come back in it, and what is known of why"),
  at: s.timestamp().describe("When it was put back"),
});

const watched = s.object({
  what: s.string().describe("A pod that is not ready or does not end, and what tells this time from another"),
  since: s.timestamp().describe("When the operator first saw it, by its own clock: its patience counts from here"),
  seen: s
    .int64()
    .optional()
    .describe("Seconds for which operators have seen it themselves, about: so much counts whatever their clocks say"),
});

const advice = s.object({
  topic: s.enum("Quota", "Disk", "Lag", "Size", "Fragmentation", "Schedule", "Version").describe("What it is about"),
  text: s.string().describe("What to do"),
});

export const clusterStatus = s.object({
  size: s.int32().describe("Members that the cluster has"),
  ready: s.int32().describe("Members that are well"),
  selector: s.string().describe("How the pods are found, for `kubectl scale` and autoscalers"),
  version: s.string().describe("The lowest version that really runs"),
  clusterVersion: s
    .string()
    .optional()
    .describe("What the members speak with each other; etcd does not go back below it"),
  clusterId: s
    .string()
    .optional()
    .describe("etcd's own name for the cluster: it never changes but by a restore in place"),
  bornFrom: s
    .string()
    .optional()
    .describe(
      "The backup that its first data came from, by its name in the store: the newest then, if `bootstrap` names none",
    ),
  forks: s
    .int32()
    .optional()
    .describe("How often one member went on alone: what is newer is told by revisions within one number only"),
  leader: s.string().optional().describe("The member that leads"),
  serial: s.int32().optional().describe("The number of the newest member: names are never used twice"),
  members: s.array(member).max(32).describe("Each member, as it was last seen"),
  watched: s.array(watched).max(64).optional().describe("What the operator waits to be over"),
  endpoints: s.array(s.string()).max(32).describe("Where clients connect"),
  clientSecret: s.string().optional().describe("The Secret with everything that a client needs"),
  update: update.optional().describe("The update under way, or the last one that failed"),
  recovery: recovery.optional().describe("The last recovery from a lost quorum: what was done and why"),
  comparison: comparison.optional().describe("The last comparison of the members' data"),
  uncompared: uncompared.optional().describe("A comparison that is needed and could not be made"),
  missed: missed.optional().describe("A comparison by the hour that could not be made; it is tried again with pauses"),
  survivors: survivors.optional().describe("The last comparison of those that are left without quorum"),
  defragmentation: defragmentation.optional().describe("The last round by schedule"),
  exhausted: exhausted.optional().describe("The database is full of live data: no room could be made"),
  auth: auth.optional().describe("Users and roles are the operator's: it began to make them before it wrote any"),
  growthRefused: growthRefused.optional().describe("Why volumes do not grow"),
  formRefused: formRefused
    .optional()
    .describe("Why pods cannot be made as the spec has them; who is gone comes back as it was"),
  formFailed: formFailed
    .optional()
    .describe("A member did not come back in the form that the spec has: all go on in the last good one"),
  backup: backupRecord.optional().describe("The newest backup by schedule"),
  advice: s.array(advice).max(16).describe("What should be known before it becomes a problem"),
});
