/** Mistakes that do not compile. */
import type { Client } from "@capstan/client";
import { ConfigMap, Namespace, Pod, Secret, Service } from "@capstan/kinds/v1";
import { Deployment } from "@capstan/kinds/apps/v1";
import type { ObjectOf } from "@capstan/model";
import { defineResource, s } from "@capstan/schema";
import { index } from "../src/cache/lookup.ts";
import { controller, watch } from "../src/define.ts";
import { gauge } from "../src/metrics/metric.ts";
import type { Declared } from "../src/reconcile/context.ts";
import { dependent } from "../src/reconcile/dependents.ts";
import { toMilliseconds } from "../src/errors.ts";
import { requeue } from "../src/reconcile/outcome.ts";
import { fieldsChanged } from "../src/trigger/predicate.ts";
import { every } from "../src/trigger/source.ts";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function holds<T extends true>(_proof?: T): void {}

const Cache = defineResource({
  group: "cache.example.com",
  version: "v1",
  kind: "Cache",
  spec: s.object({ size: s.int32().default(1), tags: s.array(s.string()).default([]) }),
  status: s.object({ nodes: s.array(s.string()).default([]) }),
  conditions: { Available: "it answers" },
});

// A kind that was not declared: the compiler error says what to do.
holds<Equal<Declared<typeof Secret, typeof ConfigMap, "add it">, "add it">>();
holds<Equal<Declared<typeof ConfigMap, typeof ConfigMap | typeof Pod, "add it">, typeof ConfigMap>>();

const members = gauge("members", "how many there are", ["cache"]);

controller(
  Cache,
  { owns: [Deployment, ConfigMap], reads: [Pod] },
  async ({ object, apply, find, get, status, remove }) => {
    holds<Equal<typeof object.spec.size, number>>();
    // @ts-expect-error: objects from the cache are shared and cannot be changed
    object.spec.size = 2;
    // @ts-expect-error: nor can lists in them
    object.spec.tags.push("x");
    // @ts-expect-error: nor can their metadata
    object.metadata.labels = {};

    // @ts-expect-error: Secret was not declared, so its permission would be missing too
    await apply(Secret, "a", {});
    // @ts-expect-error: Pod is only read
    await apply(Pod, "a", {});
    // @ts-expect-error: Pod is only read
    await remove(Pod, "a");
    // @ts-expect-error: Secret was not declared
    find(Secret);
    // @ts-expect-error: Secret was not declared
    get(Secret, "a");
    // @ts-expect-error: replicas is a number
    await apply(Deployment, "a", { spec: { replicas: "3" } });
    // @ts-expect-error: there is no field replicaCount
    await apply(Deployment, "a", { spec: { replicaCount: 3 } });
    // @ts-expect-error: the status of a child is for whoever runs it to say, and servers drop it
    await apply(Deployment, "a", { status: { replicas: 1 } });
    // @ts-expect-error: values of a ConfigMap are text
    await apply(ConfigMap, "a", { data: { size: 1 } });

    await apply(ConfigMap, "a", { metadata: { labels: { a: "b" } } });
    // @ts-expect-error: the name is the second argument
    await apply(ConfigMap, "a", { metadata: { name: "other" } });
    // @ts-expect-error: and a label is a text
    await apply(ConfigMap, "a", { metadata: { labels: { a: 1 } } });

    const pods = find(Pod, { labels: { app: "x" } });
    holds<Equal<(typeof pods)[number]["metadata"]["name"], string>>();
    // @ts-expect-error: what is found is shared and cannot be changed
    pods[0].metadata.name = "other";
    // @ts-expect-error: the result of find is a list that may be empty
    pods[0].metadata.name.toUpperCase();

    status.nodes = ["a"];
    status.nodes.push("b");
    // @ts-expect-error: nodes are texts
    status.nodes = [1];
    // @ts-expect-error: there is no field node
    status.node = "a";
    // @ts-expect-error: conditions are declared with status.condition, which keeps their times
    status.conditions = [];
    status.condition("Available", true, { reason: "Answers" });
    // @ts-expect-error: Ready was not declared
    status.condition("Ready", true);
    // @ts-expect-error: a condition is true, false or unknown
    status.condition("Available", "True");
  },
);

