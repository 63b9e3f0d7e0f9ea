/** What a provider of etcd clusters bills: members while they are asked for, backups while they are kept, and their bytes. */
import { meter, type ObjectMeter } from "capstan";
import { EtcdBackup, EtcdCluster } from "./kinds/index.ts";

/** Members, by version. A hibernating cluster has none. */
export const members: ObjectMeter = meter(EtcdCluster, {
  name: "etcd.members",
  unit: "member",
  value: ({ spec }) => spec.size,
  dimensions: { name: "metadata.name", version: "spec.version" },
});

const kept = "has(object.status) && has(object.status.backups) ? object.status.backups";

/** Backups in the store. */
export const backups: ObjectMeter = meter(EtcdBackup, {
  name: "etcd.backups",
  unit: "backup",
  value: { expression: `${kept}.size() : 0` },
  dimensions: { name: "spec.cluster" },
});

/** Their size. */
export const backupBytes: ObjectMeter = meter(EtcdBackup, {
  name: "etcd.backup.bytes",
  unit: "byte",
  value: { expression: `${kept}.map(backup, backup.bytes).sum() : 0` },
  dimensions: { name: "spec.cluster" },
});
