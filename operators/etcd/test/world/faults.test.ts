import assert from "node:assert/strict";
import { test } from "node:test";
import { PersistentVolumeClaim, Pod, Service } from "capstan/kinds/v1";
import { EtcdCluster, EtcdOperation } from "../../src/kinds/index.ts";
import { CLUSTER_LABEL, MEMBER_LABEL } from "../../src/pods/index.ts";
import { condition, isSettled, startWorld } from "./world.ts";
import type { EtcdWorld } from "./world.ts";

async function grown(
  bed: EtcdWorld,
  spec: { size: number; version: string } & Record<string, unknown> = { size: 3, version: "3.6.16" },
) {
  await bed.world.apply(EtcdCluster, "e", { spec });
  return await bed.until(isSettled, "a settled cluster");
}

test("a deleted pod is recreated with its data", async () => {
  await using bed = await startWorld();
  const before = await grown(bed);
  await bed.world.delete(Pod, "e-1");
  const after = await bed.until((now) => isSettled(now) && bed.etcd.processes.has("e-1"), "three again");
  assert.deepEqual(
    after.status?.members?.map(({ id }) => id),
    before.status?.members?.map(({ id }) => id),
  );
});

test("a member on a node with a late clock is replaced when its time is over", async () => {
  await using bed = await startWorld();
  await grown(bed);
  bed.kubelet.ahead = -3_600_000;
  const claim = await bed.world.get(PersistentVolumeClaim, "data-e-1");
  const disk = bed.kubelet.disks.get(claim?.metadata.uid ?? "");
  assert.ok(disk);
  disk.isBroken = true;
  bed.etcd.stop("e-1");
  await bed.pass(240);
  const names = ({ status }: Awaited<ReturnType<typeof bed.cluster>>) => status?.members?.map(({ name }) => name);
  assert.deepEqual(names(await bed.cluster()), ["e-0", "e-1", "e-2"], "5 minutes are not over");
  const after = await bed.until((now) => isSettled(now) && names(now)?.includes("e-3") === true, "a replacement");
  assert.deepEqual(names(after), ["e-0", "e-2", "e-3"]);
});

test("a clock that jumps forward while a member starts replaces no member", async () => {
  await using bed = await startWorld();
  const before = await grown(bed);
  const claim = await bed.world.get(PersistentVolumeClaim, "data-e-1");
  const disk = bed.kubelet.disks.get(claim?.metadata.uid ?? "");
  assert.ok(disk);
  disk.isBroken = true;
  bed.etcd.stop("e-1");
  await bed.pass(30);
  bed.calendar.ahead = 24 * 3_600_000;
  await bed.pass(60);
  disk.isBroken = false;
  await bed.world.delete(Pod, "e-1");
  const after = await bed.until((now) => isSettled(now) && bed.etcd.processes.has("e-1"), "three again");
  const idsOf = ({ status }: typeof after) => status?.members?.map(({ id }) => id);
  assert.deepEqual(idsOf(after), idsOf(before));
});

test("all pods deleted at once are recreated as the same cluster", async () => {
  await using bed = await startWorld();
  const before = await grown(bed);
  for (const name of ["e-0", "e-1", "e-2"]) await bed.world.delete(Pod, name);
  await bed.pass(3);
  const after = await bed.until((now) => isSettled(now) && bed.etcd.processes.size === 3, "three again");
  assert.equal(after.status?.clusterId, before.status?.clusterId);
  assert.equal(bed.etcd.clusters.size, 1);
});

test("a member without its volume is replaced by one with another name", async () => {
  await using bed = await startWorld();
  await grown(bed);
  await bed.loseVolumes(["e-1"]);
  const after = await bed.until(
    (now) => isSettled(now) && now.status?.members?.some(({ name }) => name === "e-3") === true,
    "a replacement",
  );
  assert.deepEqual(
    after.status?.members?.map(({ name }) => name),
    ["e-0", "e-2", "e-3"],
  );
});

test("after the loss of two of three volumes the last one continues, with a report", async () => {
  await using bed = await startWorld();
  const before = await grown(bed);
  await bed.loseVolumes(["e-0", "e-1"]);
  const after = await bed.until((now) => now.status?.recovery?.phase === "Done" && isSettled(now), "a recovery");
  assert.equal(after.status?.clusterId, before.status?.clusterId);
  assert.equal(after.status?.recovery?.member, "e-2");
  assert.match(after.status?.recovery?.mayBeLost ?? "", /writes after revision/u);
  assert.equal(condition(after, "QuorumLost")?.status, "False");
  assert.equal(bed.etcd.log.filter((line) => line.startsWith("alone")).length, 1);
});

