/** Processes that crash at the start prove nothing about their data, so it is not replaced. Those that lost it never bootstrap again. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Event } from "capstan/kinds/events.k8s.io/v1";
import { PersistentVolumeClaim, Pod } from "capstan/kinds/v1";
import { EtcdCluster } from "../../src/kinds/index.ts";
import { BOOT_ANNOTATION } from "../../src/pods/index.ts";
import { condition, isSettled, startWorld } from "./world.ts";
import type { ClusterObject, EtcdWorld } from "./world.ts";

const spec = { size: 3, version: "3.6.16", tls: { mode: "Off" } } as const;
const backup = { store: { volume: { claim: "b" } }, schedule: "0 * * * *" };

async function grown(bed: EtcdWorld, more: object = {}): Promise<ClusterObject> {
  await bed.world.apply(EtcdCluster, "e", { spec: { ...spec, ...more } });
  return await bed.until(isSettled, "a settled cluster");
}

/** A full disk or too little memory: processes crash, and crash again after each start. Their data is unchanged. */
async function setBroken(bed: EtcdWorld, members: readonly string[], isBroken: boolean): Promise<void> {
  for (const member of members) {
    const claim = await bed.world.get(PersistentVolumeClaim, `data-${member}`);
    const disk = bed.kubelet.disks.get(claim?.metadata.uid ?? "");
    assert.ok(disk, `${member} has a disk`);
    disk.isBroken = isBroken;
    if (isBroken) bed.etcd.stop(member);
  }
}

async function claimsOf({ world }: EtcdWorld): Promise<readonly { name: string; isLeaving: boolean }[]> {
  const claims = await world.list(PersistentVolumeClaim);
  return claims.map(({ metadata }) => ({
    name: metadata.name,
    isLeaving: metadata.deletionTimestamp !== undefined,
  }));
}

for (const victims of [
  ["e-0", "e-1"],
  ["e-0", "e-1", "e-2"],
]) {
  test(`${victims.length} of three in crash loops with good volumes are not replaced`, async () => {
    await using bed = await startWorld();
    const before = await grown(bed, { backup });
    await setBroken(bed, victims, true);
    const told = await bed.until((now) => condition(now, "Degraded")?.reason === "QuorumLost", "a refusal");
    const sentence = condition(told, "Degraded")?.message ?? "";
    for (const victim of victims) assert.match(sentence, new RegExp(`${victim} does not start: CrashLoopBackOff`, "u"));
    assert.match(sentence, /mend what keeps .* from starting.*delete its volume and its pod/u);
    await bed.pass(60);
    assert.equal((await bed.cluster()).status?.recovery, undefined);
    assert.ok((await claimsOf(bed)).every(({ isLeaving }) => !isLeaving));
    await setBroken(bed, victims, false);
    const after = await bed.until((now) => isSettled(now) && bed.etcd.processes.size === 3, "three again");
    assert.equal(after.status?.clusterId, before.status?.clusterId);
    // As soon as two serve, the third may be replaced: it was away for longer than `replaceAfter`.
    const old = new Set(before.status?.members?.map(({ id }) => id));
    assert.ok((after.status?.members?.filter(({ id }) => old.has(id)).length ?? 0) >= 2);
    assert.equal(after.status?.recovery, undefined);
  });
}

test("a member without volume and pod is removed, and the others continue", async () => {
  await using bed = await startWorld();
  await grown(bed);
  await setBroken(bed, ["e-0", "e-1"], true);
  await bed.until((now) => condition(now, "Degraded")?.reason === "QuorumLost", "a refusal");
  await bed.loseVolumes(["e-0", "e-1"]);
  const after = await bed.until((now) => now.status?.recovery?.phase === "Done" && isSettled(now), "a recovery");
  assert.equal(after.status?.recovery?.member, "e-2");
});

test("a member that crashed often before gets the same time as any other", async () => {
  await using bed = await startWorld();
  const before = await grown(bed);
  for (let crash = 0; crash < 6; crash++) {
    bed.etcd.stop("e-1");
    await bed.until(isSettled, "it to come back");
    await bed.pass(5);
  }
  const restarts = (await bed.world.get(Pod, "e-1"))?.status?.containerStatuses?.[0]?.restartCount ?? 0;
  assert.ok(restarts >= 5, `${restarts} restarts`);
  await setBroken(bed, ["e-1"], true);
  await bed.pass(240);
  await setBroken(bed, ["e-1"], false);
  const after = await bed.until(isSettled, "it to come back once more");
  assert.deepEqual(
    after.status?.members?.map(({ name }) => name),
    before.status?.members?.map(({ name }) => name),
  );
  await setBroken(bed, ["e-1"], true);
  await bed.until(({ status }) => status?.members?.every(({ name }) => name !== "e-1") === true, "a replacement");
});

/** Empties the data folder under the process; the volume stays, and the container restarts in the same pod. */
async function wipe(bed: EtcdWorld, members: readonly string[]): Promise<void> {
  for (const member of members) bed.etcd.stop(member);
  for (const member of members) {
    const claim = await bed.world.get(PersistentVolumeClaim, `data-${member}`);
    bed.kubelet.disks.set(claim?.metadata.uid ?? "", { memberId: "", clusterId: "", isBroken: false });
  }
}

test("every member drops its bootstrap flags, without an extra restart", async () => {
  await using bed = await startWorld();
  await grown(bed);
  const pods = await bed.world.list(Pod);
  assert.deepEqual(
    pods.map(({ metadata }) => metadata.annotations?.[BOOT_ANNOTATION]),
    ["live", "live", "live"],
  );
  const started = (await bed.world.list(Event)).filter(({ reason }) => reason === "MemberStarted");
  assert.equal(started.length, 3);
});

for (const victim of ["e-0", "e-1"]) {
  test(`${victim} loses its data and restarts: it does not vote and is replaced`, async () => {
    await using bed = await startWorld();
    const before = await grown(bed);
    await wipe(bed, [victim]);
    const after = await bed.until(
      (now) => isSettled(now) && now.status?.members?.every(({ name }) => name !== victim) === true,
      "a replacement",
    );
    assert.equal(after.status?.clusterId, before.status?.clusterId);
    assert.equal(bed.etcd.clusters.size, 1);
  });
}

test("a first member that restarts without data does not become a second cluster", async () => {
  await using bed = await startWorld();
  const before = await grown(bed);
  await setBroken(bed, ["e-1", "e-2"], true);
  await wipe(bed, ["e-0"]);
  await bed.pass(30);
  assert.equal(bed.etcd.processes.size, 0, "nobody serves an empty cluster");
  await setBroken(bed, ["e-1", "e-2"], false);
  const after = await bed.until((now) => isSettled(now) && bed.etcd.processes.size === 3, "three again");
  assert.equal(after.status?.clusterId, before.status?.clusterId);
  assert.equal(after.status?.recovery, undefined);
});
