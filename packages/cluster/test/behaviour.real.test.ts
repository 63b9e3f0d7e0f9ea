/** The embedded control plane behaves as the real one: both get the same requests and must yield the same facts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { buildPrograms, kubernetesMissing, showProgress } from "@capstan/kubernetes";
import type { Rule } from "@capstan/node";
import { eventsOfWorkloads } from "./events.behaviour.ts";
import { grownClaim } from "./growth.behaviour.ts";
import { countPod, failIndex, failJob, ignorePod, retried, timeToLive } from "./jobs.behaviour.ts";
import { kubectlProgram, undoneDaemons, undoneDeployment, undoneMembers } from "./rollout.behaviour.ts";
import { claimRetention, claimsThatGo, ephemeralVolume, progressDeadline, soleUse } from "./sets.behaviour.ts";
import { unschedulable } from "./unschedulable.behaviour.ts";
import { ourWorld, realWorld, type World } from "./worlds.ts";

const script: readonly Rule[] = [
  ...[0, 1, 42].map((code): Rule => ({
    match: { container: `exits-${code}` },
    end: { type: "exit", code, after: 10 },
  })),
  { match: { container: "hangs" }, readyDelay: "never" },
  { match: { image: "missing:*" }, pullError: "not found" },
];

const behaviours: { readonly [sentence: string]: (world: World) => Promise<object> } = {
  "what workloads tell in events": eventsOfWorkloads,
  "a failure policy that ends the job": failJob,
  "a failure policy that counts": countPod,
  "a failure policy that ends an index": failIndex,
  "a failure policy that ignores": ignorePod,
  "a job that is tried again until it may not be": retried,
  "a job that is kept for a second": timeToLive,
  "a rollout that does not get on": progressDeadline,
  "claims of a set that shrinks and goes": claimRetention,
  "claims that go with their set": claimsThatGo,
  "a claim that asks for more": grownClaim,
  "a Deployment that is rolled back": undoneDeployment,
  "a DaemonSet that is rolled back": undoneDaemons,
  "a StatefulSet that is rolled back": undoneMembers,
  "a volume that lives as long as its pod": ephemeralVolume,
  "a claim for one pod at a time": soleUse,
  "pods that find no node": unschedulable,
};

test("the embedded control plane and the real one yield the same facts", { skip: kubernetesMissing() }, async (t) => {
  await buildPrograms([kubectlProgram], showProgress(process.stderr));
  const ours = await ourWorld(t, script);
  const real = await realWorld(t, script);
  for (const [sentence, behaviour] of Object.entries(behaviours)) {
    await t.test(sentence, async () => {
      const [found, expected] = await Promise.all([behaviour(ours), behaviour(real)]);
      assert.deepEqual(found, expected);
    });
  }
});
