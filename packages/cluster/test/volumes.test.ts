import assert from "node:assert/strict";
import { test } from "node:test";
import { Event, PersistentVolume, PersistentVolumeClaim } from "@capstan/kinds/v1";
import { startCluster } from "@capstan/cluster";
import { until } from "./until.ts";

test("a claim of our storage class expands together with its volume", async () => {
  await using cluster = await startCluster();
  const { client } = cluster;
  const target = { namespace: "default", name: "data" };
  const asking = (storage: string) => ({ resources: { requests: { storage } } });
  await client.create(PersistentVolumeClaim, {
    metadata: target,
    spec: { accessModes: ["ReadWriteOnce"], ...asking("1Gi") },
  });
  const holding = (storage: string): Promise<PersistentVolumeClaim> =>
    until(`the claim has ${storage}`, async () => {
      const claim = await client.get(PersistentVolumeClaim, target);
      return claim.status?.capacity?.["storage"] === storage && claim;
    });
  const { spec } = await holding("1Gi");
  await client.patch(PersistentVolumeClaim, target, { merge: { spec: asking("3Gi") } });
  const { status } = await holding("3Gi");
  const volume = await client.get(PersistentVolume, { name: spec?.volumeName ?? "" });
  assert.deepEqual(volume.spec?.capacity, { storage: "3Gi" });
  assert.equal(status?.phase, "Bound");
  assert.equal(status?.conditions, undefined);
});

test("a volume that cannot be deleted becomes Failed with the reason", async () => {
  await using cluster = await startCluster();
  const { client } = cluster;
  const spec = { accessModes: ["ReadWriteOnce" as const], storageClassName: "" };
  await client.create(PersistentVolume, {
    metadata: { name: "mine" },
    spec: {
      ...spec,
      capacity: { storage: "1Gi" },
      persistentVolumeReclaimPolicy: "Delete",
      hostPath: { path: "/var/lib" },
    },
  });
  const claim = { namespace: "default", name: "data" };
  await client.create(PersistentVolumeClaim, {
    metadata: claim,
    spec: { ...spec, volumeName: "mine", resources: { requests: { storage: "1Gi" } } },
  });
  const inPhase = (phase: string): Promise<PersistentVolume> =>
    until(`the volume is ${phase}`, async () => {
      const volume = await client.get(PersistentVolume, { name: "mine" });
      return volume.status?.phase === phase && volume;
    });
  await inPhase("Bound");
  await client.delete(PersistentVolumeClaim, claim);
  const message = "host_path deleter only supports /tmp/.+ but received provided /var/lib";
  assert.equal((await inPhase("Failed")).status?.message, message);
  const told = await until("an event tells of it", async () => {
    const { items } = await client.list(Event, { namespace: "default" }).all();
    return items.find(({ reason }) => reason === "VolumeFailedDelete");
  });
  assert.deepEqual([told.type, told.message ?? ""], ["Warning", message]);
});
