import assert from "node:assert/strict";
import { test } from "node:test";
import { EtcdCluster } from "../../src/kinds/index.ts";
import { condition, isSettled, startWorld } from "./world.ts";
import type { EtcdWorld } from "./world.ts";

const SPEC = { version: "3.6.16", options: {} };

async function begin(bed: EtcdWorld, size: number): Promise<void> {
  await bed.world.apply(EtcdCluster, "e", { spec: { ...SPEC, size } });
  await bed.until(isSettled, "members");
}

/** How often any member was asked for its hash meanwhile. */
async function hashedIn(bed: EtcdWorld, seconds: number): Promise<number> {
  const before = bed.etcd.hashed;
  await bed.pass(seconds);
  return bed.etcd.hashed - before;
}

test("two that differ are compared less often, and at once after a spec change", async () => {
  await using bed = await startWorld();
  await begin(bed, 2);
  bed.etcd.hashes.set("e-0", 2);
  const spec = { ...SPEC, size: 2, options: { "snapshot-count": "5000" } };
  await bed.world.apply(EtcdCluster, "e", { spec });
  await bed.until((now) => condition(now, "Degraded")?.reason === "DataDiffers", "a refusal");
  const hashed = await hashedIn(bed, 3_600);
  assert.ok(hashed > 0 && hashed <= 40, `${hashed} hashes in an hour`);
  bed.etcd.hashes.clear();
  await bed.world.apply(EtcdCluster, "e", { spec: { ...spec, options: {} } });
  await bed.pass(60);
  assert.deepEqual((await bed.cluster()).status?.comparison?.differing, []);
  await bed.until(isSettled, "an end");
});

test("an alarm without a remedy causes fewer and fewer comparisons", async () => {
  await using bed = await startWorld();
  await begin(bed, 3);
  await bed.world.apply(EtcdCluster, "e", { spec: { ...SPEC, size: 3, paused: true } });
  await bed.pass(60);
  bed.etcd.hashes.set("e-1", 2);
  const accused = bed.etcd.processes.get("e-1")?.disk.memberId ?? "";
  for (const cluster of bed.etcd.clusters.values()) cluster.alarms = [{ memberId: accused, kind: "Corrupt" }];
  const hashed = await hashedIn(bed, 3_600);
  assert.ok(hashed > 0 && hashed <= 60, `${hashed} hashes in an hour`);
  await bed.world.apply(EtcdCluster, "e", { spec: { ...SPEC, size: 3, paused: false } });
  await bed.until((now) => isSettled(now) && !bed.etcd.processes.has("e-1"), "another in its place");
});