controller(Cache, {}, () => requeue("5m", { reason: "why" }));
controller(Cache, { timeout: "1h30m" }, ({ object }) => requeue(toMilliseconds(object.spec.tags[0] ?? "1.5h")));
// @ts-expect-error: text that only the program knows goes through toMilliseconds
controller(Cache, {}, ({ object }) => requeue(object.spec.tags[0] ?? "1.5h"));
// @ts-expect-error: durations have units of one or two letters
controller(Cache, {}, () => requeue("5 minutes"));
// @ts-expect-error: nor is a word one
controller(Cache, { timeout: "soon" }, () => undefined);
// @ts-expect-error: nor is text without a unit
controller(Cache, { sources: [every("5")] }, () => undefined);
controller(Cache, {}, async () => undefined);
// @ts-expect-error: a flag is not a result; requeue(...) is
controller(Cache, {}, () => ({ requeue: true }));
// @ts-expect-error: a boolean is not an answer
controller(Cache, {}, () => true);
// @ts-expect-error: concurrency is a number
controller(Cache, { concurrency: "2" }, () => undefined);
// @ts-expect-error: an object is no kind
controller(Cache, { owns: [{ kind: "ConfigMap" }] }, () => undefined);

controller(Cache, { owns: [ConfigMap], reads: [Pod] }, ({ object, get, find }) => {
  // The reconciled object has the type of its kind: functions over objects accept it directly.
  const sizeOf = (cache: ObjectOf<typeof Cache>): number => cache.spec.size;
  const nodeOf = (pod: ObjectOf<typeof Pod>): string | undefined => pod.spec?.nodeName;
  sizeOf(object);
  find(Pod).map(nodeOf);
  get(ConfigMap, { name: "a", namespace: "other" });
  // @ts-expect-error: a namespace alone names nothing
  get(ConfigMap, { namespace: "other" });
  // @ts-expect-error: objects are readonly
  object.spec.size = 2;
  const pod = get(Pod, "a");
  // @ts-expect-error: those of built-in kinds too
  if (pod?.spec !== undefined) pod.spec.nodeName = "b";
});
fieldsChanged(Cache, "spec.size", "status.nodes", "metadata.labels");
// @ts-expect-error: there is no field spec.sise
fieldsChanged(Cache, "spec.sise");
watch(Pod, (pod) => [`${pod.metadata.namespace}/${pod.spec?.nodeName}`]);
// @ts-expect-error: a Pod has no field data
watch(Pod, (pod) => [pod.data]);
// @ts-expect-error: keys are texts
watch(Pod, () => [1]);

type Action = { readonly do: "grow"; readonly by: number } | { readonly do: "wait" };
const decide = (seen: { readonly size: number }): Action => (seen.size > 1 ? { do: "wait" } : { do: "grow", by: 1 });

controller(
  Cache,
  { owns: [ConfigMap] },
  {
    observe: ({ object }) => ({ size: object.spec.size }),
    decide,
    act: {
      grow: async ({ action, seen, apply }) => {
        holds<Equal<typeof action.by, number>>();
        await apply(ConfigMap, "a", { data: { size: String(seen.size) } });
      },
      wait: () => requeue("10s"),
    },
  },
);
controller(
  Cache,
  {},
  {
    observe: ({ object }) => ({ size: object.spec.size }),
    decide,
    // @ts-expect-error: there is no handler for "wait"
    act: { grow: () => undefined },
  },
);
controller(
  Cache,
  { owns: [ConfigMap] },
  {
    // @ts-expect-error: looking does not write
    observe: ({ object, apply }) => ({ size: object.spec.size, apply }),
    decide,
    act: { grow: () => undefined, wait: () => undefined },
  },
);

const byNode = index(Pod, "node", (pod) => [pod.spec?.nodeName ?? ""]);
// @ts-expect-error: a Pod has no field data
index(Pod, "data", (pod) => [pod.data]);

