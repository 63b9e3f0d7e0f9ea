import assert from "node:assert/strict";
import { test } from "node:test";
import { EtcdCluster } from "../../src/kinds/index.ts";
import { condition, isSettled, startWorld } from "./world.ts";
import type { EtcdWorld } from "./world.ts";

/** Healthy members, one of which does not report the hash of its data. */
async function begin(bed: EtcdWorld, size: number): Promise<void> {
  await bed.world.apply(EtcdCluster, "e", { spec: { size, version: "3.6.16" } });
  await bed.until(isSettled, "members");
  bed.etcd.mute.add("e-1");
}

test("without quorum a missing hash is requested less often, with ways out reported", async () => {
  await using bed = await startWorld();
  await begin(bed, 5);
  await bed.loseVolumes(["e-2", "e-3", "e-4"]);
  const before = bed.etcd.hashed;
  const refused = await bed.until((now) => condition(now, "Degraded")?.reason === "QuorumLost", "a refusal");
  const sentence = condition(refused, "Degraded")?.message ?? "";
  for (const way of [/e-1 gives? no hash/u, /EtcdRestore with spec\.overwrite: e/u, /delete .*data-e-1/u])
    assert.match(sentence, way);
  await bed.pass(1_800);
  const hashed = bed.etcd.hashed - before;
  assert.ok(hashed > 2 && hashed <= 20, `${hashed} hashes in little more than half an hour`);
  assert.equal(bed.etcd.processes.size, 2, "nobody was chosen");
  bed.etcd.mute.clear();
  await bed.until(isSettled, "five members again");
});

test("without quorum, deleting the volume without a hash lets the other continue", async () => {
  await using bed = await startWorld();
  await begin(bed, 5);
  await bed.loseVolumes(["e-2", "e-3", "e-4"]);
  await bed.until((now) => condition(now, "Degraded")?.reason === "QuorumLost", "a refusal");
  await bed.loseVolumes(["e-1"]);
  const after = await bed.until(isSettled, "five members again");
  assert.equal(after.status?.recovery?.member, "e-0");
  assert.equal(after.status?.survivors, undefined, "what was asked then is forgotten");
});

test("without quorum, members that differ are not compared again and again", async () => {
  await using bed = await startWorld();
  await begin(bed, 5);
  bed.etcd.mute.clear();
  bed.etcd.hashes.set("e-1", 2);
  await bed.loseVolumes(["e-2", "e-3", "e-4"]);
  await bed.until((now) => condition(now, "Degraded")?.reason === "DataDiffers", "a refusal");
  const before = bed.etcd.hashed;
  await bed.pass(900);
  assert.ok(bed.etcd.hashed - before <= 8, `${bed.etcd.hashed - before} hashes in a quarter of an hour`);
  assert.equal(bed.etcd.processes.size, 2);
});

test("without quorum, a member that crashes on HashKV is not asked at each start", async () => {
  await using bed = await startWorld();
  await begin(bed, 5);
  await bed.loseVolumes(["e-2", "e-3", "e-4"]);
  await bed.pass(10);
  const before = bed.etcd.hashed;
  for (let times = 0; times < 60; times++) {
    bed.etcd.stop("e-1");
    await bed.pass(10);
  }
  assert.ok(bed.etcd.hashed - before <= 24, `${bed.etcd.hashed - before} hashes in ten minutes`);
});

test("a missing hash does not cause an hourly comparison in every reconcile", async () => {
  await using bed = await startWorld();
  await begin(bed, 3);
  await bed.pass(300);
  // Simulates that an hour has passed.
  bed.calendar.ahead = 3_600_000;
  const told = await bed.until(({ status }) => status?.missed !== undefined, "a comparison that is missed");
  assert.deepEqual(told.status?.missed?.members, ["e-1"]);
  const before = bed.etcd.hashed;
  await bed.pass(900);
  const hashed = bed.etcd.hashed - before;
  assert.ok(hashed > 0 && hashed <= 18, `${hashed} hashes in a quarter of an hour`);
  bed.etcd.mute.clear();
  await bed.until(({ status }) => status?.missed === undefined, "a comparison");
});