test("quorumLoss Manual only reports", async () => {
  await using bed = await startWorld();
  await grown(bed, { size: 3, version: "3.6.16", recovery: { quorumLoss: "Manual" } });
  await bed.loseVolumes(["e-0", "e-1"]);
  const after = await bed.until((now) => condition(now, "Degraded")?.reason === "QuorumLost", "a refusal");
  assert.match(condition(after, "Degraded")?.message ?? "", /e-0, e-1.*Manual/u);
  await bed.pass(60);
  assert.equal((await bed.cluster()).status?.recovery, undefined);
});

test("all volumes lost without a backup: refused, never an empty cluster", async () => {
  await using bed = await startWorld();
  await grown(bed);
  await bed.loseVolumes(["e-0", "e-1", "e-2"]);
  await bed.until((now) => condition(now, "Degraded")?.reason === "QuorumLost", "a refusal");
  await bed.pass(120);
  assert.equal(bed.etcd.clusters.size, 1);
});

test("an operator that is cut off from the members touches nothing", async () => {
  await using bed = await startWorld();
  await grown(bed);
  bed.etcd.cut.add("*");
  const cut = await bed.until(
    (now) => condition(now, "Available")?.reason === "OperatorCannotConnect",
    "the cut to be seen",
  );
  assert.equal(condition(cut, "Available")?.status, "True");
  assert.equal(condition(cut, "QuorumLost")?.status, "False");
  const before = bed.etcd.log.length;
  await bed.pass(900);
  assert.equal(bed.etcd.log.length, before);
  assert.equal(bed.etcd.processes.size, 3);
  bed.etcd.cut.clear();
  await bed.until(isSettled, "all is well again");
});

test("a version that cannot be pulled is rolled back, and the status shows what runs", async () => {
  await using bed = await startWorld();
  await grown(bed, { size: 3, version: "3.6.16" });
  bed.kubelet.missingImages.add("gcr.io/etcd-development/etcd:v3.6.99");
  await bed.world.apply(EtcdCluster, "e", { spec: { size: 3, version: "3.6.99" } });
  const after = await bed.until(
    (now) => now.status?.update?.failed !== undefined && now.status.ready === 3,
    "a roll-back",
  );
  assert.equal(after.status?.version, "3.6.16");
  assert.match(after.status?.update?.failed ?? "", /3\.6\.99.*no such image/u);
  assert.equal(condition(after, "Degraded")?.reason, "UpdateFailed");
  await bed.world.apply(EtcdCluster, "e", { spec: { size: 3, version: "3.7.3" } });
  const mended = await bed.until(isSettled, "the mended spec");
  assert.equal(mended.status?.version, "3.7.3");
});

test("a Service of that name with another owner is left alone, and the cluster waits", async () => {
  await using bed = await startWorld();
  await bed.world.apply(Service, "e-client", { spec: { ports: [{ port: 80 }], selector: { app: "other" } } });
  await bed.world.apply(EtcdCluster, "e", { spec: { size: 3, version: "3.6.16" } });
  const cluster = await bed.until((now) => condition(now, "Degraded")?.reason === "NameTaken", "a refusal");
  assert.match(condition(cluster, "Degraded")?.message ?? "", /Service e-client/u);
  assert.equal((await bed.world.get(Service, "e-client"))?.spec?.selector?.["app"], "other");
  await bed.world.delete(Service, "e-client");
  await bed.until(isSettled, "the cluster, once the name is free");
});

test("claims of an older cluster of the same name are neither used nor deleted", async () => {
  await using bed = await startWorld();
  const labels = { [CLUSTER_LABEL]: "e", [MEMBER_LABEL]: "e-0", "etcd.capstan.dev/cluster-uid": "older" };
  const spec = { accessModes: ["ReadWriteOnce" as const], resources: { requests: { storage: "1Gi" } } };
  await bed.world.apply(PersistentVolumeClaim, "data-e-0", { metadata: { labels }, spec });
  const cluster = await grown(bed);
  assert.deepEqual(
    cluster.status?.members?.map(({ name }) => name),
    ["e-1", "e-2", "e-3"],
  );
  assert.equal((await bed.world.get(PersistentVolumeClaim, "data-e-0"))?.metadata.deletionTimestamp, undefined);
});

test("a paused cluster is observed, but not touched", async () => {
  await using bed = await startWorld();
  await grown(bed);
  await bed.world.apply(EtcdCluster, "e", { spec: { size: 5, version: "3.7.3", paused: true } });
  await bed.world.delete(Pod, "e-1");
  await bed.pass(60);
  assert.equal(bed.etcd.processes.size, 2);
  assert.equal(condition(await bed.cluster(), "Progressing")?.reason, "Paused");
  await bed.world.apply(EtcdCluster, "e", { spec: { size: 5, version: "3.7.3", paused: false } });
  await bed.until(isSettled, "everything caught up");
});

