/** Processes that end as soon as they begin prove nothing about their data: nothing is put in its place. Those that lost it never begin anew. */
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

/** Disks are full, or the memory is too small: processes end, and end again as soon as they begin. Their data is as it was. */
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
  test(`${victims.length} of three crash again and again on good volumes: told, nothing replaced, well when mended`, async () => {
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

test("a volume and a pod that somebody deletes are given up, and the rest goes on", async () => {
  await using bed = await startWorld();
  await grown(bed);
  await setBroken(bed, ["e-0", "e-1"], true);
  await bed.until((now) => condition(now, "Degraded")?.reason === "QuorumLost", "a refusal");
  await bed.loseVolumes(["e-0", "e-1"]);
  const after = await bed.until((now) => now.status?.recovery?.phase === "Done" && isSettled(now), "a recovery");
  assert.equal(after.status?.recovery?.member, "e-2");
});

test("a member that crashed often in its life is given the same time as any other", async () => {
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

/** The folder of the data is emptied under the process; the volume stays, and the container starts again in the same pod. */
async function wipe(bed: EtcdWorld, members: readonly string[]): Promise<void> {
  for (const member of members) bed.etcd.stop(member);
  for (const member of members) {
    const claim = await bed.world.get(PersistentVolumeClaim, `data-${member}`);
    bed.kubelet.disks.set(claim?.metadata.uid ?? "", { memberId: "", clusterId: "", isBroken: false });
  }
}

test("no member keeps what it was told for its beginning, and none is started twice for that", async () => {
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
  test(`${victim} loses its data and restarts: it does not vote without its memory, and another takes its place`, async () => {
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

test("all stop, and the first comes back without its data: no second cluster, the others go on", async () => {
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
