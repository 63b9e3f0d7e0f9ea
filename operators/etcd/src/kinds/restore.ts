/** `EtcdRestore`: a cluster made anew from a backup, or an existing one put back in place. */
import { defineResource, s } from "capstan";
import { store } from "./store.ts";

const secretKey = s.object({ name: s.string().min(1).max(253), key: s.string().min(1).max(253) });

export const EtcdRestore = defineResource({
  group: "etcd.capstan.dev",
  version: "v1",
  kind: "EtcdRestore",
  shortNames: ["etcdr"],
  categories: ["all", "etcd"],
  describe:
    "Makes a cluster from a backup. The backup knows data, size, version and options of the cluster it was taken from.",
  spec: s
    .object({
      cluster: s.string().min(1).max(52).describe("The EtcdCluster to make, or to overwrite if `overwrite` says so"),
      store,
      backup: s.string().max(512).optional().describe("Its name in the store; left out: the newest"),
      encryption: secretKey.optional(),
      overwrite: s
        .string()
        .max(52)
        .optional()
        .describe("The name of the cluster once more: yes, replace all data of the existing cluster"),
    })
    .rules(
      s.rule("self == oldSelf", "a restore happens once: make another EtcdRestore"),
      s.rule(
        "!has(self.overwrite) || self.overwrite == self.cluster",
        "overwrite must repeat the name of the cluster: all of its present data will be gone",
      ),
    ),
  status: s.object({
    phase: s.enum("Pending", "Running", "Succeeded", "Failed"),
    message: s.string(),
    backup: s.string().optional(),
    revision: s.int64().optional(),
    version: s.string().optional(),
  }),
  conditions: { Complete: "The cluster serves the data of the backup" },
  columns: { Cluster: "spec.cluster", Phase: "status.phase", Revision: "status.revision" },
});
