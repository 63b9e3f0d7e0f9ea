/** Restores in place: exactly the backup that was checked, and the old data if the restore fails. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { PersistentVolumeClaim } from "capstan/kinds/v1";
import { EtcdBackup, EtcdCluster, EtcdRestore } from "../../src/kinds/index.ts";
import { crashPoints } from "./crash-points.ts";
import { isSettled, startWorld } from "./world.ts";
import type { ClusterObject, EtcdWorld } from "./world.ts";

const store = { volume: { claim: "b" } } as const;
const spec = { size: 3, version: "3.6.16", tls: { mode: "Off" }, recovery: { replaceAfter: "1m" } } as const;

async function grown(bed: EtcdWorld, more: object = {}): Promise<ClusterObject> {
  await bed.world.apply(EtcdCluster, "e", { spec: { ...spec, ...more } });
  return await bed.until(isSettled, "a settled cluster");
}

/** Lets time pass until the other objects satisfy a condition. */
async function wait<T>(bed: EtcdWorld, look: () => Promise<T | undefined>, what: string): Promise<T> {
  for (let second = 0; second < 3_600; second++) {
    const seen = await look();
    if (seen !== undefined) return seen;
    await bed.pass(1);
  }
  assert.fail(`${what} did not come about: ${JSON.stringify((await bed.cluster()).status, undefined, 1)}`);
}

/** Makes a backup; returns its name in the store. */
async function backUp(bed: EtcdWorld, name: string, more: object = {}): Promise<string> {
  await bed.world.apply(EtcdBackup, name, { spec: { cluster: "e", store, ...more } });
  return await wait(bed, async () => (await bed.world.get(EtcdBackup, name))?.status?.last?.name, "a backup");
}

async function ask(bed: EtcdWorld, backup?: string): Promise<void> {
  const named = backup === undefined ? {} : { backup };
  await bed.world.apply(EtcdRestore, "r", { spec: { cluster: "e", overwrite: "e", store, ...named } });
}

function restoreIn(bed: EtcdWorld, phase: string) {
  return wait(
    bed,
    async () => {
      const restore = await bed.world.get(EtcdRestore, "r");
      return restore?.status?.phase === phase ? restore.status : undefined;
    },
    `a restore that is ${phase}`,
  );
}

function revisionOf({ etcd }: EtcdWorld, { status }: ClusterObject): number {
  return etcd.clusters.get(status?.clusterId ?? "")?.revision ?? 0;
}

const idsOf = ({ status }: ClusterObject) => status?.members?.map(({ name, id }) => `${name} ${id}`);

/** Claims that are not being deleted. */
async function claimsOf({ world }: EtcdWorld): Promise<readonly string[]> {
  const claims = await world.list(PersistentVolumeClaim);
  return claims.flatMap(({ metadata }) => (metadata.deletionTimestamp === undefined ? [metadata.name] : []));
}

test("the checked backup replaces all data, and revisions do not go back", async () => {
  await using bed = await startWorld();
  const before = await grown(bed);
  const checked = await backUp(bed, "first");
  await ask(bed);
  await restoreIn(bed, "Running");
  const { backups } = bed.kubelet.store;
  const [manifest] = backups.values();
  assert.ok(manifest);
  backups.set("newer", { ...manifest, name: "newer" });
  await restoreIn(bed, "Succeeded");
  const after = await bed.until(isSettled, "three again");
  assert.equal(after.status?.recovery?.from?.backup, checked);
  assert.notEqual(after.status?.clusterId, before.status?.clusterId);
  const seen = revisionOf(bed, after);
  assert.ok(seen > 1_000_000_000, `revision ${seen}`);
  // The same backup once more: clients that have read since must not see a revision twice.
  await bed.world.delete(EtcdRestore, "r");
  await ask(bed, checked);
  await restoreIn(bed, "Succeeded");
  const again = await bed.until(isSettled, "three once more");
  assert.ok(revisionOf(bed, again) > seen);
});

test("a backup damaged after its check fails the restore, and the old data serves", async () => {
  await using bed = await startWorld();
  const before = await grown(bed);
  const claims = await claimsOf(bed);
  const checked = await backUp(bed, "first");
  await ask(bed);
  await restoreIn(bed, "Running");
  bed.kubelet.store.broken.add(checked);
  const { message } = await restoreIn(bed, "Failed");
  assert.match(message ?? "", /called off.*breaks off after 1 of 20000 bytes.*old data/u);
  const after = await bed.until((now) => isSettled(now) && bed.etcd.processes.size === 3, "three again");
  assert.equal(after.status?.clusterId, before.status?.clusterId);
  assert.deepEqual(idsOf(after), idsOf(before));
  assert.deepEqual([after.status?.recovery?.phase, after.status?.recovery?.mayBeLost], ["Refused", undefined]);
  assert.deepEqual(await claimsOf(bed), claims);
});

