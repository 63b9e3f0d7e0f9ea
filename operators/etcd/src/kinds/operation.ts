/** `EtcdOperation`: a manual operation on a cluster, recorded as an object. */
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
      cluster: s.string().min(1).max(56).describe("Name of the EtcdCluster in this namespace"),
      do: s
        .oneOf({
          defragment: s
            .object({
              member: s
                .string()
                .max(63)
                .optional()
                .describe("Default: all members, one after the other, the leader last"),
            })
            .describe("Defragments members"),
          moveLeader: s
            .object({ to: s.string().max(63).optional().describe("Default: the member with the highest Raft index") })
            .describe("Moves the leadership to another member"),
          replaceMember: s
            .object({
              member: s.string().min(1).max(63).describe("Member to replace"),
              evenUncompared: s
                .boolean()
                .default(false)
                .describe(
                  "Skips the comparison of data: you have confirmed that the data of the other members is correct",
                ),
            })
            .describe("Replaces a member by a new one with an empty volume"),
          snapshot: s
            .object({ backup: s.string().min(1).max(253).describe("EtcdBackup whose store and settings are used") })
            .describe("Creates a backup now"),
        })
        .example({ defragment: {} })
        .describe("One of these"),
      ttl: s
        .string()
        .pattern("^([0-9]+(s|m|h|d))+$")
        .max(32)
        .default("1h")
        .describe("Time to keep the object after its end"),
    })
    .rules(s.rule("self == oldSelf", "an operation runs once: create another EtcdOperation")),
  status: s.object({
    phase: s.enum("Pending", "Running", "Succeeded", "Failed", "Rejected").describe("Phase"),
    message: s.string().describe("Human-readable message"),
    began: s.timestamp().optional().describe("Start time"),
    ended: s.timestamp().optional().describe("End time"),
    done: s.array(s.string()).max(16).describe("Members that are done"),
    size: s.int32().optional().describe("Members of the cluster at the start"),
  }),
  conditions: { Complete: "It was done" },
  columns: { Cluster: "spec.cluster", Phase: "status.phase", Message: "status.message" },
});
