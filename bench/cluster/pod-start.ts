/** The overhead of a pod: from the request to readiness, minus the start of the same program without a pod. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Figures } from "../result.ts";
import { openHome } from "./embedded.ts";
import { endPod, startPod } from "./pods.ts";

/** One pod after another. */
export async function measurePodStart(figures: Figures, rounds: number): Promise<void> {
  using home = await openHome(["busybox"]);
  await using cluster = await home.start();
  await startPod(cluster.client, "warm");
  for (let round = 0; round < rounds; round++) {
    const direct = await directStart();
    const name = `pod-${round}`;
    const began = performance.now();
    await startPod(cluster.client, name);
    figures.add("capstan", "pod start over the program's own", "ms", performance.now() - began - direct);
    await endPod(cluster.client, name);
  }
}

async function directStart(): Promise<number> {
  const began = performance.now();
  const child = spawn("sleep", ["100000"]);
  await once(child, "spawn");
  const took = performance.now() - began;
  child.kill("SIGKILL");
  await once(child, "exit");
  return took;
}
