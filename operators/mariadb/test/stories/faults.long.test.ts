/** Faults on real servers: no acknowledged write is lost, all members end with the same data. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { PersistentVolumeClaim, Pod } from "capstan/kinds/v1";
import { Scene } from "./scene.ts";
import { readAppends, Workload } from "./workload.ts";

const namespace = "default";

test("no acknowledged write is lost in failover, kill, volume loss and switchover", async (t) => {
  const scene = await Scene.open(t);
  const { client, faults } = scene.cluster;
  await scene.apply({ size: 3, version: "10.11.19" });
  await scene.settled("three members replicate");

  await t.test("the primary is cut off: another member leads", async () => {
    await using workload = await Workload.start(scene);
    await workload.progress(50);
    const old = await scene.primary();
    await faults.set({ do: "cut", target: { kind: "pod", namespace, name: old } });
    await scene.until("another member leads", async () => (await scene.primary()) !== old);
    await workload.progress(50);
    await faults.set({ do: "heal" });
    await scene.settled("the old primary follows");
    await workload.stop();
    await assertWhole(scene, workload);
    const { status } = await scene.object();
    assert.equal(status?.lastFailover?.from, old);
    assert.equal(status?.lastFailover?.mayBeLost, undefined);
    assert.ok(
      status?.members?.some(({ name }) => name === old),
      "the old primary came back without a new copy",
    );
    t.diagnostic(`longest pause of writes after a cut primary: ${Math.round(workload.gaps[0] ?? 0)} ms`);
  });

  await t.test("the server of the primary is killed", async () => {
    await using workload = await Workload.start(scene);
    await workload.progress(50);
    await client.delete(Pod, { namespace, name: await scene.primary(), gracePeriodSeconds: 0 });
    await workload.progress(50);
    await scene.settled("three members replicate");
    await workload.stop();
    await assertWhole(scene, workload);
    t.diagnostic(`longest pause of writes after a killed primary: ${Math.round(workload.gaps[0] ?? 0)} ms`);
  });

  await t.test("the volume of the primary is deleted", async () => {
    await using workload = await Workload.start(scene);
    await workload.progress(50);
    const old = await scene.primary();
    await client.delete(PersistentVolumeClaim, { namespace, name: `data-${old}` });
    await scene.until("another member leads", async () => (await scene.primary()) !== old);
    await workload.progress(50);
    const { status } = await scene.settled("a new member replicates");
    await workload.stop();
    assert.ok(
      status?.members?.every(({ name }) => name !== old),
      "a new member takes the place",
    );
    await assertWhole(scene, workload);
    t.diagnostic(`longest pause of writes after a deleted volume: ${Math.round(workload.gaps[0] ?? 0)} ms`);
  });

  await t.test("a requested switchover", async () => {
    await using workload = await Workload.start(scene);
    await workload.progress(50);
    const old = await scene.primary();
    await scene.apply({ size: 3, version: "10.11.19", switchover: { request: "now" } });
    await scene.until("another member leads", async () => (await scene.primary()) !== old);
    await workload.progress(50);
    await scene.settled("the old primary follows");
    await workload.stop();
    await assertWhole(scene, workload);
    t.diagnostic(`longest pause of writes in a switchover: ${Math.round(workload.gaps[0] ?? 0)} ms`);
  });

  await t.test("settings change, the cluster scales both ways, and hibernation keeps the data", async () => {
    await using workload = await Workload.start(scene);
    await workload.progress(20);
    const settings = { max_connections: "77", innodb_read_io_threads: "2" };
    await scene.apply({ size: 3, version: "10.11.19", settings });
    await scene.settled("all members have the settings");
    for (const { name } of (await scene.object()).status?.members ?? []) {
      await using member = await scene.member(name);
      const [row] = await member.query("SELECT @@max_connections AS live, @@innodb_read_io_threads AS restarted");
      assert.deepEqual(row, { live: "77", restarted: "2" });
    }
    await scene.apply({ size: 4, version: "10.11.19", settings });
    await scene.settled("a fourth member replicates");
    await scene.apply({ size: 3, version: "10.11.19", settings });
    await scene.settled("three members are left");
    await workload.progress(20);
    await workload.stop();
    await assertWhole(scene, workload);
    await scene.apply({ size: 0, version: "10.11.19", settings });
    await scene.until("all members sleep", async () => (await scene.pods()).length === 0);
    await scene.apply({ size: 3, version: "10.11.19", settings });
    await scene.settled("all members are awake");
    await assertWhole(scene, workload);
  });

  await t.test("a setting that the operator owns is refused", async () => {
    await scene.apply({ size: 3, version: "10.11.19", settings: { server_id: "7" } });
    const why = await scene.until("the refusal is told", async () => {
      const { status } = await scene.object();
      return status?.conditions?.find(({ type, reason }) => type === "Degraded" && reason === "SpecRejected")?.message;
    });
    assert.equal(why, "the operator owns the setting server_id: remove it from spec.settings");
  });
});

/** Every member has every acknowledged write, and all have the same. */
async function assertWhole(scene: Scene, { acknowledged }: Workload): Promise<void> {
  const { status } = await scene.object();
  await using primary = await scene.member(status?.primary ?? "");
  const leading = await readAppends(primary);
  const lost = acknowledged.filter((id) => !leading.has(id));
  assert.deepEqual(lost, [], `acknowledged writes are lost, of ${acknowledged.length}`);
  for (const { name } of status?.members ?? []) {
    await scene.until(`${name} has the same data`, async () => {
      await using member = await scene.member(name);
      const own = await readAppends(member);
      return own.size === leading.size && [...leading].every((id) => own.has(id));
    });
  }
}
