import assert from "node:assert/strict";
import { test } from "node:test";
import { PersistentVolumeClaim } from "capstan/kinds/v1";
import { EtcdCluster } from "../../src/kinds/index.ts";
import { MEMBER_LABEL, UID_LABEL } from "../../src/pods/index.ts";
import { condition, isSettled, startWorld } from "./world.ts";
import type { ClusterObject, EtcdWorld } from "./world.ts";

async function begin(bed: EtcdWorld, size: number): Promise<void> {
  await bed.world.apply(EtcdCluster, "e", { spec: { size, version: "3.6.16" } });
  await bed.until(isSettled, "members");
}

/** The claim is gone under a process that continues to run. */
async function loseClaim({ world }: EtcdWorld, member: string): Promise<void> {
  const labels = { [UID_LABEL]: "gone", [MEMBER_LABEL]: `gone-${member}` };
  await world.apply(PersistentVolumeClaim, `data-${member}`, { metadata: { labels } });
}

/** Waits until all members but these are healthy and have the correct data. */
async function isRight(bed: EtcdWorld, without: readonly string[]): Promise<ClusterObject> {
  const isGood = (name: string): boolean => !bed.etcd.hashes.has(name) && !without.includes(name);
  return await bed.until((now) => isSettled(now) && [...bed.etcd.processes.keys()].every(isGood), "good members only");
}

test("of four, one with bad data and one without volume: the two that agree continue", async () => {
  await using bed = await startWorld();
  await begin(bed, 4);
  bed.etcd.hashes.set("e-0", 2);
  await bed.loseVolumes(["e-3"]);
  await isRight(bed, ["e-0", "e-3"]);
});

test("quorum is lost during a join: the learner has no hash and is not waited for", async () => {
  await using bed = await startWorld();
  await begin(bed, 3);
  bed.etcd.isSlow = true;
  await bed.world.apply(EtcdCluster, "e", { spec: { size: 4, version: "3.6.16" } });
  await bed.until(() => bed.etcd.processes.has("e-3"), "a learner");
  await bed.pass(30);
  await bed.loseVolumes(["e-1", "e-2"]);
  await bed.until(({ status }) => status?.recovery?.member === "e-0", "a recovery");
  bed.etcd.isSlow = false;
  await bed.until(isSettled, "four members");
});

test("a running member without a claim is compared before it is removed", async () => {
  await using bed = await startWorld();
  await begin(bed, 3);
  bed.etcd.hashes.set("e-0", 2);
  await loseClaim(bed, "e-2");
  await isRight(bed, ["e-0", "e-2"]);
});

for (const size of [1, 3])
  test(`the claims of all ${size} running members are gone: each is replaced in turn`, async () => {
    await using bed = await startWorld();
    await begin(bed, size);
    const names = [...bed.etcd.processes.keys()];
    for (const name of names) await loseClaim(bed, name);
    const after = await isRight(bed, names);
    assert.equal(after.status?.recovery, undefined, "nobody had to stop");
  });

test("an alarm in a paused cluster does not cause repeated comparisons", async () => {
  await using bed = await startWorld();
  await begin(bed, 3);
  bed.etcd.hashes.set("e-2", 2);
  await bed.world.apply(EtcdCluster, "e", { spec: { size: 3, version: "3.6.16", paused: true } });
  await bed.pass(10);
  const [cluster] = bed.etcd.clusters.values();
  cluster?.alarms.push({ kind: "Corrupt", memberId: bed.etcd.processes.get("e-2")?.disk.memberId ?? "" });
  const before = bed.etcd.hashed;
  await bed.pass(600);
  const hashed = bed.etcd.hashed - before;
  assert.ok(hashed > 0 && hashed <= 72, `${hashed} hashes in ten minutes`);
  await bed.world.apply(EtcdCluster, "e", { spec: { size: 3, version: "3.6.16", paused: false } });
  await isRight(bed, ["e-2"]);
});

test("a disagreement of two ends when the user deletes the wrong volume", async () => {
  await using bed = await startWorld();
  await bed.world.apply(EtcdCluster, "e", { spec: { size: 2, version: "3.6.16" } });
  await bed.until(isSettled, "members");
  bed.etcd.hashes.set("e-1", 2);
  await bed.pass(3_600);
  await bed.until((now) => condition(now, "Degraded")?.reason === "DataDiffers", "a refusal");
  await bed.loseVolumes(["e-1"]);
  const isGood = (): boolean => [...bed.etcd.processes.keys()].every((name) => !bed.etcd.hashes.has(name));
  await bed.until((now) => isSettled(now) && now.status?.members?.length === 2 && isGood(), "two with the good data");
});
