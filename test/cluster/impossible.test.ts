/** Impossible pods end in the same status and the same events here and under a real kubelet with containerd. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { containerRequests } from "./impossible/containers.ts";
import { imageRequests } from "./impossible/images.ts";
import { nodeRequests, placeRequests } from "./impossible/places.ts";
import { programRequests } from "./impossible/programs.ts";
import { startRegistry } from "./impossible/registry.ts";
import type { Requests } from "./impossible/request.ts";
import { openSide, type Side } from "./impossible/side.ts";
import { volumeRequests } from "./impossible/volumes.ts";
import { stages, type Stage } from "./target.ts";
import { until } from "./until.ts";

const skip = stages.map((stage) => stage.skip).find((why) => why !== false) ?? false;

test("impossible pods have the status and events of Kubernetes", { skip }, async (t) => {
  const ending = new AbortController();
  t.after(() => ending.abort());
  const sides = await Promise.all(stages.map((stage) => openStage(t, stage, ending.signal)));
  await Promise.all(sides.map(askAll));
  const [ours, real] = sides.map(({ side }) => side);
  assert.ok(ours !== undefined && real !== undefined);
  for (const name of sides[0]?.rounds.flatMap(Object.keys) ?? []) {
    await t.test(name, async () => {
      assert.deepEqual(await ours.facts(name), await real.facts(name));
      await sameEvents(name, ours, real);
    });
  }
});

/** Both clusters send events for a while: in the end they must be the same. */
async function sameEvents(name: string, ours: Side, real: Side): Promise<void> {
  const look = (): Promise<readonly (readonly string[])[]> => Promise.all([ours.events(name), real.events(name)]);
  const isSame = async (): Promise<boolean> => {
    const [found, expected] = await look();
    return JSON.stringify(found) === JSON.stringify(expected);
  };
  await until("both have told the same", isSame).catch(() => undefined);
  const [found, expected] = await look();
  assert.deepEqual(found, expected);
}

interface Opened {
  readonly side: Side;
  readonly rounds: readonly Requests[];
}

/** A pod that does not fit on its node takes resources from others for a moment: it is created after those have ended. */
async function askAll({ side, rounds }: Opened): Promise<void> {
  for (const requests of rounds) {
    const names = Object.keys(requests);
    await Promise.all(Object.entries(requests).map(([name, request]) => side.ask(name, request)));
    await Promise.all(names.map((name) => side.facts(name)));
  }
}

async function openStage(t: TestContext, { name, open }: Stage, signal: AbortSignal): Promise<Opened> {
  const target = await open(t, ["busybox"]);
  const registry = await startRegistry(t, name, target);
  const side = await openSide(target, registry, signal);
  const first = {
    ...imageRequests(registry),
    ...volumeRequests,
    ...containerRequests,
    ...programRequests,
    ...placeRequests,
  };
  return { side, rounds: [first, nodeRequests(side.node)] };
}
