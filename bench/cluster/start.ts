/** From nothing to the first ready pod, with an image that was used before. */
import { createClient, loadConfig, processHost } from "@capstan/client";
import { buildTestImages, useKubernetes } from "@capstan/kubernetes";
import type { Figures } from "../result.ts";
import { openHome } from "./embedded.ts";
import { startPod } from "./pods.ts";

const row = "start to first pod ready";

/** The embedded cluster, and the control plane and node of tools/kubernetes, whose programs are already built. */
export async function measureStart(
  figures: Figures,
  { rounds, withPeers }: { readonly rounds: number; readonly withPeers: boolean },
): Promise<void> {
  using home = await openHome(["busybox"]);
  for (let round = 0; round <= rounds; round++) {
    const began = performance.now();
    await using cluster = await home.start();
    await startPod(cluster.client, "first");
    // The first round unpacks the image.
    if (round > 0) figures.add("capstan", row, "s", (performance.now() - began) / 1000);
  }
  if (withPeers) await measureReal(figures);
}

/** Once: the difference is larger than the noise. */
async function measureReal(figures: Figures): Promise<void> {
  const archives = (await buildTestImages({ only: ["busybox"] })).map(({ archive }) => archive);
  const began = performance.now();
  await using cluster = await useKubernetes({ after: () => {} }, { node: true, own: true });
  await cluster.load(archives);
  const client = createClient(await loadConfig(processHost(), { kubeconfig: cluster.kubeconfig }));
  await startPod(client, "first");
  figures.add("Kubernetes", row, "s", (performance.now() - began) / 1000);
  await client.close();
}
