import assert from "node:assert/strict";
import { test } from "node:test";
import { EtcdCluster, EtcdOperation } from "../../src/kinds/index.ts";
import { condition, isSettled, startWorld } from "./world.ts";
import type { ClusterObject, EtcdWorld } from "./world.ts";

/** Healthy members, some of them with unnoticed bad data. */
async function begin(bed: EtcdWorld, size: number, bad: readonly string[] = ["e-0"]): Promise<void> {
  await bed.world.apply(EtcdCluster, "e", { spec: { size, version: "3.6.16" } });
  await bed.until(isSettled, "members");
  for (const name of bad) bed.etcd.hashes.set(name, 2);
}

/** Waits until all members are healthy and have the correct data. */
async function isRight(bed: EtcdWorld, also: (now: ClusterObject) => boolean = () => true): Promise<void> {
  const isGood = (): boolean => [...bed.etcd.processes.keys()].every((name) => !bed.etcd.hashes.has(name));
  await bed.until((now) => isSettled(now) && isGood() && also(now), "members with good data only");
}

test("a leader with bad data is replaced before another member", async () => {
  await using bed = await startWorld();
  await begin(bed, 3);
  const replaceMember = { member: "e-2" };
  await bed.world.apply(EtcdOperation, "op", { spec: { cluster: "e", do: { replaceMember } } });
  await isRight(bed, () => !bed.etcd.processes.has("e-2"));
  assert.ok(bed.etcd.processes.has("e-1"), bed.etcd.log.join("\n"));
});

for (const [what, spec] of [
  ["form", { version: "3.6.16", options: { "snapshot-count": "5000" } }],
  ["version", { version: "3.7.3" }],
] as const)
  test(`two members that differ are not recreated for a new ${what}`, async () => {
    await using bed = await startWorld();
    await begin(bed, 2);
    await bed.world.apply(EtcdCluster, "e", { spec: { size: 2, ...spec } });
    await bed.until((now) => condition(now, "Degraded")?.reason === "DataDiffers", "a refusal");
    await bed.pass(120);
    assert.deepEqual([...bed.etcd.processes.keys()].toSorted(), ["e-0", "e-1"]);
  });

test("two members that agree are updated, and wait while versions hash differently", async () => {
  await using bed = await startWorld();
  await begin(bed, 2, []);
  bed.etcd.dialects.set("3.7.3", 10);
  await bed.world.apply(EtcdCluster, "e", { spec: { size: 2, version: "3.7.3" } });
  const told = await bed.until((now) => condition(now, "Degraded")?.reason === "DataUncompared", "a refusal");
  assert.match(condition(told, "Degraded")?.message ?? "", /^what e-2 gave is of another version or compaction/u);
  for (const name of ["e-0", "e-1"]) assert.ok(bed.etcd.processes.has(name), `${name} is still a member`);
  assert.ok(!bed.etcd.log.some((line) => line.startsWith("put ")), "a write would not help");
  bed.etcd.dialects.clear();
  const isNew = (): boolean => [...bed.etcd.processes.values()].every(({ version }) => version === "3.7.3");
  await isRight(bed, isNew);
});

/** Three members during an update, one with the new version, when the leader's data becomes bad. */
async function beginUpdate(bed: EtcdWorld): Promise<void> {
  await begin(bed, 3, []);
  const news = (): number => [...bed.etcd.processes.values()].filter(({ version }) => version === "3.7.3").length;
  await bed.world.apply(EtcdCluster, "e", { spec: { size: 3, version: "3.7.3" } });
  await bed.until(() => news() === 1, "one of the new version");
}

test("a scale-down during an update removes the leader with bad data", async () => {
  await using bed = await startWorld();
  await beginUpdate(bed);
  await bed.world.apply(EtcdCluster, "e", { spec: { size: 3, version: "3.7.3", paused: true } });
  await bed.until(({ status }) => status?.ready === 3, "three that are up");
  bed.etcd.hashes.set("e-0", 2);
  await bed.world.apply(EtcdCluster, "e", { spec: { size: 2, version: "3.7.3", paused: false } });
  await isRight(bed);
  assert.ok(!bed.etcd.processes.has("e-0") && bed.etcd.processes.size === 2);
});

