/**
 * The objects of a cluster of three, byte for byte as the first installable operator wrote them: its pods have bootstrap flags, and its
 * status lacks later fields. Today's operator adopts them unchanged, and works on them.
 */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { PodDisruptionBudget } from "capstan/kinds/policy/v1";
import { PersistentVolumeClaim, Pod, Service } from "capstan/kinds/v1";
import { EtcdCluster } from "../../src/kinds/index.ts";
import type { Disk } from "../world/etcd.ts";
import { isSettled, startWorld } from "../world/world.ts";
import type { EtcdWorld } from "../world/world.ts";

type ScriptedCluster = NonNullable<ReturnType<EtcdWorld["etcd"]["clusters"]["get"]>>;

interface Written {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly uid: string };
  readonly spec: object;
  readonly status?: object;
}

interface Before {
  readonly objects: readonly Written[];
  readonly cluster: ScriptedCluster;
  /** The data of the volumes, by the uid of their claims. */
  readonly disks: { readonly [claim: string]: Disk };
}

const KINDS = { EtcdCluster, Service, PodDisruptionBudget, PersistentVolumeClaim, Pod };

async function readBefore(): Promise<string> {
  return await readFile(join(import.meta.dirname, "objects-before.json"), "utf8");
}

/** A world with the objects of the old operator, which is gone. The server assigns uids, so they differ here. */
async function startBefore(): Promise<EtcdWorld> {
  const bed = await startWorld();
  await bed.world.crash();
  let text = await readBefore();
  const count = (JSON.parse(text) as Before).objects.length;
  for (let at = 0; at < count; at++) {
    const { objects, disks } = JSON.parse(text) as Before;
    const object = objects[at] ?? assert.fail();
    const { uid } = object.metadata;
    const stored = await put(bed, object);
    const disk = disks[uid];
    if (disk !== undefined) bed.kubelet.disks.set(stored, disk);
    text = text.replaceAll(uid, stored);
  }
  const { cluster } = JSON.parse(text) as Before;
  bed.etcd.clusters.set(cluster.id, cluster);
  await bed.kubelet.turn();
  await bed.kubelet.turn();
  return bed;
}

/** Returns the object's uid in this world. */
async function put({ world }: EtcdWorld, { kind, metadata: { uid: _uid, ...metadata }, spec, status }: Written) {
  const of = KINDS[kind as keyof typeof KINDS] as typeof Pod;
  const { metadata: made } = await world.apply(of, metadata.name, { metadata, spec } as object);
  if (status !== undefined) await world.applyStatus(of, metadata.name, status as object);
  return made.uid;
}

async function uidsOf(
  { world }: EtcdWorld,
  kind: typeof Pod | typeof PersistentVolumeClaim,
): Promise<readonly string[]> {
  return (await world.list(kind as typeof Pod)).map(({ metadata }) => metadata.uid).toSorted();
}

test("the objects of the first operator are adopted without a restart", async () => {
  await using bed = await startBefore();
  assert.equal(bed.etcd.processes.size, 3, "the members run before today's operator does");
  const [pods, claims, asked] = [await uidsOf(bed, Pod), await uidsOf(bed, PersistentVolumeClaim), bed.etcd.log.length];
  bed.world.restart();
  await bed.pass(120);
  const cluster = await bed.until(isSettled, "nothing to do");
  assert.deepEqual([await uidsOf(bed, Pod), await uidsOf(bed, PersistentVolumeClaim)], [pods, claims]);
  assert.equal(bed.etcd.log.length, asked, "etcd was asked for no change");
  assert.equal(cluster.status?.clusterId, "d1");
  const told = (cluster.status?.conditions ?? []).filter(({ type }) => type === "Available" || type === "Degraded");
  assert.deepEqual(told.map(({ type, status }) => `${type} ${status}`).toSorted(), [
    "Available True",
    "Degraded False",
  ]);
});

test("the adopted cluster is repaired, scaled and updated as the same cluster", async () => {
  await using bed = await startBefore();
  bed.world.restart();
  await bed.until(isSettled, "nothing to do");
  await bed.world.delete(Pod, "e-0");
  await bed.until(
    (now) => isSettled(now) && bed.etcd.processes.size === 3,
    "the first member, which began the cluster",
  );
  const claim = await bed.world.get(PersistentVolumeClaim, "data-e-1");
  Object.assign(bed.kubelet.disks.get(claim?.metadata.uid ?? "") ?? {}, { isBroken: true });
  bed.etcd.stop("e-1");
  await bed.until(({ status }) => status?.members?.some(({ name }) => name === "e-3") === true, "a replacement");
  for (const change of [{ size: 5 }, { size: 5, version: "3.7.3" }, { size: 0 }, { size: 5 }]) {
    await bed.world.apply(EtcdCluster, "e", { spec: { version: "3.6.16", tls: { mode: "Off" }, ...change } });
    const now = await bed.until(isSettled, JSON.stringify(change));
    assert.equal(now.status?.clusterId, "d1");
  }
  assert.equal(bed.etcd.clusters.size, 1);
});
