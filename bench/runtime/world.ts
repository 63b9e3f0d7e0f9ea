/** The cluster of the benchmark: an exclusive real Kubernetes, and requests to it. */
import { type Client, createClient, isApiError, loadConfig, processHost } from "@capstan/client";
import { Namespace } from "@capstan/kinds/v1";
import { useKubernetes } from "@capstan/kubernetes";
import { apiOf, installCrds, systemClock } from "@capstan/runtime";
import { inParallel, until } from "../load.ts";
import { MeasuredProcess } from "../measured-process.ts";
import type { Peer } from "./peers.ts";
import { Widget, widget } from "./widget.ts";

/** The context of scenarios. */
export interface World {
  readonly client: Client;
  readonly kubeconfig: string;
}

/** Runs scenarios on an exclusive Kubernetes with the CRD of Widgets. */
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

/** Creates Widgets in a separate namespace. */
export async function makeWidgets({ client }: World, namespace: string, count: number): Promise<void> {
  await client.create(Namespace, { metadata: { name: namespace } });
  await inParallel(count, (at) =>
    client.create(Widget, { metadata: { name: `w${at}`, namespace }, spec: { size: at + 1 } }),
  );
}

/** How many Widgets have the status that their spec requires. */
export async function countDone({ client }: World, namespace: string): Promise<number> {
  let done = 0;
  for await (const { spec, status } of client.list(Widget, { namespace })) if (status?.size === spec.size) done++;
  return done;
}

/** Deletes Widgets and, through the garbage collector, their children; a missing namespace counts as empty. */
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
