import assert from "node:assert/strict";
import { test } from "node:test";
import type { EtcdClient } from "../../src/etcd/index.ts";
import { startWorkload } from "../linearizability/workload.ts";
import { GROUNDS } from "./ground.ts";
import { Scene } from "./scene.ts";

/** What is done to the cluster, one after the other. */
const STEPS: readonly { readonly name: string; readonly change: Record<string, unknown> }[] = [
  { name: "scale to 5", change: { size: 5 } },
  { name: "scale to 3", change: { size: 3 } },
  { name: "update to 3.6", change: { version: "3.6.16" } },
  { name: "update to 3.7", change: { version: "3.7.3" } },
  { name: "change of configuration", change: { options: { "snapshot-count": "5000" } } },
];

for (const [name, start] of Object.entries(GROUNDS)) {
  test(`${name}: create, scale, update through two minor versions, reconfigure, sleep, wake, delete; nothing acknowledged is lost`, async (t) => {
    const scene = await Scene.open(t, await start(t));
    const spec = { size: 3, version: "3.5.35" };
    await scene.apply(spec);
    const born = await scene.settled("three members are well");
    const ways = await scene.ways();
    const workload = startWorkload({ ...ways, clients: 4, keys: 4, timeoutMs: 2_000, paceMs: 20 });
    let report: ReturnType<typeof workload.stop> | undefined;
    const stop = (): ReturnType<typeof workload.stop> => (report ??= workload.stop());
    t.after(stop);
    for (const step of STEPS) {
      workload.step(step.name);
      Object.assign(spec, step.change);
      await scene.apply(spec);
      await scene.settled(step.name);
    }
    const { verdict, steps } = await stop();
    for (const { name: step, seconds, acknowledged, longestWriteGapMs } of steps) {
      t.diagnostic(
        `${name} | ${step} | ${Math.round(seconds)} s | ${acknowledged} writes and reads | longest gap ${longestWriteGapMs} ms`,
      );
    }
    assert.equal(verdict.ok, true, JSON.stringify(verdict));
    const end = await scene.cluster();
    assert.equal(end.status?.version, "3.7.3");
    assert.equal(end.status?.clusterId, born.status?.clusterId);
    await sleepAndWake(scene, spec);
    await scene.kube.remove(scene.clusterPath);
    await scene.until(
      "everything is gone",
      async () => (await scene.pods()).length === 0 && (await scene.claims()).length === 0,
    );
  });
}

async function sleepAndWake(scene: Scene, spec: { size: number; version: string }): Promise<void> {
  const { leader = "" } = (await scene.cluster()).status ?? {};
  await using writer = await scene.member(leader);
  await writer.kv.put("before sleep", "kept");
  await scene.apply({ ...spec, size: 0 });
  await scene.settled("it sleeps");
  assert.equal((await scene.pods()).length, 0);
  await scene.apply(spec);
  const awake = await scene.settled("it is awake");
  await using reader: EtcdClient = await scene.member(awake.status?.leader ?? "");
  assert.equal((await reader.kv.get("before sleep"))?.value.toString(), "kept");
}
