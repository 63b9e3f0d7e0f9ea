import assert from "node:assert/strict";
import { test } from "node:test";
import { PersistentVolumeClaim, Pod } from "capstan/kinds/v1";
import { EtcdCluster } from "../../src/kinds/index.ts";
import { condition, isSettled, startWorld } from "./world.ts";
import type { ClusterObject, EtcdWorld } from "./world.ts";

/** Three healthy members, one of them with unnoticed bad data. */
async function rotten(bed: EtcdWorld, which: "leader" | "first"): Promise<{ readonly bad: string; good: string[] }> {
  await bed.world.apply(EtcdCluster, "e", { spec: { size: 3, version: "3.6.16" } });
  const { status } = await bed.until(isSettled, "three members");
  const names = status?.members?.map(({ name }) => name) ?? [];
  const bad = which === "leader" ? (status?.leader ?? "") : (names[0] ?? "");
  bed.etcd.hashes.set(bad, 2);
  return { bad, good: names.filter((name) => name !== bad) };
}

/** Waits until all members are healthy, the bad one is gone, and the good ones are still there with their data. */
async function isHealed(bed: EtcdWorld, { bad, good }: { readonly bad: string; readonly good: readonly string[] }) {
  const names = ({ status }: ClusterObject): readonly string[] => status?.members?.map(({ name }) => name) ?? [];
  const after = await bed.until((now) => isSettled(now) && !names(now).includes(bad), "another in its place");
  for (const name of good) assert.ok(names(after).includes(name), `${name} is still a member`);
  for (const { metadata } of await bed.world.list(Pod))
    assert.equal(metadata.annotations?.["etcd.capstan.dev/initial-check"], "true");
}

test("a member kept from starting is compared, and the bad leader is replaced", async () => {
  await using bed = await startWorld();
  const { bad, good } = await rotten(bed, "leader");
  const [accused = "", third = ""] = good;
  const { status } = await bed.cluster();
  const id = status?.members?.find(({ name }) => name === accused)?.id ?? "";
  await bed.world.delete(Pod, third);
  await bed.pass(2);
  bed.etcd.clusters.get(status?.clusterId ?? "")?.alarms.push({ kind: "Corrupt", memberId: id });
  await isHealed(bed, { bad, good });
});

test("a member that cannot start due to unnoticed bad data elsewhere is kept", async () => {
  await using bed = await startWorld();
  const { bad, good } = await rotten(bed, "leader");
  await bed.world.delete(Pod, good[1] ?? "");
  await isHealed(bed, { bad, good });
  assert.equal(bed.etcd.log.filter((line) => line.startsWith("remove")).length, 1);
});

test("if the member with bad data starts first, the others start and replace it", async () => {
  await using bed = await startWorld();
  const { bad, good } = await rotten(bed, "first");
  for (const name of [bad, ...good]) await bed.world.delete(Pod, name);
  await isHealed(bed, { bad, good });
});

test("no member is added while the two remaining ones differ", async () => {
  await using bed = await startWorld();
  const { good } = await rotten(bed, "leader");
  const [kept = "", lost = ""] = good;
  await bed.loseVolumes([lost]);
  await bed.until((now) => condition(now, "Degraded")?.reason === "DataDiffers", "a refusal");
  await bed.pass(120);
  assert.equal(bed.etcd.processes.size, 2);
  assert.ok(bed.etcd.processes.has(kept));
  const claims = await bed.world.list(PersistentVolumeClaim);
  assert.equal(claims.length, 3, "nobody was let in");
});

test("a member is added only if the existing ones agree", async () => {
  await using bed = await startWorld();
  const { bad, good } = await rotten(bed, "leader");
  await bed.world.apply(EtcdCluster, "e", { spec: { size: 5, version: "3.6.16" } });
  await isHealed(bed, { bad, good });
  const joined = bed.etcd.log.findIndex((line) => line.startsWith("add") && line.includes("e-3"));
  const removed = bed.etcd.log.findIndex((line) => line.startsWith("remove"));
  assert.ok(removed >= 0 && removed < joined, bed.etcd.log.join("\n"));
});

/** How many members still have the correct data. */
function goodCopies({ etcd }: EtcdWorld): number {
  return [...etcd.processes.keys()].filter((name) => !etcd.hashes.has(name)).length;
}

test("an old comparison is not used again after the clock was set back", async () => {
  await using bed = await startWorld();
  const { bad, good } = await rotten(bed, "leader");
  bed.calendar.ahead = -2 * 3_600_000;
  await bed.world.delete(Pod, good[1] ?? "");
  await isHealed(bed, { bad, good });
});

test("no member is removed before one without a hash was compared, with a reason", async () => {
  await using bed = await startWorld();
  const { bad, good } = await rotten(bed, "leader");
  const [silent = "", kept = ""] = good;
  bed.etcd.mute.add(silent);
  await bed.world.delete(Pod, kept);
  const refused = await bed.until((now) => condition(now, "Degraded")?.reason === "DataUncompared", "a refusal");
  assert.match(condition(refused, "Degraded")?.message ?? "", new RegExp(`${silent}.*no hash`, "u"));
  await bed.pass(1_800);
  assert.equal(bed.etcd.log.filter((line) => line.startsWith("remove")).length, 0);
  bed.etcd.mute.clear();
  await isHealed(bed, { bad, good });
});

test("a member is added only after a late hash was reported", async () => {
  await using bed = await startWorld();
  const { bad, good } = await rotten(bed, "leader");
  bed.etcd.mute.add(good[0] ?? "");
  await bed.world.apply(EtcdCluster, "e", { spec: { size: 5, version: "3.6.16" } });
  await bed.pass(600);
  assert.ok(
    bed.etcd.log.every((line) => !line.includes("e-3")),
    bed.etcd.log.join("\n"),
  );
  bed.etcd.mute.clear();
  await isHealed(bed, { bad, good });
  assert.equal(goodCopies(bed), 5);
});

test("members of versions that hash differently are not corrupt during an update", async () => {
  await using bed = await startWorld();
  await bed.world.apply(EtcdCluster, "e", { spec: { size: 5, version: "3.5.35" } });
  await bed.until(isSettled, "five members");
  bed.etcd.dialects.set("3.6.16", 10);
  await bed.world.apply(EtcdCluster, "e", { spec: { size: 5, version: "3.6.16" } });
  const isNew = (name: string): boolean => bed.etcd.processes.get(name)?.version === "3.6.16";
  const news = (): string[] => [...bed.etcd.processes.keys()].filter(isNew);
  await bed.until(() => news().length === 3, "three of the new version");
  const [first = ""] = news();
  for (let times = 0; times < 3; times++) {
    bed.etcd.stop(first);
    await bed.pass(1);
  }
  await bed.until(isSettled, "all of the new version");
  assert.equal(bed.etcd.log.filter((line) => line.startsWith("remove")).length, 0);
  assert.equal(news().length, 5);
});
