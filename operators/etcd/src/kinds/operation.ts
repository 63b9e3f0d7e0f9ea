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
      cluster: s.string().min(1).max(56).describe("The EtcdCluster in this namespace"),
      do: s
        .oneOf({
          defragment: s
            .object({
              member: s.string().max(63).optional().describe("Left out: all, one after the other, leader last"),
            })
            .describe("Gives back the space that deleted data took"),
          moveLeader: s
            .object({ to: s.string().max(63).optional().describe("Left out: to whoever is furthest") })
            .describe("Lets another member lead"),
          replaceMember: s
            .object({
              member: s.string().min(1).max(63).describe("Who is to go"),
              evenUncompared: s
                .boolean()
                .default(false)
                .describe(
                  "Also where data cannot be compared before: somebody knows that the others have what is right",
                ),
            })
            .describe("Puts a new member with an empty volume in the place of one"),
          snapshot: s
            .object({ backup: s.string().min(1).max(253).describe("The EtcdBackup whose store and form are used") })
            .describe("Makes a backup now"),
        })
        .example({ defragment: {} })
        .describe("One of these"),
      ttl: s.string().pattern("^([0-9]+(s|m|h|d))+$").max(32).default("1h").describe("Deleted so long after it ended"),
    })
    .rules(s.rule("self == oldSelf", "an operation happens once: make another EtcdOperation")),
  status: s.object({
    phase: s.enum("Pending", "Running", "Succeeded", "Failed", "Rejected").describe("How far it is"),
    message: s.string().describe("The same in a sentence"),
    began: s.timestamp().optional().describe("When it was begun"),
    ended: s.timestamp().optional().describe("When it was over, however it ended"),
    done: s.array(s.string()).max(16).describe("Members that are finished"),
    size: s.int32().optional().describe("Members that the cluster had when it began"),
  }),
  conditions: { Complete: "It was done" },
  columns: { Cluster: "spec.cluster", Phase: "status.phase", Message: "status.message" },
});
