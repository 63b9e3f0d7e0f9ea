/** The embedded cluster: its start-up time, and the cost of pods, idling and services; compared with real Kubernetes where possible. */
import { measureIdle } from "./cluster/idle.ts";
import { measurePodStart } from "./cluster/pod-start.ts";
import { measureService } from "./cluster/service.ts";
import { measureSimulatedPods } from "./cluster/simulated-pods.ts";
import { measureStart } from "./cluster/start.ts";
import type { BenchOptions } from "./main.ts";
import { Figures } from "./result.ts";
import type { Found } from "./result.ts";

/** Starts, pod starts, idling, a thousand pods, services. */
export async function benchCluster({ rounds, peers }: BenchOptions): Promise<Found> {
  const figures = new Figures("cluster");
  const withPeers = peers.length > 1;
  await measureStart(figures, { rounds, withPeers });
  await measurePodStart(figures, rounds * 5);
  await measureIdle(figures);
  await measureSimulatedPods(figures, { rounds, withPeers });
  await measureService(figures, rounds);
  return { rows: figures.rows() };
}
