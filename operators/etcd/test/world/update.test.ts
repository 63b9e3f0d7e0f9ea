import assert from "node:assert/strict";
import { test } from "node:test";
import { EtcdBackup, EtcdCluster } from "../../src/kinds/index.ts";
import { condition, isSettled, startWorld } from "./world.ts";

const tls = { mode: "Off" } as const;
const backup = { store: { volume: { claim: "backups" } }, schedule: "0 3 1 1 *" };

test("before every step of an update a backup goes to the store of the policy", async () => {
  await using bed = await startWorld();
  await bed.world.apply(EtcdCluster, "e", { spec: { size: 3, version: "3.5.35", tls, backup } });
  await bed.until(isSettled, "three");
  const born = bed.etcd.log.length;
  await bed.world.apply(EtcdCluster, "e", { spec: { size: 3, version: "3.7.3", tls, backup } });
  const noted = new Set<string>();
  await bed.until((now) => {
    if (now.status?.update?.snapshot !== undefined) noted.add(`${now.status.update.to} ${now.status.update.snapshot}`);
    return isSettled(now) && now.status?.version === "3.7.3";
  }, "the update");
  const snapshots = bed.etcd.log.slice(born).filter((line) => line.startsWith("snapshot"));
  assert.deepEqual(snapshots, ["snapshot of 3.5.35", "snapshot of 3.6.16"]);
  assert.equal(noted.size, 2);
  const kept = (await bed.world.list(EtcdBackup)).map(({ metadata }) => metadata.name);
  assert.deepEqual(kept.toSorted(), ["e", "e-before-3.7.3-2"]);
});

test("while the store fails the update waits and other changes continue", async () => {
  await using bed = await startWorld();
  bed.kubelet.store.refusal = "the bucket is gone";
  await bed.world.apply(EtcdCluster, "e", { spec: { size: 3, version: "3.5.35", tls, backup } });
  await bed.until(isSettled, "three");
  await bed.world.apply(EtcdCluster, "e", { spec: { size: 5, version: "3.6.16", tls, backup } });
  const held = await bed.until(
    (now) => now.status?.ready === 5 && /the bucket is gone/u.test(condition(now, "Progressing")?.message ?? ""),
    "a larger cluster that waits",
  );
  assert.equal(held.status?.version, "3.5.35");
  assert.equal(held.status?.update, undefined);
  bed.kubelet.store.refusal = undefined;
  const updated = await bed.until((now) => isSettled(now) && now.status?.version === "3.6.16", "the update");
  assert.equal(updated.status?.ready, 5);
});

test("without a store or a requested backup the update continues and says so", async () => {
  for (const part of [{}, { backup, update: { snapshot: false } }]) {
    await using bed = await startWorld();
    await bed.world.apply(EtcdCluster, "e", { spec: { size: 1, version: "3.5.35", tls, ...part } });
    await bed.until(isSettled, "one");
    await bed.world.apply(EtcdCluster, "e", { spec: { size: 1, version: "3.6.16", tls, ...part } });
    const told = new Set<string>();
    await bed.until((now) => {
      told.add(condition(now, "Upgrading")?.message ?? "");
      return isSettled(now) && now.status?.version === "3.6.16";
    }, "the update");
    assert.ok([...told].some((text) => /no backup was made before/u.test(text)));
    assert.ok(!bed.etcd.log.some((line) => line.startsWith("snapshot")));
  }
});

test("the status has the version that runs, even if the image's tag differs", async () => {
  await using bed = await startWorld();
  const image = "mirror/{version}/etcd:v3.6.15";
  await bed.world.apply(EtcdCluster, "e", { spec: { size: 3, version: "3.6.16", tls, image } });
  const { status } = await bed.until(isSettled, "three");
  assert.equal(status?.version, "3.6.15");
  assert.deepEqual(
    status?.members?.map(({ version, podVersion }) => [version, podVersion]),
    Array.from({ length: 3 }, () => ["3.6.15", "3.6.16"]),
  );
  assert.match(status?.advice?.map(({ text }) => text).join() ?? "", /image for 3\.6\.16 holds etcd 3\.6\.15/u);
});

test("a clock that jumps forward does not time out an update", async () => {
  await using bed = await startWorld();
  await bed.world.apply(EtcdCluster, "e", { spec: { size: 3, version: "3.5.35", tls } });
  await bed.until(isSettled, "three");
  let slow = "";
  bed.kubelet.neverReady = ({ metadata }) => metadata.name === slow;
  await bed.world.apply(EtcdCluster, "e", { spec: { size: 3, version: "3.6.16", tls } });
  await bed.until(({ status }) => {
    slow = status?.update?.member ?? "";
    return slow !== "" && bed.etcd.processes.get(slow)?.version === "3.6.16";
  }, "one of the new version");
  bed.calendar.ahead = 24 * 3_600_000;
  await bed.pass(120);
  assert.equal((await bed.cluster()).status?.update?.failed, undefined);
  bed.kubelet.neverReady = () => false;
  const updated = await bed.until((now) => isSettled(now) && now.status?.version === "3.6.16", "the update");
  assert.equal(updated.status?.update, undefined);
});

test("a member that does not become ready rolls the update back in time", async () => {
  await using bed = await startWorld();
  await bed.world.apply(EtcdCluster, "e", { spec: { size: 3, version: "3.5.35", tls } });
  await bed.until(isSettled, "three");
  bed.kubelet.neverReady = ({ spec }) => JSON.stringify(spec?.containers ?? []).includes("3.6.16");
  await bed.world.apply(EtcdCluster, "e", { spec: { size: 3, version: "3.6.16", tls } });
  await bed.until(({ status }) => status?.update?.failed !== undefined, "an end of it");
});
