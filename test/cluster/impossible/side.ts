/** One of the two clusters that get the impossible pods: creates the pods, watches them, and reports what became of each. */
import type { Client } from "@capstan/client";
import { RuntimeClass } from "@capstan/kinds/node.k8s.io/v1";
import { ConfigMap, Event, Node, Pod, Secret, ServiceAccount } from "@capstan/kinds/v1";
import type { Target } from "../target.ts";
import { until } from "../until.ts";
import { endOf, factsOf, isLate, rewriteFor, told, type Volatile } from "./facts.ts";
import { takenPorts } from "./places.ts";
import { runs, staying, type Request } from "./request.ts";
import { configMap } from "./volumes.ts";

/** A cluster with the pods. */
export interface Side {
  readonly node: string;
  ask(name: string, request: Request): Promise<void>;
  /** The state of a pod at the end of its case. */
  facts(name: string): Promise<object>;
  /** The events of a pod so far. */
  events(name: string): Promise<readonly string[]>;
}

/** Many pods on a slow machine take long. */
const patience = 300_000;

/** Prepares a cluster. What it has seen is dropped when the signal aborts. */
export async function openSide({ client, namespace }: Target, registry: string, signal: AbortSignal): Promise<Side> {
  const [node] = (await client.list(Node, {}).all()).items;
  const volatile: Volatile = { namespace, node: node?.metadata.name ?? "", registry };
  await furnish(client, namespace);
  const moments = new Map<string, Pod>();
  const requests = new Map<string, Request>();
  /** The pods to change now. */
  const ready = new Set<string>();
  void watchPods(client, namespace, {
    signal,
    seen(pod) {
      const { name } = pod.metadata;
      const request = requests.get(name);
      const isTold = request?.until(pod) === true && !isLate.test(JSON.stringify(pod.status));
      if (isTold && !moments.has(name)) moments.set(name, pod);
      if (request?.change?.when(pod) === true) ready.add(name);
    },
  });
  const momentOf = (name: string): Promise<Pod> =>
    until(`pod ${name} has told its story`, () => moments.get(name), patience);
  return {
    node: volatile.node,
    async ask(name, request) {
      requests.set(name, request);
      await client.create(Pod, { metadata: { name, namespace }, spec: request.spec });
      if (request.change !== undefined) {
        await until(`pod ${name} is so far`, () => ready.has(name), patience);
        await client.patch(Pod, { namespace, name }, { strategic: { spec: request.change.spec } });
      }
      if (request.thenDeleted === undefined) return;
      await momentOf(name);
      await client.delete(Pod, { namespace, name, gracePeriodSeconds: request.thenDeleted.graceSeconds });
    },
    async facts(name) {
      const pod = await momentOf(name);
      const rewrite = rewriteFor(pod, volatile);
      return requests.get(name)?.isAbrupt === true ? endOf(pod, rewrite) : factsOf(pod, rewrite);
    },
    async events(name) {
      const pod = await momentOf(name);
      const { items } = await client.list(Event, { namespace }).all();
      return told(items, pod, rewriteFor(pod, volatile));
    },
  };
}

interface Watching {
  readonly signal: AbortSignal;
  readonly seen: (pod: Pod) => void;
}

/** Every version of every pod, in order; a watch that ends is restarted. */
async function watchPods(client: Client, namespace: string, { signal, seen }: Watching): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const event of client.watch(Pod, { namespace, sendInitialEvents: true, signal }))
        if (event.type === "ADDED" || event.type === "MODIFIED") seen(event.object);
    } catch {
      // Restarted below, unless the signal has aborted.
    }
  }
}

/** Creates the objects that the pods refer to. */
async function furnish(client: Client, namespace: string): Promise<void> {
  const { name, data } = configMap;
  await client.create(ConfigMap, { metadata: { name, namespace }, data });
  await client.create(Secret, { metadata: { name, namespace }, stringData: { there: "yes" } });
  await client.create(RuntimeClass, { metadata: { name: "unknown" }, handler: "unknown" });
  await until("pods may be made", () =>
    client.get(ServiceAccount, { namespace, name: "default" }).catch(() => undefined),
  );
  const holder = staying({ ports: takenPorts.map((hostPort, index) => ({ containerPort: 80 + index, hostPort })) });
  await client.create(Pod, { metadata: { name: "port-holder", namespace }, spec: holder });
  await until("the port is held", async () => runs()(await client.get(Pod, { namespace, name: "port-holder" })));
}
