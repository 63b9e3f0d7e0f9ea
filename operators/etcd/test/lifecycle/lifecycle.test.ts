/**
 * The whole life of a cluster, with clients that write and read all the time: their history is checked, and their waiting times are
 * recorded.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startWorkload } from "../linearizability/workload.ts";
import { LONG_STORY_GROUNDS } from "../stories/ground.ts";
import { Scene } from "../stories/scene.ts";
import { record } from "./record.ts";

/** The changes of the spec, one after the other. */
const STEPS: readonly { readonly name: string; readonly change: Record<string, unknown> }[] = [
  { name: "grow from 3 to 5", change: { size: 5 } },
  { name: "shrink from 5 to 3", change: { size: 3 } },
  { name: "update from 3.5 to 3.6", change: { version: "3.6.16" } },
  { name: "update from 3.6 to 3.7", change: { version: "3.7.3" } },
  { name: "change of configuration", change: { options: { "snapshot-count": "5000" } } },
  { name: "sleep", change: { size: 0 } },
  { name: "wake", change: { size: 3 } },
];

for (const [name, start] of LONG_STORY_GROUNDS) {
  test(`${name}: a cluster's whole life, from creation to deletion, is linearizable`, async (t) => {
    const scene = await Scene.open(t, await start(t));
    const spec = { size: 3, version: "3.5.35" };
    await scene.apply(spec);
    const born = await scene.settled("three members are well");
    const ways = await scene.ways();
    const workload = startWorkload({ ...ways, clients: 4, keys: 4, timeoutMs: 2_000, paceMs: 60 });
    let report: ReturnType<typeof workload.stop> | undefined;
    const stop = (): ReturnType<typeof workload.stop> => (report ??= workload.stop());
    t.after(stop);
    await scene.until("clients are served", async () => workload.served());
    for (const step of STEPS) {
      workload.step(step.name);
      await scene.apply(Object.assign(spec, step.change));
      await scene.settled(step.name);
      if (spec.size === 0) assert.equal((await scene.pods()).length, 0);
      else await scene.until(`clients are served after: ${step.name}`, async () => workload.served());
    }
    const { verdict, steps } = await stop();
    assert.deepEqual(verdict.ok, true, JSON.stringify(verdict));
    for (const step of steps.slice(1)) {
      const { seconds, acknowledged, longestWriteGapMs } = step;
      const figures = `${Math.round(seconds)} s | ${acknowledged} answers | longest gap ${longestWriteGapMs} ms`;
      t.diagnostic(`${name} | ${step.name} | ${figures}`);
      await record({ ground: scene.ground.name, ...step });
    }
    const end = await scene.cluster();
    assert.equal(end.status?.version, "3.7.3");
    assert.equal(end.status?.clusterId, born.status?.clusterId);
    await scene.kube.remove(scene.clusterPath);
    await scene.until(
      "everything is gone",
      async () => (await scene.pods()).length === 0 && (await scene.claims()).length === 0,
    );
  });
}