test("a scale-down waits if no other member has the version of a bad leader", async () => {
  await using bed = await startWorld();
  await beginUpdate(bed);
  bed.etcd.hashes.set("e-0", 2);
  await bed.world.apply(EtcdCluster, "e", { spec: { size: 2, version: "3.7.3" } });
  const isTold = (now: ClusterObject): boolean => condition(now, "Degraded")?.reason === "DataUncompared";
  await bed.until(isTold, "that data of two versions cannot be compared");
  await bed.pass(1_800);
  await bed.until((now) => isTold(now) && now.status?.members?.length === 3, "all three are kept");
});

test("a scale-down from five to three removes the two members with bad data", async () => {
  await using bed = await startWorld();
  await begin(bed, 5, ["e-0", "e-1"]);
  await bed.world.apply(EtcdCluster, "e", { spec: { size: 3, version: "3.6.16" } });
  await isRight(bed);
});

test("a partitioned member that responds is compared before it is removed", async () => {
  await using bed = await startWorld();
  await begin(bed, 3);
  bed.etcd.deaf.add("e-2");
  bed.kubelet.neverReady = ({ metadata }) => metadata.name === "e-2";
  const isFound = ({ status }: ClusterObject): boolean => status?.comparison?.differing.join() === "e-0";
  await bed.until(isFound, "the word of the one that is cut off");
  await bed.pass(600);
  assert.equal(bed.etcd.processes.size, 3, "the leader cannot be spared yet");
  bed.etcd.deaf.clear();
  bed.kubelet.neverReady = () => false;
  await isRight(bed);
  for (const name of ["e-1", "e-2"]) assert.ok(bed.etcd.processes.has(name), `${name} is still a member`);
});

test("a partitioned member without a hash is removed if the others agree", async () => {
  await using bed = await startWorld();
  await begin(bed, 3, []);
  bed.etcd.deaf.add("e-2");
  bed.etcd.mute.add("e-2");
  bed.kubelet.neverReady = ({ metadata }) => metadata.name === "e-2";
  await isRight(bed, () => !bed.etcd.processes.has("e-2"));
});

test("a crash-looping member does not cause a full comparison after each start", async () => {
  await using bed = await startWorld();
  await begin(bed, 3, []);
  const before = bed.etcd.hashed;
  for (let minute = 0; minute < 30; minute++) {
    bed.etcd.stop("e-2");
    await bed.pass(60);
  }
  const hashed = bed.etcd.hashed - before;
  assert.ok(hashed > 0 && hashed <= 15, `${hashed} hashes in half an hour`);
});

test("a hash that is never reported is requested less and less often", async () => {
  await using bed = await startWorld();
  await begin(bed, 3, []);
  bed.etcd.mute.add("e-1");
  const { memberId } = bed.etcd.processes.get("e-2")?.disk ?? {};
  for (const disk of bed.kubelet.disks.values()) if (disk.memberId === memberId) disk.isBroken = true;
  bed.etcd.stop("e-2");
  await bed.until((now) => condition(now, "Degraded")?.reason === "DataUncompared", "a refusal");
  const before = bed.etcd.hashed;
  await bed.pass(3_600);
  const hashed = bed.etcd.hashed - before;
  assert.ok(hashed > 0 && hashed <= 12, `${hashed} hashes in an hour`);
});

test("an update continues while members can be neither added nor removed", async () => {
  await using bed = await startWorld();
  await begin(bed, 3, []);
  bed.etcd.mute.add("e-1");
  const isNew = (): boolean => [...bed.etcd.processes.values()].every(({ version }) => version === "3.7.3");
  await bed.world.apply(EtcdCluster, "e", { spec: { size: 5, version: "3.7.3" } });
  await bed.until(() => isNew() && bed.etcd.processes.size === 3, "three of the new version");
  bed.etcd.mute.clear();
  await isRight(bed);
});

test("five members in an update to a version with other hashes can become three", async () => {
  await using bed = await startWorld();
  await begin(bed, 5, []);
  bed.etcd.dialects.set("3.7.3", 10);
  await bed.world.apply(EtcdCluster, "e", { spec: { size: 5, version: "3.7.3" } });
  const news = (): number => [...bed.etcd.processes.values()].filter(({ version }) => version === "3.7.3").length;
  await bed.until(() => news() === 2, "two of the new version");
  await bed.world.apply(EtcdCluster, "e", { spec: { size: 3, version: "3.7.3" } });
  await isRight(bed, () => news() === 3);
});
