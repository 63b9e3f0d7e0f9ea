/** Many changes of one object, as fast as the API server and the operator take them. */
import type { Client } from "@capstan/client";
import { ConfigMap } from "@capstan/kinds/v1";
import { median, quantile } from "../result.ts";
import type { Figures } from "../result.ts";
import type { MeasuredProcess } from "../measured-process.ts";
import { Widget } from "./widget.ts";
import type { World } from "./world.ts";

const changes = 1_000;
const target = "w0";

/** A running operator, and the namespace of its objects. */
export interface Changed {
  readonly name: string;
  readonly world: World;
  readonly namespace: string;
  readonly operator: MeasuredProcess;
}

/** Changes one object a thousand times. The next change follows as soon as the child has the value of the last, so that none coalesces. */
export async function measureSeries({ name, world, namespace, operator }: Changed, figures: Figures): Promise<void> {
  const { client } = world;
  const stop = new AbortController();
  const sizes = sizesOf(client, namespace, stop.signal);
  await sizes.next();
  const latencies: number[] = [];
  const cost = operator.cost();
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
  figures.add(name, "one after the other: reconciled", `of ${changes}`, latencies.length);
  figures.add(name, "one after the other: p50 to ConfigMap", "ms", median(latencies));
  figures.add(name, "one after the other: p90 to ConfigMap", "ms", quantile(latencies, 0.9));
  figures.add(name, "one after the other: p99 to ConfigMap", "ms", quantile(latencies, 0.99));
  figures.add(name, "one after the other: longest", "ms", Math.max(...latencies));
  const { cpuSeconds } = operator.cost();
  figures.add(name, "one after the other: CPU of a change", "ms", ((cpuSeconds - cost.cpuSeconds) * 1000) / changes);
}

/**
 * Changes one object as fast as the API server takes it, without waiting for the operator: changes coalesce, and what counts is how old
 * the value of the child is, and that the last change arrives.
 */
export async function measureFlood({ name, world, namespace }: Changed, figures: Figures): Promise<void> {
  const { client } = world;
  const stop = new AbortController();
  const last = 400_000 + changes - 1;
  const seen = watchUntil(sizesOf(client, namespace, stop.signal), last);
  const sent: number[] = [];
  for (let at = 0; at < changes; at++) {
    sent.push(performance.now());
    await client.patch(Widget, { name: target, namespace }, { merge: { spec: { size: 400_000 + at } } });
  }
  const arrivals = await seen;
  stop.abort();
  const delays = sent.map((began, at) => (arrivals.find(({ size }) => size >= 400_000 + at)?.time ?? Infinity) - began);
  figures.add(name, "without waiting: p50 until the child is as new", "ms", median(delays));
  figures.add(name, "without waiting: p99 until the child is as new", "ms", quantile(delays, 0.99));
  figures.add(name, "without waiting: the last change", "ms", delays.at(-1) ?? Infinity);
}

interface Arrival {
  readonly size: number;
  readonly time: number;
}

async function watchUntil(sizes: AsyncGenerator<number>, last: number): Promise<readonly Arrival[]> {
  const arrivals: Arrival[] = [];
  for await (const size of sizes) {
    arrivals.push({ size, time: performance.now() });
    if (size === last) break;
  }
  return arrivals;
}

/** The sizes in the child, beginning with the current one. */
async function* sizesOf(client: Client, namespace: string, signal: AbortSignal): AsyncGenerator<number> {
  const fieldSelector = `metadata.name=${target}`;
  for await (const event of client.watch(ConfigMap, { namespace, signal, sendInitialEvents: true, fieldSelector }))
    if (event.type === "ADDED" || event.type === "MODIFIED") yield Number(event.object.data?.["size"]);
}
