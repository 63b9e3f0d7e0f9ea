/** The embedded API server beside kube-apiserver with etcd, on the same machine, in one run. */
import { measureInProcess } from "./apiserver/in-process.ts";
import { measureMemory } from "./apiserver/memory.ts";
import { startOurs, startTheirs } from "./apiserver/servers.ts";
import { measureThroughput } from "./apiserver/throughput.ts";
import { measureWatchers } from "./apiserver/watchers.ts";
import type { BenchOptions } from "./main.ts";
import { Figures } from "./result.ts";
import type { Found } from "./result.ts";

/** Starts, memory, throughput, watchers, stalls, leaks. */
export async function benchApiServer({ rounds, peers }: BenchOptions): Promise<Found> {
  const figures = new Figures("apiserver");
  await measureInProcess(figures);
  for (let round = 0; round < rounds * 3; round++) {
    await using ours = await startOurs();
    figures.add(ours.name, "start as a process", "ms", ours.milliseconds);
  }
  for (const start of peers.length === 1 ? [startOurs] : [startOurs, startTheirs]) {
    await using server = await start();
    await measureMemory(server, figures);
    for (let round = 0; round < rounds; round++) await measureThroughput(server, figures);
    await measureWatchers(server, figures);
  }
  return { rows: figures.rows() };
}
