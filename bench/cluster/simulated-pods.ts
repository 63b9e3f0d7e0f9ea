/** A thousand pods of a Deployment on simulated nodes: what controllers, scheduler and API server need until all are ready. */
import { type Client, createClient, loadConfig, processHost, systemClock } from "@capstan/client";
import { startCluster } from "@capstan/cluster";
import { Deployment } from "@capstan/kinds/apps/v1";
import { useKubernetes } from "@capstan/kubernetes";
import { simulatedRuntime, startNode } from "@capstan/node";
import type { Figures } from "../result.ts";

const PODS = 1000;
const NODES = 10;
const capacity = { cpu: "64", memory: "256Gi", pods: "250" };
const row = "1,000 simulated pods ready";

/** Ours with its own nodes, and kube-controller-manager and kube-scheduler with the same nodes on their API server. */
export async function measureSimulatedPods(
  figures: Figures,
  { rounds, withPeers }: { readonly rounds: number; readonly withPeers: boolean },
): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    await using cluster = await startCluster({ port: 0, nodes: NODES, capacity });
    figures.add("capstan", row, "s", await fill(cluster.client));
  }
  if (withPeers) await measureReal(figures);
}

async function measureReal(figures: Figures): Promise<void> {
  await using cluster = await useKubernetes({ after: () => {} }, { own: true });
  await using client = createClient(await loadConfig(processHost(), { kubeconfig: cluster.kubeconfig }));
  const nodes = await Promise.all(
    Array.from({ length: NODES }, (_, index) => {
      const runtime = simulatedRuntime({ clock: systemClock, capacity, podCidr: `10.${64 + index}.0.0/16` });
      return startNode({ client, name: `fake-${index}`, runtime, clock: systemClock });
    }),
  );
  figures.add("controller-manager + scheduler", row, "s", await fill(client));
  await Promise.all(nodes.map((node) => node.close("lost")));
}

/** Seconds from the request until the Deployment reports all pods as ready. */
async function fill(client: Client): Promise<number> {
  const labels = { app: "many" };
  const began = performance.now();
  const events = client.watch(Deployment, { namespace: "default", sendInitialEvents: true });
  await client.create(Deployment, {
    metadata: { name: "many", namespace: "default" },
    spec: {
      replicas: PODS,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "main", image: "example.test/image:1" }] } },
    },
  });
  for await (const event of events) {
    if (event.type === "ERROR") throw event.error;
    if (event.type !== "BOOKMARK" && event.object.status?.readyReplicas === PODS) break;
  }
  return (performance.now() - began) / 1000;
}
