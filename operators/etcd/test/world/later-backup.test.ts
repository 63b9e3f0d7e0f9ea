/**
 * Quorum is lost, one copy is left, and a backup is newer: the operator chooses what loses least, and loses nothing if the backup is
 * damaged.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { EtcdBackup, EtcdCluster } from "../../src/kinds/index.ts";
import { crashPoints } from "./crash-points.ts";
import { condition, isSettled, startWorld } from "./world.ts";
import type { ClusterObject, EtcdWorld } from "./world.ts";

const store = { volume: { claim: "b" } } as const;
const spec = { size: 3, version: "3.6.16", tls: { mode: "Off" }, recovery: { replaceAfter: "1m" } } as const;
const without = { ...spec, recovery: { ...spec.recovery, fromBackup: false } } as const;

async function grown(bed: EtcdWorld, of: object = spec): Promise<ClusterObject> {
  await bed.world.apply(EtcdCluster, "e", { spec: { ...spec, ...of } });
  return await bed.until(isSettled, "a settled cluster");
}

function dataOf({ etcd }: EtcdWorld, { status }: ClusterObject) {
  const cluster = etcd.clusters.get(status?.clusterId ?? "");
  assert.ok(cluster);
  return cluster;
}

/** Makes a backup at a revision; returns its name in the store. */
async function backUp(bed: EtcdWorld, name: string, revision: number): Promise<string> {
  dataOf(bed, await bed.cluster()).revision = revision;
  await bed.world.apply(EtcdBackup, name, { spec: { cluster: "e", store } });
  for (let second = 0; second < 300; second++) {
    const last = (await bed.world.get(EtcdBackup, name))?.status?.last;
    if (last !== undefined) return last.name;
    await bed.pass(1);
  }
  assert.fail("no backup was made");
}

/** All but the first of these are lost. The data of the first ends at a revision: it was cut off for a while. */
async function leave(bed: EtcdWorld, revision: number, [, ...lost]: readonly string[] = ["e-0", "e-1", "e-2"]) {
  dataOf(bed, await bed.cluster()).revision = revision;
  await bed.loseVolumes(lost);
}

const isOver = (now: ClusterObject): boolean => now.status?.recovery?.phase === "Done" && isSettled(now);

test("a backup newer than the remaining copy is restored, and the status compares both", async () => {
  await using bed = await startWorld();
  const before = await grown(bed);
  const backup = await backUp(bed, "first", 200);
  await leave(bed, 100);
  const after = await bed.until(isOver, "three again");
  const { source, from, mayBeLost = "", reason = "", revision } = after.status?.recovery ?? {};
  assert.deepEqual([source, from?.backup, revision], ["Backup", backup, 200]);
  assert.match(
    reason,
    /e-0 is left with revision 100, and the backup .*r200.* all of that and more.*fromBackup: false/u,
  );
  assert.match(mayBeLost, /writes after revision 200.*e-0 would have lost those after revision 100/u);
  assert.notEqual(after.status?.clusterId, before.status?.clusterId);
  assert.ok(dataOf(bed, after).revision > 1_000_000_000, "clients do not see revisions fall");
  assert.ok(!bed.etcd.log.some((line) => line.startsWith("alone")));
});

test("a copy as new as the backup continues, and so does any copy without backups", async () => {
  await using bed = await startWorld();
  await grown(bed);
  await backUp(bed, "first", 200);
  await leave(bed, 200);
  const after = await bed.until(isOver, "three again");
  assert.equal(after.status?.recovery?.source, "Member");
  assert.doesNotMatch(after.status?.recovery?.mayBeLost ?? "", /backup/u);
  await using other = await startWorld();
  await grown(other, without);
  await backUp(other, "first", 200);
  await leave(other, 100);
  const { status } = await other.until(isOver, "three again");
  assert.deepEqual([status?.recovery?.source, status?.recovery?.member], ["Member", "e-0"]);
  assert.match(status?.recovery?.mayBeLost ?? "", /the backup .*r200.* later than that: an EtcdRestore/u);
});

test("if the backup is damaged, the remaining copy continues and loses nothing", async () => {
  await using bed = await startWorld();
  const before = await grown(bed);
  const backup = await backUp(bed, "first", 200);
  bed.kubelet.store.broken.add(backup);
  await leave(bed, 100);
  const after = await bed.until(isOver, "three again");
  const { source, member, passed = [] } = after.status?.recovery ?? {};
  assert.deepEqual([source, member, passed.map((one) => one.backup)], ["Member", "e-0", [backup]]);
  assert.equal(after.status?.clusterId, before.status?.clusterId);
  assert.equal(dataOf(bed, after).revision, 100);
});

