import assert from "node:assert/strict";
import { test } from "node:test";
import { Event } from "capstan/kinds/events.k8s.io/v1";
import { StorageClass } from "capstan/kinds/storage.k8s.io/v1";
import { PersistentVolumeClaim } from "capstan/kinds/v1";
import { EtcdBackup, EtcdCluster, EtcdOperation } from "../../src/kinds/index.ts";
import { condition, isSettled, startWorld } from "./world.ts";
import type { ClusterObject, EtcdWorld } from "./world.ts";

const tls = { mode: "Off" } as const;
const base = { size: 3, version: "3.6.16", tls };

async function grown(bed: EtcdWorld, spec: object = {}): Promise<ClusterObject> {
  await bed.world.apply(EtcdCluster, "e", { spec: { ...base, ...spec } });
  return await bed.until(isSettled, "a settled cluster");
}

function defragmented({ etcd }: EtcdWorld): string[] {
  return etcd.log.filter((line) => line.startsWith("defragment")).map((line) => line.slice("defragment ".length));
}

/** Waits for the end of an operation. */
async function ended(bed: EtcdWorld, name: string): Promise<string | undefined> {
  for (let second = 0; second < 300; second++) {
    const phase = (await bed.world.get(EtcdOperation, name))?.status?.phase;
    if (phase !== undefined && phase !== "Running" && phase !== "Pending") return phase;
    await bed.pass(1);
  }
  return undefined;
}

test("members are defragmented by schedule, followers first, the leader last", async () => {
  await using bed = await startWorld();
  const { status } = await grown(bed, { maintenance: { defragment: { schedule: "*/4 * * * *" } } });
  const before = defragmented(bed).length;
  await bed.until((now) => now.status?.defragmentation?.left.length === 0, "a whole round");
  const round = defragmented(bed).slice(before);
  assert.deepEqual(round.toSorted(), ["e-0", "e-1", "e-2"]);
  assert.equal(round.at(-1), status?.leader);
  await bed.pass(60);
  assert.equal(defragmented(bed).length, before + 3);
  const first = (await bed.cluster()).status?.defragmentation?.began;
  await bed.until(
    ({ status: now }) => now?.defragmentation?.began !== first && now?.defragmentation?.left.length === 0,
    "the next round",
  );
  assert.equal(defragmented(bed).length, before + 6);
});

test("an invalid schedule that has the right form is reported", async () => {
  await using bed = await startWorld();
  const { status } = await grown(bed, { maintenance: { defragment: { schedule: "61 * * * *" } } });
  assert.match(JSON.stringify(status?.advice), /61 \* \* \* \*.* is no schedule/u);
  await assert.rejects(grown(bed, { maintenance: { defragment: { schedule: "nightly" } } }), /should match/u);
});

test("volumes smaller than the quota are reported before they are full", async () => {
  await using bed = await startWorld();
  const small = await grown(bed, { profile: "large", storage: { size: "1Gi" } });
  assert.match(JSON.stringify(small.status?.advice), /smaller than the quota/u);
  const options = { "quota-backend-bytes": "500000000" };
  const fitting = await grown(bed, { profile: "large", storage: { size: "1Gi" }, options });
  assert.doesNotMatch(JSON.stringify(fitting.status?.advice), /smaller than the quota/u);
});

const littleRoom = { "quota-backend-bytes": "20000" };

/** A cluster that can be filled. */
async function withLittleRoom(bed: EtcdWorld): Promise<{ fill(): void; alarms(): readonly unknown[] }> {
  await grown(bed, { options: littleRoom });
  const [cluster] = bed.etcd.clusters.values();
  const [member] = cluster?.members ?? [];
  assert.ok(cluster && member);
  return {
    fill: () => void cluster.alarms.push({ memberId: member.id, kind: "NoSpace" }),
    alarms: () => cluster.alarms,
  };
}

test("a full database does not block a defragmentation due in the same reconcile", async () => {
  await using bed = await startWorld();
  const room = await withLittleRoom(bed);
  await bed.pass(300);
  room.fill();
  const maintenance = { defragment: { schedule: "*/4 * * * *" } };
  await bed.world.apply(EtcdCluster, "e", { spec: { ...base, options: littleRoom, maintenance } });
  const done = await bed.until(({ status }) => status?.defragmentation?.left.length === 0, "a whole round");
  assert.ok(done.status?.exhausted);
  const events = await bed.world.list(Event);
  assert.deepEqual(
    events.filter(({ reason }) => reason === "Refused").map(({ note }) => note),
    [],
  );
});

