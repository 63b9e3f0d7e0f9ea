/** Windows for restarts, and volumes that grow by themselves, in a whole cluster in memory. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { StorageClass } from "@capstan/kinds/storage.k8s.io/v1";
import { PersistentVolumeClaim, Pod } from "@capstan/kinds/v1";
import { MemoryWorld } from "../../src/testing/memory/world.ts";
import { openWorld } from "./open-world.ts";
import { store } from "./store.ts";

/** The clock of the world begins with the year 2030, at midnight. */
const AT_ONE = { windows: [{ schedule: "1 0 * * *", duration: "5m" }] };

test("an update waits for its window, and repairs do not", async () => {
  await using world = await MemoryWorld.open(store, openWorld);
  const spec = { size: 3, version: "1.0", maintenance: AT_ONE };
  await world.apply(spec);
  await world.settle("the cluster is created");
  await world.apply({ ...spec, version: "2.0" });
  const pending = await world.until(
    (now) => conditionOf(now, "Progressing")?.reason === "MaintenancePending",
    "it waits",
  );
  assert.match(
    conditionOf(pending, "Progressing")?.message ?? "",
    /3 members wait for the window at 2030-01-01T00:01/u,
  );
  assert.equal(conditionOf(pending, "Degraded")?.status, "False");
  const pods = new Set((await world.world.list(Pod)).map(({ metadata }) => metadata.uid));
  await world.world.delete(Pod, "c-1");
  await world.until(({ status }) => status?.ready === 2, "the pod is gone");
  await world.settle("the pod is back");
  const kept = (await world.world.list(Pod)).filter(({ metadata }) => pods.has(metadata.uid));
  assert.equal(kept.length, 2, "no other pod was restarted");
  const updated = await world.until(({ status }) => status?.version === "2.0", "the window opens");
  assert.ok(world.world.clock.wall() >= Date.parse("2030-01-01T00:01:00Z"));
  assert.notEqual(updated.status?.primary, "c-0", "the primary handed over");
});

test("volumes that fill up grow, not too often, and not beyond the maximum", async () => {
  await using world = await MemoryWorld.open(store, openWorld);
  const growth = { at: 80, by: 50, maximum: "2Gi", every: "20s" };
  const spec = { size: 2, version: "2.0", storage: { size: "1Gi", className: "grows", growth } };
  await world.world.apply(StorageClass, "grows", { provisioner: "test", allowVolumeExpansion: true });
  await world.apply(spec);
  await world.settle("the cluster is created");
  await fill(world, 0.85);
  await world.until(({ status }) => status?.volumes?.size === String(1.5 * 2 ** 30), "the volumes grow");
  await world.settle("they grew");
  assert.deepEqual(await sizes(world), [String(1.5 * 2 ** 30), String(1.5 * 2 ** 30)]);
  await fill(world, 0.95);
  await world.pass(5);
  assert.deepEqual(await sizes(world), [String(1.5 * 2 ** 30), String(1.5 * 2 ** 30)], "it is too early");
  await world.until(({ status }) => status?.volumes?.size === String(2 * 2 ** 30), "the volumes grow again");
  await world.settle("they grew again");
  await fill(world, 0.95);
  const full = await world.until(
    (now) => conditionOf(now, "Degraded")?.reason === "VolumeFull",
    "the maximum is named",
  );
  assert.match(conditionOf(full, "Degraded")?.message ?? "", /95 % full: spec.storage.growth.maximum is reached/u);
  await world.apply({ ...spec, size: 3 });
  await world.until(({ status }) => status?.ready === 3, "a member joins");
  assert.deepEqual(
    await sizes(world),
    Array.from({ length: 3 }, () => String(2 * 2 ** 30)),
  );
});

test("a volume that cannot grow is named, and does not hold up a failover", async () => {
  await using world = await MemoryWorld.open(store, openWorld);
  const spec = { size: 3, version: "2.0", storage: { size: "1Gi" } };
  await world.apply(spec);
  await world.settle("the cluster is created");
  world.isWriting = true;
  await world.pass(2);
  await world.apply({ ...spec, storage: { size: "2Gi" } });
  const refused = await world.until(
    (now) => conditionOf(now, "Degraded")?.reason === "VolumeRejected",
    "the condition",
  );
  assert.match(conditionOf(refused, "Degraded")?.message ?? "", /the storageclass .* must support resize/u);
  const { status } = refused;
  await world.kubelet.loseVolume(status?.primary ?? "");
  await world.world.delete(Pod, status?.primary ?? "");
  await world.until((now) => now.status?.primary !== status?.primary, "another member leads");
  world.isWriting = false;
  await world.until((now) => now.status?.ready === 3, "three members again");
  world.assertWhole("after the failover");
});

async function fill(world: MemoryWorld, part: number): Promise<void> {
  for (const { volume } of world.servers.servers.values()) volume.usedBytes = Math.ceil(volume.sizeBytes * part);
}

async function sizes(world: MemoryWorld): Promise<readonly (string | undefined)[]> {
  const claims = await world.world.list(PersistentVolumeClaim);
  return claims.map(({ spec }) => spec?.resources?.requests?.["storage"]);
}

function conditionOf({ status }: Awaited<ReturnType<MemoryWorld["object"]>>, type: string) {
  return status?.conditions?.find((one) => one.type === type);
}
