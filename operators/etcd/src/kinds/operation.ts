/** `EtcdOperation`: something done to a cluster once, by hand, on record. */
import { defineResource, s } from "capstan";

export const EtcdOperation = defineResource({
  group: "etcd.capstan.dev",
  version: "v1",
  kind: "EtcdOperation",
  shortNames: ["etcdop"],
  categories: ["all", "etcd"],
  describe: "Something done to an EtcdCluster once, on record. It cannot be changed; make another.",
  spec: s
    .object({
      cluster: s.string().min(1).max(52).describe("The EtcdCluster in this namespace"),
      do: s.oneOf({
        defragment: s.object({
          member: s.string().max(63).optional().describe("Left out: all, one after the other, leader last"),
        }),
        moveLeader: s.object({ to: s.string().max(63).optional().describe("Left out: to whoever is furthest") }),
        replaceMember: s.object({ member: s.string().min(1).max(63) }),
        snapshot: s.object({
          backup: s.string().min(1).max(253).describe("The EtcdBackup whose store and form are used"),
        }),
      }),
      ttl: s.string().pattern("^([0-9]+(s|m|h|d))+$").max(32).default("1h").describe("Deleted so long after it ended"),
    })
    .rules(s.rule("self == oldSelf", "an operation happens once: make another EtcdOperation")),
  status: s.object({
    phase: s.enum("Pending", "Running", "Succeeded", "Failed", "Rejected"),
    message: s.string(),
    began: s.timestamp().optional(),
    ended: s.timestamp().optional(),
    done: s.array(s.string()).max(16).describe("Members that are finished"),
  }),
  conditions: { Complete: "It was done" },
  columns: { Cluster: "spec.cluster", Phase: "status.phase", Message: "status.message" },
});