test("a database full of live data is not defragmented over and over", async () => {
  await using bed = await startWorld();
  const room = await withLittleRoom(bed);
  const before = defragmented(bed).length;
  room.fill();
  const told = await bed.until((now) => now.status?.exhausted !== undefined, "the remark that there is no room");
  assert.equal(told.status?.exhausted?.quota, 20_000);
  assert.match(JSON.stringify(told.status?.advice), /80% of its quota/u);
  await bed.pass(300);
  assert.equal(defragmented(bed).length, before + 3, "each member once");
  await bed.world.apply(EtcdCluster, "e", { spec: { ...base, options: { "quota-backend-bytes": "40000" } } });
  const mended = await bed.until((now) => isSettled(now) && now.status?.exhausted === undefined, "room");
  assert.deepEqual(room.alarms(), []);
  assert.doesNotMatch(JSON.stringify(mended.status?.advice), /quota/u);
});

test("operations defragment all members or one, and reject unknown members", async () => {
  await using bed = await startWorld();
  const { status } = await grown(bed);
  await bed.world.apply(EtcdOperation, "all", { spec: { cluster: "e", do: { defragment: {} } } });
  assert.equal(await ended(bed, "all"), "Succeeded");
  assert.deepEqual(defragmented(bed).toSorted(), ["e-0", "e-1", "e-2"]);
  assert.equal(defragmented(bed).at(-1), status?.leader);
  await bed.world.apply(EtcdOperation, "one", { spec: { cluster: "e", do: { defragment: { member: "e-1" } } } });
  assert.equal(await ended(bed, "one"), "Succeeded");
  assert.deepEqual(defragmented(bed).slice(3), ["e-1"]);
  await bed.world.apply(EtcdOperation, "none", { spec: { cluster: "e", do: { defragment: { member: "e-7" } } } });
  assert.equal(await ended(bed, "none"), "Rejected");
});

test("an operation takes a snapshot as an EtcdBackup, and expires", async () => {
  await using bed = await startWorld();
  await grown(bed, { backup: { store: { volume: { claim: "backups" } }, schedule: "0 3 1 1 *" } });
  const spec = { cluster: "e", do: { snapshot: { backup: "e" } }, ttl: "5m" };
  await bed.world.apply(EtcdOperation, "now", { spec });
  assert.equal(await ended(bed, "now"), "Succeeded");
  const made = await bed.world.get(EtcdBackup, "now-snapshot");
  assert.equal(made?.status?.last?.version, "3.6.16");
  assert.equal(made?.spec.schedule, undefined);
  await bed.pass(310);
  assert.equal(await bed.world.get(EtcdOperation, "now"), undefined);
  assert.ok(await bed.world.get(EtcdBackup, "now-snapshot"), "the backup outlives the operation");
  // The same name again, a day later: another snapshot.
  await bed.world.apply(EtcdOperation, "now", { spec });
  assert.equal(await ended(bed, "now"), "Succeeded");
  assert.equal(bed.kubelet.store.backups.size, 2);
  await bed.world.apply(EtcdBackup, "other", { spec: { cluster: "f", store: { volume: { claim: "backups" } } } });
  await bed.world.apply(EtcdOperation, "foreign", { spec: { ...spec, do: { snapshot: { backup: "other" } } } });
  assert.equal(await ended(bed, "foreign"), "Rejected");
  await bed.world.apply(EtcdOperation, "nothing", { spec: { ...spec, do: { snapshot: { backup: "nobody" } } } });
  assert.equal(await ended(bed, "nothing"), "Rejected");
});

test("an operation with a failed snapshot reports the reason", async () => {
  await using bed = await startWorld();
  bed.kubelet.store.refusal = "the bucket is gone";
  await grown(bed, { backup: { store: { volume: { claim: "backups" } }, schedule: "0 3 1 1 *" } });
  await bed.world.apply(EtcdOperation, "now", { spec: { cluster: "e", do: { snapshot: { backup: "e" } } } });
  assert.equal(await ended(bed, "now"), "Failed");
  assert.match((await bed.world.get(EtcdOperation, "now"))?.status?.message ?? "", /the bucket is gone/u);
});

