/** A user requests a new authority; the operator rotates it while clients write, on both clusters. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { splitBundle } from "capstan/pki";
import { startWorkload } from "../linearizability/workload.ts";
import { LONG_STORY_GROUNDS } from "../stories/ground.ts";
import { Scene } from "../stories/scene.ts";

const ROTATE = "etcd.capstan.dev/rotate-ca";

for (const [name, start] of LONG_STORY_GROUNDS) {
  test(`${name}: the authority changes while clients write; no write is lost`, async (t) => {
    const scene = await Scene.open(t, await start(t));
    await scene.apply({ size: 3, version: "3.6.16", tls: { overlap: "1s" } });
    await scene.settled("three members are well");
    const before = await authority(scene);
    const stop = new AbortController();
    let ways = await scene.ways();
    const following = followSecret(scene, stop.signal, (fresh) => (ways = fresh));
    const load = startWorkload({
      endpoints: () => ways.endpoints(),
      connect: (endpoint) => ways.connect(endpoint),
      clients: 3,
      keys: 3,
      timeoutMs: 2_000,
      paceMs: 60,
    });
    load.step("change of the authority");
    await scene.kube.call(
      "PATCH",
      scene.clusterPath,
      { metadata: { annotations: { [ROTATE]: "please" } } },
      "application/merge-patch+json",
    );
    await scene.until("the old authority is forgotten", async () => {
      const now = await authority(scene);
      return now.phase === "steady" && now.trusted.length === 1 && now.signer !== before.signer;
    });
    await scene.settled("three members are well again");
    const { verdict, steps } = await load.stop();
    stop.abort();
    await following;
    for (const { name: step, seconds, acknowledged, longestWriteGapMs } of steps) {
      t.diagnostic(
        `${name} | ${step} | ${seconds.toFixed(0)} s | ${acknowledged} answers | longest gap ${longestWriteGapMs} ms`,
      );
    }
    assert.equal(verdict.ok, true, JSON.stringify(verdict));
  });
}

/** The state of the authority's Secret. */
async function authority(
  scene: Scene,
): Promise<{ readonly phase: string; readonly signer: string; readonly trusted: readonly string[] }> {
  const secret = (await scene.kube.get(scene.path("secrets", `${scene.name}-ca`))) as
    | { data?: Record<string, string> }
    | undefined;
  const text = (entry: string): string => Buffer.from(secret?.data?.[entry] ?? "", "base64").toString();
  return { phase: text("phase"), signer: text("tls.crt"), trusted: splitBundle(text("ca.crt")) };
}

/** Like a client that reads its Secret again when it changes. */
async function followSecret(
  scene: Scene,
  signal: AbortSignal,
  use: (ways: Awaited<ReturnType<Scene["ways"]>>) => void,
): Promise<void> {
  while (!signal.aborted) {
    // If the Secret cannot be read now, the client continues with what it has.
    await scene.ways().then(use, () => undefined);
    await delay(1000, undefined, { signal }).catch(() => {});
  }
}
