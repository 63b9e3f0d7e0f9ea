/** The latency and the cost of a change of one Widget among many. */
import type { Client } from "@capstan/client";
import { ConfigMap } from "@capstan/kinds/v1";
import { setTimeout as sleep } from "node:timers/promises";
import { again, until, untilQuiet } from "../load.ts";
import type { MeasuredProcess } from "../measured-process.ts";
import { type Figures, median } from "../result.ts";
import { Widget } from "./widget.ts";
import { countDone } from "./world.ts";
import type { World } from "./world.ts";
import { countWrites } from "./writes.ts";

const singleChanges = 100;
const churnSeconds = 20;
const changesPerSecond = 50;

/** A running operator whose objects all match their spec. */
export interface Settled {
  readonly name: string;
  readonly world: World;
  readonly namespace: string;
  readonly objects: number;
  readonly operator: MeasuredProcess;
}

/** Reports when an object of a namespace has reached a size. */
class Follower implements Disposable {
  readonly #stop = new AbortController();
  readonly #waiting = new Map<string, () => void>();

  constructor(events: (signal: AbortSignal) => AsyncIterable<readonly [name: string, size: number]>) {
    // The watch begins with the current state, so that nothing is missed when the server ends it.
    void again(() => this.#run(events(this.#stop.signal)), this.#stop.signal);
  }

  /** Resolves with the time of the event. */
  seen(name: string, size: number): Promise<number> {
    return new Promise((resolve) => this.#waiting.set(`${name} ${size}`, () => resolve(performance.now())));
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
  }

  async #run(events: AsyncIterable<readonly [string, number]>): Promise<void> {
    for await (const [name, size] of events) {
      const tell = this.#waiting.get(`${name} ${size}`);
      this.#waiting.delete(`${name} ${size}`);
      tell?.();
    }
  }
}

async function* mapSizes(client: Client, namespace: string, signal: AbortSignal) {
  for await (const event of client.watch(ConfigMap, { namespace, signal, sendInitialEvents: true })) {
    if (event.type === "ADDED" || event.type === "MODIFIED") {
      yield [event.object.metadata.name, Number(event.object.data?.["size"])] as const;
    }
  }
}

async function* statusSizes(client: Client, namespace: string, signal: AbortSignal) {
  for await (const event of client.watch(Widget, { namespace, signal, sendInitialEvents: true })) {
    if (event.type === "ADDED" || event.type === "MODIFIED") {
      yield [event.object.metadata.name, event.object.status?.size ?? 0] as const;
    }
  }
}

/** Changes one object after the other and waits for the effect. */
export async function measureChanges({ name, world, namespace }: Settled, figures: Figures): Promise<void> {
  const { client } = world;
  using maps = new Follower((signal) => mapSizes(client, namespace, signal));
  using statuses = new Follower((signal) => statusSizes(client, namespace, signal));
  await sleep(1000);
  const toMap: number[] = [];
  const toStatus: number[] = [];
  for (let at = 0; at < singleChanges; at++) {
    const size = 100_000 + at;
    const both = Promise.all([maps.seen(`w${at}`, size), statuses.seen(`w${at}`, size)]);
    const began = performance.now();
    await client.patch(Widget, { name: `w${at}`, namespace }, { merge: { spec: { size } } });
    const [map, status] = await both;
    toMap.push(map - began);
    toStatus.push(status - began);
  }
  figures.add(name, "one change, p50 to ConfigMap", "ms", median(toMap));
  figures.add(name, "one change, p50 to status", "ms", median(toStatus));
}

/** A steady stream of changes, fifty a second. */
export async function measureChurn(settled: Settled, figures: Figures): Promise<void> {
  const { name, world, namespace, objects, operator } = settled;
  const count = churnSeconds * changesPerSecond;
  const writesBefore = await countWrites(world);
  const costBefore = operator.cost();
  const began = performance.now();
  const patches: Promise<unknown>[] = [];
  for (let at = 0; at < count; at++) {
    const due = began + (at * 1000) / changesPerSecond;
    await sleep(Math.max(0, due - performance.now()));
    const target = { name: `w${at % objects}`, namespace };
    patches.push(world.client.patch(Widget, target, { merge: { spec: { size: 200_000 + at } } }));
  }
  await Promise.all(patches);
  // Fewer than intended: the machine cannot keep up, changes are coalesced, and so are their writes.
  figures.add(name, "churn, changes reached", "per second", count / ((performance.now() - began) / 1000));
  await until(async () => (await countDone(world, namespace)) === objects, 500);
  await untilQuiet(operator);
  const made = (await countWrites(world)) - writesBefore - count;
  const cpuSeconds = operator.cost().cpuSeconds - costBefore.cpuSeconds;
  figures.add(name, "churn, CPU", "s", cpuSeconds);
  figures.add(name, "churn, CPU per change", "ms", (cpuSeconds * 1000) / count);
  figures.add(name, "churn, writes per change", "", made / count);
}