const classOf = (allowVolumeExpansion: boolean) => ({ provisioner: "example.com/disks", allowVolumeExpansion });

async function sizes({ world }: EtcdWorld) {
  return (await world.list(PersistentVolumeClaim)).map(({ spec }) => spec?.resources?.requests?.["storage"]);
}

test("volumes grow in place, and new members get the new size", async () => {
  await using bed = await startWorld();
  await bed.world.apply(StorageClass, "disks", classOf(true));
  const storage = { className: "disks", size: "8Gi" };
  await grown(bed, { storage });
  const uids = async () => (await bed.world.list(PersistentVolumeClaim)).map(({ metadata }) => metadata.uid);
  const before = await uids();
  await grown(bed, { storage: { ...storage, size: "10Gi" } });
  assert.deepEqual(await uids(), before);
  assert.deepEqual(await sizes(bed), ["10Gi", "10Gi", "10Gi"]);
  await grown(bed, { size: 4, storage: { ...storage, size: "10Gi" } });
  assert.deepEqual(await sizes(bed), ["10Gi", "10Gi", "10Gi", "10Gi"]);
});

test("volumes that cannot grow are reported, and grow when their class allows it", async () => {
  await using bed = await startWorld();
  await bed.world.apply(StorageClass, "disks", classOf(false));
  const storage = { className: "disks", size: "8Gi" };
  await grown(bed, { storage });
  await bed.world.apply(EtcdCluster, "e", { spec: { ...base, size: 4, storage: { ...storage, size: "10Gi" } } });
  const told = await bed.until((now) => now.status?.ready === 4, "a fourth member");
  assert.deepEqual(await sizes(bed), ["8Gi", "8Gi", "8Gi", "10Gi"]);
  assert.equal(condition(told, "Degraded")?.reason, "VolumeRejected");
  assert.match(condition(told, "Degraded")?.message ?? "", /must support resize/u);
  await bed.world.apply(StorageClass, "disks", classOf(true));
  const mended = await bed.until((now) => condition(now, "Degraded")?.status === "False", "larger volumes");
  assert.deepEqual(await sizes(bed), ["10Gi", "10Gi", "10Gi", "10Gi"]);
  assert.equal(mended.status?.growthRefused, undefined);
});

test("a volume grows also while its member is down", async () => {
  await using bed = await startWorld();
  await bed.world.apply(StorageClass, "disks", classOf(true));
  const storage = { className: "disks", size: "8Gi" };
  await grown(bed, { storage });
  const [claim] = await bed.world.list(PersistentVolumeClaim);
  const disk = bed.kubelet.disks.get(claim?.metadata.uid ?? "");
  assert.ok(disk);
  disk.isBroken = true;
  bed.etcd.stop("e-0");
  await bed.world.apply(EtcdCluster, "e", { spec: { ...base, storage: { ...storage, size: "10Gi" } } });
  await bed.pass(20);
  assert.deepEqual(await sizes(bed), ["10Gi", "10Gi", "10Gi"]);
});

test("volumes have no owner with onDelete Retain, and else belong to the cluster", async () => {
  for (const onDelete of ["Retain", "Delete"] as const) {
    await using bed = await startWorld();
    await grown(bed, { storage: { onDelete } });
    const owners = (await bed.world.list(PersistentVolumeClaim)).map(({ metadata }) => metadata.ownerReferences ?? []);
    assert.deepEqual(
      owners.map((references) => references.map(({ kind }) => kind)),
      onDelete === "Retain" ? [[], [], []] : [["EtcdCluster"], ["EtcdCluster"], ["EtcdCluster"]],
    );
    if (onDelete === "Delete") continue;
    await bed.world.delete(EtcdCluster, "e");
    await bed.world.advance("1m");
    const left = await bed.world.list(PersistentVolumeClaim);
    assert.equal(left.filter(({ metadata }) => metadata.deletionTimestamp === undefined).length, 3);
  }
});