test("operations replace a member and move the leader, and are immutable", async () => {
  await using bed = await startWorld();
  await grown(bed);
  await bed.world.apply(EtcdOperation, "swap", { spec: { cluster: "e", do: { replaceMember: { member: "e-0" } } } });
  for (let second = 0; second < 200; second++) {
    await bed.pass(1);
    if ((await bed.world.get(EtcdOperation, "swap"))?.status?.phase === "Succeeded") break;
  }
  assert.equal((await bed.world.get(EtcdOperation, "swap"))?.status?.phase, "Succeeded");
  assert.deepEqual(
    (await bed.cluster()).status?.members?.map(({ name }) => name),
    ["e-1", "e-2", "e-3"],
  );
  await assert.rejects(
    bed.world.apply(EtcdOperation, "swap", { spec: { cluster: "e", do: { replaceMember: { member: "e-1" } } } }),
    /runs once/u,
  );
  await bed.world.apply(EtcdOperation, "lead", { spec: { cluster: "e", do: { moveLeader: { to: "e-3" } } } });
  await bed.until((now) => now.status?.leader === "e-3", "another leader");
  await bed.world.apply(EtcdOperation, "nobody", { spec: { cluster: "e", do: { replaceMember: { member: "e-9" } } } });
  await bed.pass(5);
  assert.equal((await bed.world.get(EtcdOperation, "nobody"))?.status?.phase, "Rejected");
});

test("a member with different data is found without an alarm, and replaced", async () => {
  await using bed = await startWorld();
  const before = await grown(bed);
  assert.deepEqual(before.status?.comparison?.differing, []);
  bed.etcd.hashes.set("e-1", 2);
  await bed.pass(60);
  assert.ok(bed.etcd.processes.has("e-1"), "it is not looked for all the time");
  await bed.world.advance("1h");
  const after = await bed.until(
    (now) => isSettled(now) && now.status?.members?.some(({ name }) => name === "e-3") === true,
    "a replacement",
  );
  assert.deepEqual(
    after.status?.members?.map(({ name }) => name),
    ["e-0", "e-2", "e-3"],
  );
  await bed.until(({ status }) => status?.comparison?.differing.length === 0, "a comparison that finds nothing");
});

test("two members with different data are left alone until a user repairs them", async () => {
  await using bed = await startWorld();
  await grown(bed, { size: 2, version: "3.6.16" });
  bed.etcd.hashes.set("e-1", 2);
  await bed.world.advance("1h");
  await bed.until((now) => condition(now, "Degraded")?.reason === "DataDiffers", "a refusal");
  await bed.pass(120);
  assert.equal(bed.etcd.processes.size, 2);
  bed.etcd.hashes.clear();
  await bed.until(isSettled, "all is well again");
});

test("a leader with bad data is replaced, and the members it accused stay", async () => {
  await using bed = await startWorld();
  const before = await grown(bed);
  const leader = before.status?.leader ?? "";
  const cluster = bed.etcd.clusters.get(before.status?.clusterId ?? "");
  assert.ok(cluster);
  bed.etcd.hashes.set(leader, 2);
  const lastGood = before.status?.members?.filter(({ name }) => name !== leader) ?? [];
  // etcd raises the alarms one after the other.
  cluster.alarms.push({ kind: "Corrupt", memberId: lastGood[0]?.id ?? "" });
  await bed.pass(1);
  cluster.alarms.push({ kind: "Corrupt", memberId: lastGood[1]?.id ?? "" });
  const after = await bed.until(
    (now) => isSettled(now) && now.status?.members?.every(({ name }) => name !== leader) === true,
    "another in the place of the leader",
  );
  const kept = after.status?.members?.map(({ name }) => name) ?? [];
  assert.ok(lastGood.every(({ name }) => kept.includes(name)));
  assert.deepEqual(cluster.alarms, []);
});

test("an alarm that cannot be verified costs no member its data", async () => {
  await using bed = await startWorld();
  const before = await grown(bed, { size: 2, version: "3.6.16" });
  const cluster = bed.etcd.clusters.get(before.status?.clusterId ?? "");
  assert.ok(cluster);
  bed.etcd.hashes.set("e-0", 2);
  cluster.alarms.push({ kind: "Corrupt", memberId: before.status?.members?.[1]?.id ?? "" });
  await bed.until((now) => condition(now, "Degraded")?.reason === "DataDiffers", "a refusal");
  await bed.pass(60);
  assert.equal(bed.etcd.processes.size, 2);
});
