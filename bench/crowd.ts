/** One well-behaved client beside many misbehaving ones, on ours and on kube-apiserver: its latency, and the memory of the server. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { startOurs, startTheirs } from "./apiserver/servers.ts";
import type { Server } from "./apiserver/servers.ts";
import { clientAs, populate } from "./crowd/population.ts";
import type { Population } from "./crowd/population.ts";
import { measureCalls } from "./crowd/well-behaved.ts";
import type { BenchOptions } from "./main.ts";
import { Figures, quantile } from "./result.ts";
import type { Found } from "./result.ts";

const seconds = 10;

/** The programs that misbehave. */
const crowds = {
  "200 misbehaving clients": "hammer.ts",
  "2,000 slow watchers": "slow-watchers.ts",
} as const;

/** The two servers in turn, one at a time, round after round. */
export async function benchCrowd({ rounds, peers }: BenchOptions): Promise<Found> {
  const figures = new Figures("crowd");
  for (let round = 0; round < rounds; round++) {
    await measure(await startOurs(), figures);
    if (peers.length > 1) await measure(await startTheirs(), figures);
  }
  return { rows: figures.rows() };
}

async function measure(started: Server, figures: Figures): Promise<void> {
  await using server = started;
  const population = await populate(server.client);
  await using client = await clientAs(server.kubeconfig, population.good);
  await measureCalls(client, population.namespace, 2);
  const idle = await measureCalls(client, population.namespace, seconds);
  const { name } = server;
  figures.add(name, "alone, p50", "ms", quantile(idle.latencies, 0.5));
  figures.add(name, "alone, p99", "ms", quantile(idle.latencies, 0.99));
  for (const [what, program] of Object.entries(crowds)) {
    const before = server.residentMiB();
    await beside(program, server, population, async () => {
      const cpu = server.cpuSeconds();
      const { latencies, failures } = await measureCalls(client, population.namespace, seconds);
      const p99 = quantile(latencies, 0.99);
      figures.add(name, `${what}, p50`, "ms", quantile(latencies, 0.5));
      figures.add(name, `${what}, p99`, "ms", p99);
      figures.add(name, `${what}, p99 over that of an idle server`, "x", p99 / quantile(idle.latencies, 0.99));
      figures.add(name, `${what}, failed calls of the well-behaved client`, "", failures);
      figures.add(name, `${what}, CPU of the server`, "% of a core", ((server.cpuSeconds() - cpu) / seconds) * 100);
      figures.add(name, `${what}, memory of the server more than before`, "MiB", server.residentMiB() - before);
    });
  }
}

/** Runs something while a program misbehaves. */
async function beside(
  program: string,
  { kubeconfig }: Server,
  { namespace, bad }: Population,
  run: () => Promise<void>,
): Promise<void> {
  const child = fork(join(import.meta.dirname, "crowd", program));
  const ended = once(child, "exit");
  try {
    const ready = once(child, "message");
    child.send({ kubeconfig, namespace, tokens: bad });
    await Promise.race([ready, ended.then(() => Promise.reject(new RangeError(`${program} ended before it began`)))]);
    await run();
  } finally {
    child.kill("SIGKILL");
    await ended;
  }
}
