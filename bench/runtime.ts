/** The same controller in Capstan and in other frameworks, on one real kube-apiserver, in one run: CPU, writes, memory, latency. */
import { ConfigMap } from "@capstan/kinds/v1";
import { until, untilQuiet } from "./load.ts";
import type { BenchOptions } from "./main.ts";
import { Figures } from "./result.ts";
import type { Found } from "./result.ts";
import { measureChanges, measureChurn } from "./runtime/changes.ts";
import { type Peer, preparePeers } from "./runtime/peers.ts";
import { Widget } from "./runtime/widget.ts";
import { clear, countDone, makeWidgets, revision, start, withWorld } from "./runtime/world.ts";
import type { World } from "./runtime/world.ts";

/** Every peer in turn, round after round, so that what else the machine does hits all alike. */
export async function benchRuntime({ peers: wanted, objects, rounds }: BenchOptions): Promise<Found> {
  const peers = preparePeers(wanted);
  const figures = new Figures("runtime");
  await withWorld(async (world) => {
    for (let round = 0; round < rounds; round++) {
      for (const peer of peers) {
        await measureColdStart(peer, world, figures);
        await measureLife({ peer, world, objects, namespace: `bench-${round}-${peer.name}` }, figures);
      }
    }
  });
  return { rows: figures.rows() };
}

/** From the start of the process until its first write is there. */
async function measureColdStart(peer: Peer, world: World, figures: Figures): Promise<void> {
  const namespace = `cold-${peer.name}-${Date.now()}`;
  await makeWidgets(world, namespace, 1);
  const stop = new AbortController();
  const watch = world.client.watch(ConfigMap, { namespace, signal: stop.signal, fieldSelector: "metadata.name=w0" });
  const first = watch.next();
  const began = performance.now();
  await using operator = start(peer, world);
  await first;
  figures.add(peer.name, "cold start to first write", "s", (performance.now() - began) / 1000);
  stop.abort();
  await operator[Symbol.asyncDispose]();
  await clear(world, namespace);
}

interface Life {
  readonly peer: Peer;
  readonly world: World;
  readonly objects: number;
  readonly namespace: string;
}

/** A burst at the start, single changes, a churn, a restart with nothing to do. */
async function measureLife({ peer, world, objects, namespace }: Life, figures: Figures): Promise<void> {
  const { name } = peer;
  await makeWidgets(world, namespace, objects);
  const before = await revision(world);
  {
    await using operator = start(peer, world);
    await until(async () => (await countDone(world, namespace)) === objects);
    const { cpuSeconds, peakMiB } = operator.cost();
    await untilQuiet(operator);
    figures.add(name, "burst, CPU per object", "ms", (cpuSeconds * 1000) / objects);
    figures.add(name, "burst, writes per object", "", ((await revision(world)) - before) / objects);
    figures.add(name, "burst, peak memory", "MiB", peakMiB);
    const settled = { name, world, namespace, objects, operator };
    await measureChanges(settled, figures);
    await measureChurn(settled, figures);
  }
  await measureRestart(peer, world, figures);
  await clear(world, namespace);
}

async function measureRestart(peer: Peer, world: World, figures: Figures): Promise<void> {
  const before = await versions(world);
  await using operator = start(peer, world);
  await untilQuiet(operator);
  figures.add(peer.name, "restart, CPU", "s", operator.cost().cpuSeconds);
  const changed = [...(await versions(world))].filter(([uid, version]) => before.get(uid) !== version);
  figures.add(peer.name, "restart, writes", "", changed.length);
}

/** The versions of all objects that the operator writes; nobody else writes them here. */
async function versions({ client }: World): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for await (const { metadata } of client.list(Widget, { namespace: "*" })) {
    found.set(metadata.uid, metadata.resourceVersion);
  }
  for await (const { metadata } of client.list(ConfigMap, { namespace: "*" })) {
    if (metadata.ownerReferences !== undefined) found.set(metadata.uid, metadata.resourceVersion);
  }
  return found;
}