test("deleting an EtcdRestore before its backup serves cancels it", async () => {
  await using bed = await startWorld();
  const before = await grown(bed);
  const checked = await backUp(bed, "first");
  await ask(bed);
  await restoreIn(bed, "Running");
  bed.kubelet.store.refusal = "no route";
  await bed.until(({ status }) => status?.recovery?.phase === "Seeding", "everybody stopped");
  await bed.world.delete(EtcdRestore, "r");
  const after = await bed.until((now) => isSettled(now) && bed.etcd.processes.size === 3, "three again");
  assert.equal(after.status?.clusterId, before.status?.clusterId);
  assert.deepEqual(idsOf(after), idsOf(before));
  bed.kubelet.store.refusal = undefined;
  await ask(bed, checked);
  await restoreIn(bed, "Succeeded");
});

test("all volumes lost: the newest tried backup; an older one only by name", async () => {
  await using bed = await startWorld();
  await grown(bed);
  const older = await backUp(bed, "older");
  const newest = await backUp(bed, "newest");
  const untried = await backUp(bed, "untried", { verify: "restore" });
  assert.ok(untried > newest);
  bed.kubelet.store.broken.add(newest);
  await bed.loseVolumes(["e-0", "e-1", "e-2"]);
  const begun = await bed.until(({ status }) => status?.recovery?.phase === "Seeding", "a recovery");
  assert.equal(begun.status?.recovery?.from?.backup, newest);
  await bed.pass(1200);
  const waiting = await bed.cluster();
  const { recovery, conditions = [] } = waiting.status ?? {};
  assert.equal(recovery?.from?.backup, newest, "nothing older is taken");
  const degraded = conditions.filter(({ type, status }) => type === "Degraded" && status === "True");
  assert.match(degraded.map(({ message }) => message).join(), /breaks off after 1 of 20000 bytes.*EtcdRestore/u);
  await ask(bed, older);
  await restoreIn(bed, "Succeeded");
  const after = await bed.until(isSettled, "three again");
  assert.equal(after.status?.recovery?.from?.backup, older);
});

test("an unavailable store or a damaged last backup is waited for", async () => {
  await using bed = await startWorld();
  await grown(bed);
  const older = await backUp(bed, "older");
  const newest = await backUp(bed, "newest");
  bed.kubelet.store.refusal = "no route";
  await bed.loseVolumes(["e-0", "e-1", "e-2"]);
  await bed.until(({ status }) => status?.recovery?.phase === "Seeding", "a recovery");
  await bed.pass(600);
  const waiting = await bed.cluster();
  assert.deepEqual([waiting.status?.recovery?.phase, waiting.status?.recovery?.from?.backup], ["Seeding", newest]);
  // Now the backup is damaged, and the operator knows no other.
  await bed.world.delete(EtcdBackup, "older");
  bed.kubelet.store.broken.add(newest);
  bed.kubelet.store.refusal = undefined;
  await bed.pass(600);
  assert.equal((await bed.cluster()).status?.recovery?.from?.backup, newest, "there is nothing to go back to");
  await ask(bed, older);
  await restoreIn(bed, "Succeeded");
  const after = await bed.until(isSettled, "three again");
  assert.equal(after.status?.recovery?.from?.backup, older);
});

/** A restore in place of one member, with an operator that crashes before one of its writes. Returns the number of writes. */
async function play({ isBroken, death }: { readonly isBroken: boolean; readonly death: number }): Promise<number> {
  await using bed = await startWorld();
  const before = await grown(bed, { size: 1, recovery: { replaceAfter: "5s" } });
  const checked = await backUp(bed, "first");
  const written = bed.world.writes.length;
  bed.world.crashBeforeWrite(death);
  await ask(bed);
  await restoreIn(bed, "Running");
  if (isBroken) bed.kubelet.store.broken.add(checked);
  const end = isBroken ? "Failed" : "Succeeded";
  const { message } = await restoreIn(bed, end);
  const after = await bed.until((now) => isSettled(now) && bed.etcd.processes.size === 1, "one again");
  assert.equal(after.status?.clusterId === before.status?.clusterId, isBroken, message);
  assert.equal((await claimsOf(bed)).length, 1);
  return bed.world.writes.length - written;
}

for (const isBroken of [false, true]) {
  test(`a restore in place of ${isBroken ? "a broken" : "a good"} backup ends the same with a crash before any write`, async () => {
    const writes = await play({ isBroken, death: Number.MAX_SAFE_INTEGER });
    assert.ok(writes > 8, `${writes} writes`);
    for (const death of crashPoints(writes)) await play({ isBroken, death });
  });
}

test("a cluster that bootstraps from the newest backup reports its name", async () => {
  await using bed = await startWorld();
  const size = { bytes: 1, sha256: "0".repeat(64) };
  const part = { format: 2, time: "2026-01-01T00:00:00.000Z", member: "x-0", version: "3.6.16", revision: 7 } as const;
  const cluster = { namespace: "default", name: "x", clusterId: "c9" };
  const manifest = {
    ...part,
    name: "default/x/b",
    cluster,
    snapshot: size,
    stored: size,
    compression: "none",
  } as const;
  bed.kubelet.store.backups.set(manifest.name, manifest);
  const bootstrap = { store: { volume: { claim: "backups" } } };
  await bed.world.apply(EtcdCluster, "e", { spec: { size: 1, version: "3.6.16", bootstrap } });
  const born = await bed.until(isSettled, "one member");
  assert.equal(born.status?.bornFrom, "default/x/b");
});
