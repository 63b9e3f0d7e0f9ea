/** The memory of an operator with 20,000 cached ConfigMaps of 1 KB. */
import { ConfigMap, Namespace } from "@capstan/kinds/v1";
import { inParallel, untilQuiet } from "./load.ts";
import type { BenchOptions } from "./main.ts";
import { Figures } from "./result.ts";
import type { Found } from "./result.ts";
import { type Peer, preparePeers } from "./runtime/peers.ts";
import { start, withWorld } from "./runtime/world.ts";
import type { World } from "./runtime/world.ts";

const maps = 20_000;

/** Memory differs little from start to start. */
const rounds = 2;

/** The memory of each peer with and without the maps. */
export async function benchCache({ peers: wanted }: BenchOptions): Promise<Found> {
  const peers = preparePeers(wanted);
  const figures = new Figures("cache");
  await withWorld(async (world) => {
    const empty = new Map<string, number[]>();
    for (const peer of peers) empty.set(peer.name, await residentOf(peer, world, rounds));
    await fillMaps(world, maps);
    for (const peer of peers) {
      const full = await residentOf(peer, world, rounds);
      full.forEach((resident, round) => {
        const more = resident - (empty.get(peer.name)?.[round] ?? 0);
        figures.add(peer.name, "memory per 1 KB ConfigMap", "bytes", (more * 2 ** 20) / maps);
      });
    }
  });
  return { rows: figures.rows() };
}

/** Creates ConfigMaps whose JSON takes about a kilobyte. */
export async function fillMaps({ client }: World, count: number, namespace = "bench-cache"): Promise<void> {
  await client.create(Namespace, { metadata: { name: namespace } });
  const text = "x".repeat(700);
  await inParallel(count, (at) =>
    client.create(ConfigMap, { metadata: { name: `map-${at}`, namespace }, data: { text: `${at} ${text}` } }),
  );
}

async function residentOf(peer: Peer, world: World, rounds: number): Promise<number[]> {
  const found: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await using operator = start(peer, world);
    await untilQuiet(operator);
    found.push(operator.cost().residentMiB);
  }
  return found;
}
