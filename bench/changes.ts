/** A thousand changes of one object on one real kube-apiserver: every one must be reconciled, beside controller-runtime in the same run. */
import { until } from "./load.ts";
import type { BenchOptions } from "./main.ts";
import { Figures } from "./result.ts";
import type { Found } from "./result.ts";
import { preparePeers } from "./runtime/peers.ts";
import { measureFlood, measureSeries } from "./runtime/series.ts";
import { clear, countDone, makeWidgets, start, withWorld } from "./runtime/world.ts";

const contenders: ReadonlySet<string> = new Set(["capstan", "controller-runtime"]);
/** Other objects, so that the operator does not work for one alone. */
const objects = 100;

/** Each peer one after the other, round after round. */
export async function benchChanges({ peers: wanted, rounds }: BenchOptions): Promise<Found> {
  const peers = preparePeers(wanted.filter((name) => contenders.has(name)));
  const figures = new Figures("changes");
  await withWorld(async (world) => {
    for (let round = 0; round < rounds; round++) {
      for (const peer of peers) {
        const namespace = `changes-${round}-${peer.name}`;
        await makeWidgets(world, namespace, objects);
        {
          await using operator = start(peer, world);
          await until(async () => (await countDone(world, namespace)) === objects);
          const changed = { name: peer.name, world, namespace, operator };
          await measureSeries(changed, figures);
          await measureFlood(changed, figures);
        }
        await clear(world, namespace);
      }
    }
  });
  return { rows: figures.rows() };
}