test("if the backup is damaged, an older one that is newer than the copy is used", async () => {
  await using bed = await startWorld();
  await grown(bed);
  const older = await backUp(bed, "first", 150);
  const newest = await backUp(bed, "second", 200);
  bed.kubelet.store.broken.add(newest);
  await leave(bed, 100);
  const after = await bed.until(isOver, "three again");
  const { from, passed = [] } = after.status?.recovery ?? {};
  assert.deepEqual([from?.backup, passed.map((one) => one.backup)], [older, [newest]]);
});

test("an unavailable store is waited for, unless a user overrides it", async () => {
  await using bed = await startWorld();
  const before = await grown(bed);
  await backUp(bed, "first", 200);
  bed.kubelet.store.refusal = "no route";
  await leave(bed, 100);
  const told = await bed.until((now) => condition(now, "Degraded")?.reason === "QuorumLost", "a refusal");
  assert.match(condition(told, "Degraded")?.message ?? "", /no route.*fromBackup to false.*left of e-0/u);
  await bed.pass(600);
  assert.equal((await bed.cluster()).status?.recovery?.phase, "Seeding");
  await bed.world.apply(EtcdCluster, "e", { spec: without });
  const after = await bed.until(isOver, "three again");
  assert.deepEqual([after.status?.recovery?.source, after.status?.recovery?.member], ["Member", "e-0"]);
  assert.equal(after.status?.clusterId, before.status?.clusterId);
});

test("revisions from before a member continued alone are not compared", async () => {
  await using bed = await startWorld();
  await grown(bed, without);
  await backUp(bed, "before", 200);
  await leave(bed, 100);
  const alone = await bed.until(isOver, "three again");
  assert.equal(alone.status?.forks, 1);
  await bed.world.apply(EtcdCluster, "e", { spec });
  await bed.until(isSettled, "three");
  const names = alone.status?.members?.map(({ name }) => name) ?? [];
  await leave(bed, 150, names);
  const again = await bed.until((now) => isOver(now) && now.status?.forks === 2, "three once more");
  assert.equal(again.status?.recovery?.source, "Member");
  const since = await backUp(bed, "since", 160);
  await bed.loseVolumes(again.status?.members?.map(({ name }) => name) ?? []);
  const last = await bed.until((now) => isOver(now) && now.status?.recovery?.source === "Backup", "a backup");
  assert.equal(last.status?.recovery?.from?.backup, since);
});

test("a later backup with lower revisions is not restored: the copy continues", async () => {
  await using bed = await startWorld();
  await grown(bed);
  await backUp(bed, "before", 200);
  await backUp(bed, "since", 120);
  await leave(bed, 150);
  const after = await bed.until(isOver, "three again");
  assert.equal(after.status?.recovery?.source, "Member");
  assert.match(after.status?.recovery?.mayBeLost ?? "", /not for certain all of it .*made after it has less/u);
});

test("the remaining copy continues where data differed before", async () => {
  await using bed = await startWorld();
  await grown(bed, { size: 2 });
  bed.etcd.hashes.set("e-1", 2);
  await bed.world.advance("1h");
  await bed.until((now) => condition(now, "Degraded")?.reason === "DataDiffers", "a dispute");
  await backUp(bed, "wrong", 200);
  await leave(bed, 199, ["e-0", "e-1"]);
  const after = await bed.until((now) => now.status?.recovery?.phase === "Done", "one goes on");
  assert.deepEqual([after.status?.recovery?.source, after.status?.recovery?.member], ["Member", "e-0"]);
});

/** The whole run, with an operator that crashes before one of its writes. Returns the number of writes. */
async function play({ isBroken, death }: { readonly isBroken: boolean; readonly death: number }): Promise<number> {
  await using bed = await startWorld();
  await grown(bed, { recovery: { replaceAfter: "5s" } });
  const backup = await backUp(bed, "first", 200);
  if (isBroken) bed.kubelet.store.broken.add(backup);
  const written = bed.world.writes.length;
  bed.world.crashBeforeWrite(death);
  await leave(bed, 100);
  const after = await bed.until(isOver, "three again");
  assert.equal(after.status?.recovery?.source, isBroken ? "Member" : "Backup");
  assert.equal(after.status?.forks, isBroken ? 1 : 0);
  return bed.world.writes.length - written;
}

for (const isBroken of [false, true]) {
  test(`a recovery with ${isBroken ? "a broken" : "a good"} newer backup ends the same with a crash before any write`, async () => {
    const writes = await play({ isBroken, death: Number.MAX_SAFE_INTEGER });
    for (const death of crashPoints(writes)) await play({ isBroken, death });
  });
}