controller(
  Cache,
  {
    owns: [Deployment, ConfigMap],
    reads: [Pod],
    readyWhen: ["Available"],
    onFieldChange: {
      "spec.size": ({ from, to }) => {
        holds<Equal<typeof from, number | undefined>>();
        holds<Equal<typeof to, number | undefined>>();
      },
    },
    daemon: async ({ object }) => void object()?.spec.size.toFixed(),
  },
  async ({ object, find, create, keep, remove, apply, metric, step, status }) => {
    find(Pod, { index: byNode("n") });
    find(Pod, { owner: object });
    // @ts-expect-error: an index of Pods finds no ConfigMaps
    find(ConfigMap, { index: byNode("n") });
    // @ts-expect-error: an index is asked with a text
    find(Pod, { index: byNode(1) });
    // @ts-expect-error: what owns has a uid
    find(Pod, { owner: "a" });
    // @ts-expect-error: Pod is only read
    await create(Pod, "a", {});
    // @ts-expect-error: a prefix is a text
    await create(ConfigMap, { prefix: 1 }, {});
    // @ts-expect-error: Pod is only read
    keep(Pod, "a");
    // @ts-expect-error: a grace is a duration, not a flag
    await remove(ConfigMap, "a", { grace: true });
    // @ts-expect-error: there is no option own
    await apply(ConfigMap, "a", {}, { own: false });
    metric(members).set({ cache: "a" }, 1);
    // @ts-expect-error: the label cache is missing
    metric(members).set({}, 1);
    // @ts-expect-error: a gauge is set; only counters are added to
    metric(members).add({ cache: "a" });
    const made = await step("make", () => ({ id: 1 }));
    holds<Equal<typeof made.id, number>>();
    // @ts-expect-error: what a step gives is kept as JSON, which a Map is not
    await step("map", () => new Map());
    // @ts-expect-error: a status is told at the end of the reconcile; there is nothing to send
    await status.update();
    // @ts-expect-error: a quantity of replicas is a number, also in a status that is read
    const text: string | undefined = (await apply(Deployment, "a", {})).status?.readyReplicas;
    void text;
  },
);
// @ts-expect-error: Ready cannot follow from a condition that was not declared
controller(Cache, { readyWhen: ["Open"] }, () => undefined);
// @ts-expect-error: there is no field spec.sise
controller(Cache, { onFieldChange: { "spec.sise": () => undefined } }, () => undefined);
// @ts-expect-error: attempts is a number
controller(Cache, { maxAttempts: "3" }, () => undefined);
// @ts-expect-error: a label must be a text
gauge("x", "y", [1]);

const deployment = dependent(Cache, Deployment, {
  desired: ({ object }) => ({ spec: { replicas: object.spec.size } }),
});
dependent(Cache, ConfigMap, {
  after: [deployment],
  desired: ({ of }) => ({ data: { ready: String(of(deployment).status?.readyReplicas) } }),
});
// @ts-expect-error: values of a ConfigMap are text
dependent(Cache, ConfigMap, { desired: ({ object }) => ({ data: { size: object.spec.size } }) });
// @ts-expect-error: what it comes after is a dependent, not a name
dependent(Cache, ConfigMap, { after: ["deployment"], desired: () => ({}) });

declare const client: Client;
void client.get(Namespace, { name: "a" });
void client.get(Pod, { namespace: "n", name: "a" });
// @ts-expect-error: a Pod lives in a namespace
void client.get(Pod, { name: "a" });
// @ts-expect-error: a Namespace does not
void client.get(Namespace, { namespace: "n", name: "a" });
// @ts-expect-error: an apply needs a field manager
void client.apply(ConfigMap, { metadata: { namespace: "n", name: "a" }, data: {} }, {});
// @ts-expect-error: a patch says in which language it is written
void client.patch(ConfigMap, { namespace: "n", name: "a" }, { data: {} });

// Mistakes that a runtime without types would accept, one by one.
const Bare = defineResource({ group: "example.com", version: "v1", kind: "Bare", spec: s.object({}) });
controller(Bare, { owns: [Service, Deployment] }, async ({ status, apply, signal, triggers }) => {
  // @ts-expect-error: a kind without a status has none to write
  status.ready = 1;
  // @ts-expect-error: nor has it conditions
  status.condition("Ready", true);
  // @ts-expect-error: a port is a number or a name, not a flag
  await apply(Service, "a", { spec: { ports: [{ port: 80, targetPort: true }] } });
  const resources = { limits: { cpu: true } };
  // @ts-expect-error: a quantity is a text or a number
  await apply(Deployment, "a", { spec: { template: { spec: { containers: [{ name: "a", resources }] } } } });
  // @ts-expect-error: what goes into a keyed list has its key
  await apply(Deployment, "a", { spec: { template: { spec: { containers: [{ image: "a" }] } } } });
  holds<Equal<typeof signal, AbortSignal>>();
  // @ts-expect-error: why it was called is told, and cannot be changed
  triggers.pop();
});
// @ts-expect-error: finalizers and their names are the runtime's business
controller(Bare, { finalizer: "no-slash" }, () => undefined);
controller(Cache, {}, ({ status }) => {
  // @ts-expect-error: a reason is a text
  status.condition("Available", false, { reason: 404 });
});
// @ts-expect-error: a result and an error at once cannot be said
controller(Bare, {}, () => ({ again: "5m", error: new Error("x") }));
