import assert from "node:assert/strict";
import { test } from "node:test";
import { PodDisruptionBudget } from "capstan/kinds/policy/v1";
import { PersistentVolumeClaim, Pod, Service } from "capstan/kinds/v1";
import { EtcdCluster } from "../../src/kinds/index.ts";
import { isSettled, startWorld } from "./world.ts";

test("size and version are a complete spec: three members, the usual Services", async () => {
  await using bed = await startWorld();
  await bed.world.apply(EtcdCluster, "e", { spec: { size: 3, version: "3.6.16" } });
  const cluster = await bed.until(isSettled, "a cluster of three");
  assert.deepEqual(
    cluster.status?.members?.map(({ name, role }) => [name, role]),
    [
      ["e-0", "Leader"],
      ["e-1", "Follower"],
      ["e-2", "Follower"],
    ],
  );
  assert.deepEqual((cluster.status?.conditions ?? []).map(({ type, status }) => `${type} ${status}`).toSorted(), [
    "Available True",
    "BackupReady False",
    "Degraded False",
    "Progressing False",
    "QuorumLost False",
    "TLSReady True",
    "Upgrading False",
  ]);
  for (const { id, version, lag, dbBytes, health } of cluster.status?.members ?? []) {
    assert.match(id ?? "", /^\w+$/u);
    assert.deepEqual([version, lag, dbBytes, health], ["3.6.16", 0, 2 ** 20, "Healthy"]);
  }
  assert.equal(cluster.status?.version, "3.6.16");
  assert.equal((await bed.world.get(Service, "e"))?.spec?.clusterIP, "None");
  assert.deepEqual(
    (await bed.world.get(Service, "e-client"))?.spec?.ports?.map(({ port }) => port),
    [2379],
  );
  assert.equal([...bed.etcd.clusters.keys()].length, 1);
});

test("a cluster is scaled, updated, hibernated and resumed, and keeps its identity", async () => {
  await using bed = await startWorld();
  const spec = { size: 3, version: "3.5.35" };
  await bed.world.apply(EtcdCluster, "e", { spec });
  const born = await bed.until(isSettled, "three");
  const versions = new Set<string>();
  for (const change of [
    { size: 5 },
    { size: 3 },
    { version: "3.7.3" },
    { options: { "snapshot-count": "5000" } },
    { size: 0 },
    { size: 3 },
  ]) {
    Object.assign(spec, change);
    await bed.world.apply(EtcdCluster, "e", { spec });
    const cluster = await bed.until((now) => {
      for (const { version } of bed.etcd.processes.values()) versions.add(version);
      return isSettled(now);
    }, JSON.stringify(change));
    assert.equal(cluster.status?.clusterId, born.status?.clusterId);
    assert.equal((await bed.world.list(Pod)).length, spec.size);
  }
  const end = await bed.cluster();
  assert.equal(end.status?.version, "3.7.3");
  assert.deepEqual([...versions], ["3.5.35", "3.6.16", "3.7.3"], "no minor version is left out");
  const kept = (await bed.world.list(PersistentVolumeClaim)).filter(
    ({ metadata }) => metadata.deletionTimestamp === undefined,
  );
  assert.equal(kept.length, 3);
});

test("the disruption budget counts voters while members are still being removed", async () => {
  await using bed = await startWorld();
  const spec = { size: 5, version: "3.6.16", tls: { mode: "Off" } } as const;
  await bed.world.apply(EtcdCluster, "e", { spec });
  await bed.until(isSettled, "five");
  bed.etcd.refusal = "Unhealthy";
  await bed.world.apply(EtcdCluster, "e", { spec: { ...spec, size: 3 } });
  await bed.pass(10);
  const budget = async () => (await bed.world.list(PodDisruptionBudget))[0]?.spec?.minAvailable;
  assert.equal(await budget(), 3);
  bed.etcd.refusal = undefined;
  await bed.until(isSettled, "three");
  assert.equal(await budget(), 2);
});
