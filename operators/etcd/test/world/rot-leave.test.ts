import assert from "node:assert/strict";
import { test } from "node:test";
import { PersistentVolumeClaim, Pod } from "capstan/kinds/v1";
import { EtcdCluster } from "../../src/kinds/index.ts";
import { condition, isSettled, startWorld } from "./world.ts";
import type { EtcdWorld } from "./world.ts";

async function begin(bed: EtcdWorld): Promise<void> {
  await bed.world.apply(EtcdCluster, "e", { spec: { size: 3, version: "3.6.16" } });
  await bed.until(isSettled, "members");
}

test("hibernation is refused while claims are being deleted with their data", async () => {
  await using bed = await startWorld();
  await begin(bed);
  for (const name of ["e-0", "e-1", "e-2"]) await bed.world.delete(PersistentVolumeClaim, `data-${name}`);
  await bed.world.apply(EtcdCluster, "e", { spec: { size: 0, version: "3.6.16" } });
  const refused = await bed.until((now) => condition(now, "Degraded")?.reason === "VolumesLeaving", "a refusal");
  assert.match(condition(refused, "Degraded")?.message ?? "", /e-0, e-1, e-2 .*put spec.size back/u);
  await bed.pass(60);
  for (const name of ["e-0", "e-1", "e-2"]) assert.ok(bed.etcd.processes.has(name), `${name} runs`);
  assert.match(condition(await bed.cluster(), "Available")?.message ?? "", /3 of 3 .*some members still run/u);
});

test("a cluster without quorum can be hibernated, and lost data is reported", async () => {
  await using bed = await startWorld();
  const recovery = { quorumLoss: "Manual" } as const;
  await bed.world.apply(EtcdCluster, "e", { spec: { size: 3, version: "3.6.16", recovery } });
  await bed.until(isSettled, "members");
  await bed.loseVolumes(["e-1", "e-2"]);
  await bed.until((now) => condition(now, "Degraded")?.reason === "QuorumLost", "a refusal");
  await bed.world.apply(EtcdCluster, "e", { spec: { size: 0, version: "3.6.16", recovery } });
  const asleep = await bed.until((now) => condition(now, "Available")?.reason === "Hibernated", "sleep");
  assert.match(condition(asleep, "Available")?.message ?? "", /but for that of e-1, e-2, whose volumes are gone/u);
});

test("a member with a claim in deletion is not restarted while no other can join", async () => {
  await using bed = await startWorld();
  await begin(bed);
  bed.etcd.mute.add("e-1");
  await bed.world.delete(PersistentVolumeClaim, "data-e-2");
  await bed.until((now) => condition(now, "Degraded")?.reason === "DataUncompared", "a refusal");
  const uid = (await bed.world.get(Pod, "e-2"))?.metadata.uid;
  const options = { "snapshot-count": "5000" };
  await bed.world.apply(EtcdCluster, "e", { spec: { size: 3, version: "3.6.16", options } });
  await bed.pass(300);
  assert.equal((await bed.world.get(Pod, "e-2"))?.metadata.uid, uid);
});

test("a learner is not promoted while the voters cannot be compared", async () => {
  await using bed = await startWorld();
  await begin(bed);
  bed.etcd.isSlow = true;
  await bed.world.apply(EtcdCluster, "e", { spec: { size: 4, version: "3.6.16" } });
  await bed.until(() => bed.etcd.processes.has("e-3"), "a learner");
  for (const name of ["e-0", "e-3"]) bed.etcd.hashes.set(name, 2);
  bed.etcd.mute.add("e-1");
  bed.etcd.stop("e-2");
  await bed.pass(30);
  bed.etcd.isSlow = false;
  await bed.pass(60);
  bed.etcd.mute.clear();
  const isGood = (): boolean => [...bed.etcd.processes.keys()].every((name) => !bed.etcd.hashes.has(name));
  const isLed = (): boolean => ["e-1", "e-2"].every((name) => bed.etcd.processes.has(name));
  await bed.until((now) => isSettled(now) && isLed() && isGood(), "good members only");
});
