/** The cluster of the benchmark: a real Kubernetes of its own, and what is asked of it. */
import { type Client, createClient, isApiError, loadConfig, processHost } from "@capstan/client";
import { Namespace } from "@capstan/kinds/v1";
import { useKubernetes } from "@capstan/kubernetes";
import { apiOf, installCrds, systemClock } from "@capstan/runtime";
import { inParallel, until } from "../load.ts";
import { MeasuredProcess } from "../measured-process.ts";
import type { Peer } from "./peers.ts";
import { Widget, widget } from "./widget.ts";

/** What scenarios work with. */
export interface World {
  readonly client: Client;
  readonly kubeconfig: string;
}

/** Runs scenarios on a Kubernetes that nobody else uses and that has the definition of Widgets. */
export async function withWorld(run: (world: World) => Promise<void>): Promise<void> {
  await using cluster = await useKubernetes({ after: () => {} }, { own: true });
  await using client = createClient(await loadConfig(processHost(), { kubeconfig: cluster.kubeconfig }));
  await installCrds([widget], { api: apiOf(client), clock: systemClock, manager: "bench" });
  await run({ client, kubeconfig: cluster.kubeconfig });
}

/** Starts a peer on the cluster. */
export function start({ command }: Peer, { kubeconfig }: World): MeasuredProcess {
  return new MeasuredProcess(command, { KUBECONFIG: kubeconfig });
}

/** Makes Widgets in a namespace of their own. */
export async function makeWidgets({ client }: World, namespace: string, count: number): Promise<void> {
  await client.create(Namespace, { metadata: { name: namespace } });
  await inParallel(count, (at) =>
    client.create(Widget, { metadata: { name: `w${at}`, namespace }, spec: { size: at + 1 } }),
  );
}

/** How many Widgets have the status that their spec asks for. */
export async function countDone({ client }: World, namespace: string): Promise<number> {
  let done = 0;
  for await (const { spec, status } of client.list(Widget, { namespace })) if (status?.size === spec.size) done++;
  return done;
}

/** Removes Widgets and, through the garbage collector, what belongs to them; a namespace that is not there is clear. */
export async function clear({ client }: World, namespace: string): Promise<void> {
  await client.deleteCollection(Widget, { namespace });
  await client.delete(Namespace, { name: namespace }).catch((error: unknown) => {
    if (!isApiError(error, "NotFound")) throw error;
  });
  await until(async () => {
    for await (const { metadata } of client.list(Namespace, {})) if (metadata.name === namespace) return false;
    return true;
  }, 500);
}
