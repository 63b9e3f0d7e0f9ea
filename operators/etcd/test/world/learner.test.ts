/** No voter is left, but a learner: its data is saved, and nothing older replaces it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Event } from "capstan/kinds/events.k8s.io/v1";
import { PersistentVolumeClaim } from "capstan/kinds/v1";
import { EtcdBackup, EtcdCluster } from "../../src/kinds/index.ts";
import { condition, isSettled, startWorld } from "./world.ts";
import type { ClusterObject, EtcdWorld } from "./world.ts";

const store = { volume: { claim: "b" } } as const;
const spec = { size: 3, version: "3.6.16", tls: { mode: "Off" } } as const;
/** So rare that no scheduled backup is made here. */
const backup = { store, schedule: "0 3 1 1 *" };

/** Three members, one of which is replaced by a learner that does not catch up; then all other members are lost. */
async function leaveLearner(bed: EtcdWorld, more: object = {}): Promise<ClusterObject> {
  await bed.world.apply(EtcdCluster, "e", { spec: { ...spec, ...more } });
  const before = await bed.until(isSettled, "three");
  await bed.world.apply(EtcdBackup, "old", { spec: { cluster: "e", store } });
  for (let second = 0; second < 60; second++) await bed.pass(1);
  assert.ok((await bed.world.get(EtcdBackup, "old"))?.status?.last, "there is an older backup");
  bed.etcd.isSlow = true;
  await bed.loseVolumes(["e-0"]);
  await bed.pass(2);
  await bed.until(
    ({ status }) => status?.members?.some(({ name, role }) => name === "e-3" && role === "Learner") === true,
    "a learner",
  );
  const cluster = bed.etcd.clusters.get(before.status?.clusterId ?? "");
  assert.ok(cluster);
  cluster.revision = 500;
  await bed.loseVolumes(["e-1", "e-2"]);
  return before;
}

test("a learner's data is saved as a backup, and the cluster is restored from it", async () => {
  await using bed = await startWorld();
  const before = await leaveLearner(bed, { backup });
  const after = await bed.until((now) => {
    if (now.status?.recovery !== undefined) bed.etcd.isSlow = false;
    return now.status?.recovery?.phase === "Done" && isSettled(now);
  }, "three again");
  const saved = (await bed.world.get(EtcdBackup, "e-saved-e-3"))?.status?.last;
  assert.equal(saved?.revision, 500);
  assert.equal(after.status?.recovery?.from?.backup, saved?.name);
  assert.notEqual(after.status?.clusterId, before.status?.clusterId);
  const told = await bed.world.list(Event);
  assert.ok(told.some(({ reason, note }) => reason === "LearnerSaved" && /revision 500/u.test(note ?? "")));
  assert.ok(!bed.etcd.log.some((line) => line.startsWith("alone")));
});

test("without a store a learner's data is kept, and the message says how to save it", async () => {
  await using bed = await startWorld();
  await leaveLearner(bed);
  const told = await bed.until((now) => condition(now, "Degraded")?.reason === "QuorumLost", "a refusal");
  assert.match(condition(told, "Degraded")?.message ?? "", /e-3, a learner, has everything up to revision 500/u);
  await bed.pass(600);
  assert.equal((await bed.cluster()).status?.recovery, undefined);
  const claims = await bed.world.list(PersistentVolumeClaim);
  assert.ok(claims.some(({ metadata }) => metadata.name === "data-e-3" && metadata.deletionTimestamp === undefined));
  bed.etcd.isSlow = false;
  await bed.world.apply(EtcdCluster, "e", { spec: { ...spec, backup } });
  const after = await bed.until((now) => now.status?.recovery?.phase === "Done" && isSettled(now), "three again");
  assert.match(after.status?.recovery?.from?.backup ?? "", /r500/u);
});
