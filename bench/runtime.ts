/** The same controller in Capstan and in other frameworks, on one real kube-apiserver, in one run: CPU, writes, memory, latency. */
import { ConfigMap } from "@capstan/kinds/v1";
import { until, untilQuiet, within } from "./load.ts";
import type { BenchOptions } from "./main.ts";
import type { MeasuredProcess } from "./measured-process.ts";
import { Figures } from "./result.ts";
import type { Found } from "./result.ts";
import { measureChanges, measureChurn } from "./runtime/changes.ts";
import { type Peer, preparePeers } from "./runtime/peers.ts";
import { clear, countDone, makeWidgets, start, withWorld } from "./runtime/world.ts";
import type { World } from "./runtime/world.ts";
import { countWrites } from "./runtime/writes.ts";

/** The contenders of promises; the others take part only in the first round, for the table. */
const promised: ReadonlySet<string> = new Set(["capstan", "controller-runtime"]);

/** The limit of a contender in a round, in minutes; most take two or three, client-node up to eight. */
const minutesOfPromised = 15;
const minutesOfOthers = 5;

/** Each peer one after the other, round after round, so that load from other processes affects all of them. */
export async function benchRuntime({ peers: wanted, objects, rounds }: BenchOptions): Promise<Found> {
  const peers = preparePeers(wanted);
  const figures = new Figures("runtime");
  await withWorld(async (world) => {
    for (let round = 0; round < rounds; round++) {
      for (const peer of peers) {
        if (round > 0 && !promised.has(peer.name)) continue;
        console.log(`round ${round + 1} of ${rounds}: ${peer.name}`);
        await measurePeer({ peer, world, objects, namespace: `bench-${round}-${peer.name}` }, figures);
      }
    }
  });
  return { rows: figures.rows() };
}

/** Everything about one peer in a round. A peer without a promise that does not finish keeps the figures so far. */
async function measurePeer(life: Life, figures: Figures): Promise<void> {
  const { peer, world, namespace } = life;
  const minutes = promised.has(peer.name) ? minutesOfPromised : minutesOfOthers;
  try {
    await within(minutes, peer.name, async (started) => {
      const run = (): MeasuredProcess => started.use(start(peer, world));
      await measureColdStart({ ...life, run, namespace: `cold-${namespace}` }, figures);
      await measureLife({ ...life, run }, figures);
    });
  } catch (error) {
    if (promised.has(peer.name)) throw error;
    console.log(`${peer.name} is left out from here: ${String(error)}`);
    await clear(world, `cold-${namespace}`);
  }
  await clear(world, namespace);
}

/** From the start of the process until its first write; then its cost until it is idle, which is the cost of a start without load. */
async function measureColdStart({ peer, world, namespace, run }: Running, figures: Figures): Promise<void> {
  await makeWidgets(world, namespace, 1);
  const stop = new AbortController();
  const watch = world.client.watch(ConfigMap, { namespace, signal: stop.signal, fieldSelector: "metadata.name=w0" });
  const first = firstObject(watch);
  const began = performance.now();
  await using operator = run();
  await first;
  figures.add(peer.name, "cold start to first write", "s", (performance.now() - began) / 1000);
  stop.abort();
  if (promised.has(peer.name)) {
    await untilQuiet(operator);
    const { cpuSeconds, residentMiB } = operator.cost();
    figures.add(peer.name, "start with one object, CPU", "s", cpuSeconds);
    figures.add(peer.name, "start with one object, memory", "MiB", residentMiB);
  }
  await operator[Symbol.asyncDispose]();
  await clear(world, namespace);
}

async function firstObject(events: AsyncIterable<{ readonly type: string }>): Promise<void> {
  for await (const { type } of events) if (type === "ADDED") return;
}

interface Life {
  readonly peer: Peer;
  readonly world: World;
  readonly objects: number;
  readonly namespace: string;
}

interface Running extends Life {
  readonly run: () => MeasuredProcess;
}

/** A burst at the start, single changes, a churn, a restart with nothing to do. */
async function measureLife(life: Running, figures: Figures): Promise<void> {
  const { peer, world, objects, namespace, run } = life;
  const { name } = peer;
  await makeWidgets(world, namespace, objects);
  {
    const writesBefore = await countWrites(world);
    await using operator = run();
    let cost = operator.cost();
    await until(async () => {
      const isDone = (await countDone(world, namespace)) === objects;
      // A process that has ended has no cost, and there is nothing more to wait for.
      cost = operator.cost();
      return isDone;
    });
    const { cpuSeconds, peakMiB } = cost;
    figures.add(name, "burst, CPU per object", "ms", (cpuSeconds * 1000) / objects);
    await untilQuiet(operator);
    figures.add(name, "burst, writes per object", "", ((await countWrites(world)) - writesBefore) / objects);
    figures.add(name, "burst, peak memory", "MiB", peakMiB);
    const settled = { name, world, namespace, objects, operator };
    await measureChanges(settled, figures);
    await measureChurn(settled, figures);
  }
  await measureRestart(life, figures);
}

async function measureRestart({ peer, world, run }: Running, figures: Figures): Promise<void> {
  const writesBefore = await countWrites(world);
  await using operator = run();
  await untilQuiet(operator);
  figures.add(peer.name, "restart, CPU", "s", operator.cost().cpuSeconds);
  figures.add(peer.name, "restart, writes", "", (await countWrites(world)) - writesBefore);
}
