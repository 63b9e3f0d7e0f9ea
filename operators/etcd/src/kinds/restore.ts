/** `EtcdRestore`: creates a cluster from a backup, or restores an existing one in place. */
import { defineResource, s } from "capstan";
import { backupChoice, imagePullSecrets } from "./store.ts";

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
      cluster: s.string().min(1).max(56).describe("The EtcdCluster to make, or to overwrite if `overwrite` says so"),
      ...backupChoice,
      imagePullSecrets,
      overwrite: s
        .string()
        .max(56)
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
    phase: s.enum("Pending", "Running", "Succeeded", "Failed").describe("How far it is"),
    message: s.string().describe("The same in a sentence"),
    backup: s.string().optional().describe("The backup that is restored, by its name in the store"),
    digest: s
      .string()
      .optional()
      .describe("sha256 of its manifest: what is restored is the very backup that was checked"),
    clusterUid: s.string().optional().describe("The very cluster whose data is replaced: not one that is made later"),
    revision: s.int64().optional().describe("The newest revision in it"),
    version: s.string().optional().describe("Of the etcd that it was taken from"),
  }),
  conditions: { Complete: "The cluster serves the data of the backup" },
  columns: { Cluster: "spec.cluster", Phase: "status.phase", Revision: "status.revision" },
});
