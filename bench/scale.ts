/** How cost grows with the number of objects: a burst, and a cache. */
import { fillMaps } from "./cache.ts";
import { until, untilQuiet } from "./load.ts";
import type { BenchOptions } from "./main.ts";
import type { Found, Growth } from "./result.ts";
import { type Peer, preparePeers } from "./runtime/peers.ts";
import { clear, countDone, makeWidgets, start, withWorld } from "./runtime/world.ts";
import type { World } from "./runtime/world.ts";

type Points = Record<string, [number, number][]>;

/** Bursts and caches of growing size, of Capstan and of controller-runtime. */
export async function benchScale({ peers, sizes }: BenchOptions): Promise<Found> {
  const contenders = preparePeers(peers.filter((name) => name === "capstan" || name === "controller-runtime"));
  const cpu: Points = {};
  const peak: Points = {};
  const cached: Points = {};
  await withWorld(async (world) => {
    for (const size of sizes) {
      for (const peer of contenders) {
        const cost = await burst(peer, world, size);
        (cpu[peer.name] ??= []).push([size, cost.cpuSeconds]);
        (peak[peer.name] ??= []).push([size, cost.peakMiB]);
        console.log(`${peer.name}: a burst of ${size} costs ${cost.cpuSeconds} s, ${cost.peakMiB.toFixed(0)} MiB`);
      }
    }
  });
  await withWorld(async (world) => {
    let there = 0;
    for (const size of sizes) {
      await fillMaps(world, size - there, `bench-cache-${size}`);
      there = size;
      for (const peer of contenders) {
        await using operator = start(peer, world);
        await untilQuiet(operator);
        const { residentMiB } = operator.cost();
        (cached[peer.name] ??= []).push([size, residentMiB]);
        console.log(`${peer.name}: a cache of ${size} takes ${residentMiB.toFixed(0)} MiB`);
      }
    }
  });
  const growth: Growth[] = [
    { name: "CPU of a burst", unit: "s", points: cpu },
    { name: "peak memory of a burst", unit: "MiB", points: peak },
    { name: "memory with cached ConfigMaps of 1 KB", unit: "MiB", points: cached },
  ];
  return { rows: [], growth };
}

async function burst(peer: Peer, world: World, size: number): Promise<{ cpuSeconds: number; peakMiB: number }> {
  const namespace = `scale-${peer.name}-${size}`;
  await makeWidgets(world, namespace, size);
  let cost: { cpuSeconds: number; peakMiB: number };
  {
    await using operator = start(peer, world);
    await until(async () => (await countDone(world, namespace)) === size, Math.max(100, size / 20));
    cost = operator.cost();
  }
  await clear(world, namespace);
  return cost;
}
