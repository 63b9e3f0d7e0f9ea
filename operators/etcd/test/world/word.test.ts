import assert from "node:assert/strict";
import { test } from "node:test";
import { EtcdCluster, EtcdOperation } from "../../src/kinds/index.ts";
import { condition, isSettled, startWorld } from "./world.ts";
import type { ClusterObject, EtcdWorld } from "./world.ts";

/** Three members, one of which does not report its hash, and one, if named, never starts again. */
async function begin(bed: EtcdWorld, broken: string | undefined): Promise<void> {
  await bed.world.apply(EtcdCluster, "e", { spec: { size: 3, version: "3.6.16" } });
  await bed.until(isSettled, "members");
  bed.etcd.mute.add("e-1");
  if (broken === undefined) return;
  const { memberId } = bed.etcd.processes.get(broken)?.disk ?? {};
  for (const disk of bed.kubelet.disks.values()) if (disk.memberId === memberId) disk.isBroken = true;
  bed.etcd.stop(broken);
  const held = await bed.until(isHeld, "a refusal");
  assert.match(condition(held, "Degraded")?.message ?? "", /EtcdOperation .*replaceMember with evenUncompared: true/u);
}

const isHeld = (now: ClusterObject): boolean => condition(now, "Degraded")?.reason === "DataUncompared";

async function replace(bed: EtcdWorld, member: string, evenUncompared = true): Promise<void> {
  const replaceMember = { member, evenUncompared };
  await bed.world.apply(EtcdOperation, "op", { spec: { cluster: "e", do: { replaceMember } } });
}

const isReplaced = (bed: EtcdWorld, member: string) => (now: ClusterObject) =>
  isSettled(now) && !bed.etcd.processes.has(member) && bed.etcd.processes.size === 3;

test("with a hash missing, an override replaces the member that never starts", async () => {
  await using bed = await startWorld();
  await begin(bed, "e-2");
  await replace(bed, "e-2");
  await bed.until(isReplaced(bed, "e-2"), "another in its place");
  for (const name of ["e-0", "e-1"]) assert.ok(bed.etcd.processes.has(name), bed.etcd.log.join("\n"));
  await bed.pass(10);
  const done = await bed.world.get(EtcdOperation, "op");
  assert.equal(done?.status?.phase, "Succeeded");
});

test("with a member that never starts, an override replaces the one without a hash", async () => {
  await using bed = await startWorld();
  await begin(bed, "e-2");
  await replace(bed, "e-1");
  await bed.until(isReplaced(bed, "e-1"), "others in their places");
  assert.ok(bed.etcd.processes.has("e-0"), bed.etcd.log.join("\n"));
  assert.ok(!bed.etcd.processes.has("e-2"), "the one that does not start was replaced without a word");
});

test("an override for a healthy member with a hash is ignored", async () => {
  await using bed = await startWorld();
  await begin(bed, "e-2");
  await replace(bed, "e-0");
  await bed.pass(900);
  assert.deepEqual([...bed.etcd.processes.keys()].toSorted(), ["e-0", "e-1"]);
  assert.ok(bed.etcd.log.every((line) => !line.startsWith("remove") && !line.includes("e-3")));
});

test("an override is ignored where data is known to differ", async () => {
  await using bed = await startWorld();
  await begin(bed, undefined);
  bed.etcd.hashes.set("e-0", 2);
  await replace(bed, "e-1");
  await bed.until((now) => condition(now, "Degraded")?.reason === "DataDiffers", "a refusal");
  await bed.pass(900);
  assert.deepEqual([...bed.etcd.processes.keys()].toSorted(), ["e-0", "e-1", "e-2"]);
});

test("an override replaces a member without a hash after some attempts", async () => {
  await using bed = await startWorld();
  await begin(bed, undefined);
  await replace(bed, "e-1");
  await bed.pass(240);
  assert.ok(bed.etcd.processes.has("e-1"), "it is asked first");
  await bed.until(isReplaced(bed, "e-1"), "another in its place");
  const added = bed.etcd.log.findIndex((line) => line.startsWith("add") && line.includes("e-3"));
  const removed = bed.etcd.log.findIndex((line) => line.startsWith("remove"));
  assert.ok(added >= 0 && added < removed, bed.etcd.log.join("\n"));
});

test("an operation without the override does not count as one", async () => {
  await using bed = await startWorld();
  await begin(bed, "e-2");
  await replace(bed, "e-2", false);
  await bed.pass(900);
  assert.deepEqual([...bed.etcd.processes.keys()].toSorted(), ["e-0", "e-1"]);
  assert.ok(bed.etcd.log.every((line) => !line.startsWith("remove") && !line.includes("e-3")));
});

test("an override adds exactly one member, even if the spec requests more", async () => {
  await using bed = await startWorld();
  await begin(bed, "e-2");
  await bed.world.apply(EtcdCluster, "e", { spec: { size: 5, version: "3.6.16" } });
  await replace(bed, "e-2");
  await bed.until(() => bed.etcd.processes.has("e-3"), "another in its place");
  await bed.until(() => bed.etcd.log.some((line) => line.startsWith("remove")), "it is gone");
  await bed.pass(900);
  assert.deepEqual([...bed.etcd.processes.keys()].toSorted(), ["e-0", "e-1", "e-3"]);
  const [operation] = await bed.world.list(EtcdOperation);
  assert.equal(operation?.status?.phase, "Succeeded", "the larger size is another matter");
});
