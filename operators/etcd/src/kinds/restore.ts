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
      cluster: s.string().min(1).max(56).describe("EtcdCluster to create, or to overwrite if `overwrite` is set"),
      ...backupChoice,
      imagePullSecrets,
      overwrite: s
        .string()
        .max(56)
        .optional()
        .describe("Repeats the name of the cluster to confirm that all of its data is replaced"),
    })
    .rules(
      s.rule("self == oldSelf", "a restore runs once: create another EtcdRestore"),
      s.rule(
        "!has(self.overwrite) || self.overwrite == self.cluster",
        "overwrite must repeat the name of the cluster: all of its current data will be lost",
      ),
    ),
  status: s.object({
    phase: s.enum("Pending", "Running", "Succeeded", "Failed").describe("Phase"),
    message: s.string().describe("Human-readable message"),
    backup: s.string().optional().describe("Name in the store of the backup that is restored"),
    digest: s.string().optional().describe("sha256 of the manifest: the restored backup is the one that was verified"),
    clusterUid: s
      .string()
      .optional()
      .describe("UID of the cluster whose data is replaced; a later cluster of the same name is not touched"),
    revision: s.int64().optional().describe("Newest revision of the backup"),
    version: s.string().optional().describe("Version of etcd that the backup was taken from"),
  }),
  conditions: { Complete: "The cluster serves the data of the backup" },
  columns: { Cluster: "spec.cluster", Phase: "status.phase", Revision: "status.revision" },
});
