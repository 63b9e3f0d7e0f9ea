/** An update to another series under load: replicas first, a switchover, the old primary last. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Scene } from "./scene.ts";
import { readAppends, Workload } from "./workload.ts";

test("a cluster goes from 10.11 to 11.8 while a client writes", async (t) => {
  const scene = await Scene.open(t, { images: ["mariadb-10.11", "mariadb-11.8"] });
  await scene.apply({ size: 3, version: "10.11.19" });
  await scene.settled("three members replicate");
  await using workload = await Workload.start(scene);
  await workload.progress(20);
  const old = await scene.primary();
  await scene.apply({ size: 3, version: "11.8.6" });
  await scene.until("all members run 11.8.6", async () => (await scene.object()).status?.version === "11.8.6");
  await scene.settled("three members replicate again");
  await workload.progress(20);
  await workload.stop();
  assert.notEqual(await scene.primary(), old, "the old primary handed over");
  await using primary = await scene.member(await scene.primary());
  const rows = await readAppends(primary);
  assert.deepEqual(
    workload.acknowledged.filter((id) => !rows.has(id)),
    [],
  );
  await scene.apply({ size: 3, version: "10.11.19" });
  await scene.until("the way back is refused", async () => {
    const { status } = await scene.object();
    return status?.conditions?.some(({ type, reason }) => type === "Degraded" && reason === "SpecRejected");
  });
  t.diagnostic(`longest pause of writes in the update: ${Math.round(workload.gaps[0] ?? 0)} ms`);
});
