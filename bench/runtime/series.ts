/** Many changes of one object, one after the other, as fast as the API server and the operator take them: every one must be reconciled. */
import type { Client } from "@capstan/client";
import { ConfigMap } from "@capstan/kinds/v1";
import { median, quantile } from "../result.ts";
import type { Figures } from "../result.ts";
import type { Settled } from "./changes.ts";
import { Widget } from "./widget.ts";

const changes = 1_000;
const target = "w0";

/** Changes one object a thousand times. The next change follows as soon as the child has the value of the last, so that none coalesces. */
export async function measureSeries({ name, world, namespace }: Settled, figures: Figures): Promise<void> {
  const { client } = world;
  const stop = new AbortController();
  const sizes = sizesOf(client, namespace, stop.signal);
  await sizes.next();
  const latencies: number[] = [];
  for (let at = 0; at < changes; at++) {
    const size = 300_000 + at;
    const began = performance.now();
    await client.patch(Widget, { name: target, namespace }, { merge: { spec: { size } } });
    for (let seen = -1; seen !== size;) {
      const { value, done } = await sizes.next();
      if (done === true) throw new Error(`${name} has not reconciled change ${at + 1} of ${changes}`);
      seen = value;
    }
    latencies.push(performance.now() - began);
  }
  stop.abort();
  figures.add(name, "1,000 changes of one object, p50 to ConfigMap", "ms", median(latencies));
  figures.add(name, "1,000 changes of one object, p99 to ConfigMap", "ms", quantile(latencies, 0.99));
  figures.add(name, "1,000 changes of one object, longest", "ms", Math.max(...latencies));
}

/** The sizes in the child, beginning with the current one. */
async function* sizesOf(client: Client, namespace: string, signal: AbortSignal): AsyncGenerator<number> {
  const fieldSelector = `metadata.name=${target}`;
  for await (const event of client.watch(ConfigMap, { namespace, signal, sendInitialEvents: true, fieldSelector }))
    if (event.type === "ADDED" || event.type === "MODIFIED") yield Number(event.object.data?.["size"]);
}
