/** Counts what is written to Widgets and to their ConfigMaps in one namespace: every event of a watch is a write. */
import { setTimeout as sleep } from "node:timers/promises";
import { ConfigMap } from "@capstan/kinds/v1";
import { again, until } from "../load.ts";
import { Widget } from "./widget.ts";
import type { World } from "./world.ts";

/** Counts from its start until it is disposed of. */
export class WriteCounter implements Disposable {
  readonly #stop = new AbortController();
  #count = 0;

  /** Begins after the state as of now. */
  static async start(world: World, namespace: string): Promise<WriteCounter> {
    const counter = new WriteCounter();
    await Promise.all([counter.#follow(world, Widget, namespace), counter.#follow(world, ConfigMap, namespace)]);
    return counter;
  }

  /** How many there were so far, as soon as no more come. */
  async settled(): Promise<number> {
    let last = -1;
    await until(async () => {
      const isQuiet = this.#count === last;
      last = this.#count;
      await sleep(500);
      return isQuiet;
    });
    return this.#count;
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
  }

  async #follow({ client }: World, kind: typeof Widget | typeof ConfigMap, namespace: string): Promise<void> {
    const { metadata } = await client.list(kind as typeof ConfigMap, { namespace, limit: 0 }).all();
    let { resourceVersion } = metadata;
    const { signal } = this.#stop;
    const run = async (): Promise<void> => {
      for await (const event of client.watch(kind as typeof ConfigMap, { namespace, resourceVersion, signal })) {
        if (event.type === "ERROR") throw event.error;
        resourceVersion = event.object.metadata.resourceVersion;
        if (event.type !== "ADDED" && event.type !== "MODIFIED") continue;
        // Every namespace has a map of Kubernetes' own.
        if (event.object.metadata.name !== "kube-root-ca.crt") this.#count++;
      }
    };
    // A server ends the watches of those who read too slowly: go on where it was.
    void again(run, signal);
  }
}
