/** The embedded API server beside kube-apiserver with etcd, on the same machine, in one run. */
import { measureInProcess } from "./apiserver/in-process.ts";
import { measureMemory } from "./apiserver/memory.ts";
import { type Server, startOurs, startTheirs } from "./apiserver/servers.ts";
import { measureThroughput } from "./apiserver/throughput.ts";
import { measureWatchers } from "./apiserver/watchers.ts";
import type { BenchOptions } from "./main.ts";
import { Figures } from "./result.ts";
import type { Found } from "./result.ts";

/** Starts, memory, throughput, watchers, stalls, leaks. The two servers alternate, so that load from other processes affects both. */
export async function benchApiServer({ rounds, peers }: BenchOptions): Promise<Found> {
  const figures = new Figures("apiserver");
  await measureInProcess(figures);
  for (let round = 0; round < rounds * 3; round++) {
    await using ours = await startOurs();
    figures.add(ours.name, "start as a process", "ms", ours.milliseconds);
    figures.add(ours.name, "start as a process, CPU", "ms", ours.cpuSeconds() * 1000);
  }
  const starts = peers.length > 1 ? [startOurs, startTheirs] : [startOurs];
  await measureTogether(starts, rounds, figures);
  for (let round = 0; round < rounds; round++) for (const start of starts) await measureAlone(start, figures);
  return { rows: figures.rows() };
}

type Start = () => Promise<Server>;

async function measureTogether(starts: readonly Start[], rounds: number, figures: Figures): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const servers: Server[] = [];
  for (const start of starts) servers.push(stack.use(await start()));
  for (const server of servers) await measureMemory(server, figures);
  for (let round = 0; round < rounds; round++) {
    for (const server of servers) await measureThroughput(server, figures);
  }
}

/** Event delays are a matter of milliseconds, so the other server must not run at the same time. */
async function measureAlone(start: Start, figures: Figures): Promise<void> {
  await using server = await start();
  try {
    await measureWatchers(server, figures);
  } catch (error) {
    // Earlier figures are kept; the page and the verdict name the missing ones.
    console.error(`the watchers of ${server.name} could not be measured:`, error);
  }
}
