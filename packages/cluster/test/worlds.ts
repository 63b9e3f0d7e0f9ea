/** The same simulated nodes under two control planes: the embedded one, and kube-controller-manager, kube-scheduler and kube-apiserver. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient, loadConfig, processHost, systemClock } from "@capstan/client";
import { useKubernetes } from "@capstan/kubernetes";
import { type Rule, simulatedRuntime, startNode } from "@capstan/node";
import { startCluster } from "@capstan/cluster";

/** A cluster in which only the control plane is compared. */
export interface World {
  readonly client: Client;
  readonly namespace: string;
  /** The path of the administrator's kubeconfig. */
  readonly kubeconfig: string;
}

type Scope = Parameters<typeof useKubernetes>[0];

/** The embedded control plane. */
export async function ourWorld(test: Scope, script: readonly Rule[]): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), "world-"));
  const cluster = await startCluster({ nodes: 1, port: 0 });
  test.after(async () => {
    await cluster.stop();
    rmSync(folder, { recursive: true });
  });
  for (const { runtime } of cluster.nodes) runtime.setScript(script);
  const kubeconfig = join(folder, "kubeconfig");
  writeFileSync(kubeconfig, cluster.kubeconfig ?? "", { mode: 0o600 });
  return { client: cluster.client, namespace: "default", kubeconfig };
}

/** The real control plane, with one embedded node. */
export async function realWorld(test: Scope, script: readonly Rule[]): Promise<World> {
  const resources = new AsyncDisposableStack();
  // Registered first, so that the node stops before its cluster.
  test.after(() => resources.disposeAsync());
  const cluster = await useKubernetes(test, { own: true });
  const client = createClient(await loadConfig(processHost(), { kubeconfig: cluster.kubeconfig }));
  resources.defer(() => client.close());
  const runtime = simulatedRuntime({ clock: systemClock, script });
  const node = await startNode({ client, name: "fake", runtime, clock: systemClock });
  resources.defer(() => node.close("lost"));
  return { client, namespace: "default", kubeconfig: cluster.kubeconfig };
}
