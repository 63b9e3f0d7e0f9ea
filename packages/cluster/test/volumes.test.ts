import assert from "node:assert/strict";
import { test } from "node:test";
import { PersistentVolume, PersistentVolumeClaim } from "@capstan/kinds/v1";
import { startCluster } from "@capstan/cluster";
import { until } from "./until.ts";

test("a claim of our own class that asks for more has it, and so has its volume", async () => {
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
