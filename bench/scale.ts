/** How cost grows with the number of objects: a burst, and a cache. */
import { fillMaps } from "./cache.ts";
import { growths } from "./growth.ts";
import { until, untilQuiet } from "./load.ts";
import type { BenchOptions } from "./main.ts";
import type { Found, Growth } from "./result.ts";
import { type Peer, preparePeers } from "./runtime/peers.ts";
import { countDone, makeWidgets, start, withWorld } from "./runtime/world.ts";

type Points = Record<string, [number, number][]>;

/** The largest size for peers: the curve is clear by then, and it saves minutes. */
const largestOfPeers = 20_000;

/** Bursts and caches of growing size, of Capstan and of controller-runtime. */
export async function benchScale({ peers, sizes }: BenchOptions): Promise<Found> {
  const contenders = preparePeers(peers.filter((name) => name === "capstan" || name === "controller-runtime"));
  const cpu: Points = {};
  const peak: Points = {};
  const cached: Points = {};
  for (const size of sizes) {
    for (const peer of contenders) {
      if (peer.name !== "capstan" && size > largestOfPeers) continue;
      const cost = await burst(peer, size);
      (cpu[peer.name] ??= []).push([size, cost.cpuSeconds]);
      (peak[peer.name] ??= []).push([size, cost.peakMiB]);
      console.log(`${peer.name}: a burst of ${size} costs ${cost.cpuSeconds} s, ${cost.peakMiB.toFixed(0)} MiB`);
    }
  }
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
    { ...growths.cpu, points: cpu },
    { ...growths.peak, points: peak },
    { ...growths.cached, points: cached },
  ];
  return { rows: [], growth };
}

/** A separate cluster for each: creating one is quicker than emptying one. */
async function burst(peer: Peer, size: number): Promise<{ cpuSeconds: number; peakMiB: number }> {
  let cost = { cpuSeconds: Number.NaN, peakMiB: Number.NaN };
  await withWorld(async (world) => {
    const namespace = `scale-${size}`;
    await makeWidgets(world, namespace, size);
    await using operator = start(peer, world);
    await until(async () => (await countDone(world, namespace)) === size, Math.max(100, size / 20));
    cost = operator.cost();
  });
  return cost;
}
