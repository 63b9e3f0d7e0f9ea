/** A client that reads and writes one small object, with pauses. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "@capstan/client";
import { ConfigMap } from "@capstan/kinds/v1";

/** The latencies of the calls in milliseconds, and the number of failed ones. */
export interface Calls {
  readonly latencies: readonly number[];
  readonly failures: number;
}

/** One call every 10 ms, reads and writes in turn. */
export async function measureCalls(client: Client, namespace: string, seconds: number): Promise<Calls> {
  const latencies: number[] = [];
  let failures = 0;
  const target = { namespace, name: "well-behaved" };
  await client.apply(ConfigMap, { metadata: target, data: { at: "0" } }, { fieldManager: "bench", force: true });
  const end = performance.now() + seconds * 1000;
  for (let at = 1; performance.now() < end; at++) {
    const began = performance.now();
    const call =
      at % 2 === 0
        ? client.get(ConfigMap, target)
        : client.patch(ConfigMap, target, { merge: { data: { at: `${at}` } } });
    await call.catch(() => failures++);
    latencies.push(performance.now() - began);
    await sleep(10);
  }
  return { latencies, failures };
}
