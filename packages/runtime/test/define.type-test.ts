/** Mistakes that do not compile. */
import { ConfigMap, Pod, Secret } from "@capstan/kinds/v1";
import { Deployment } from "@capstan/kinds/apps/v1";
import { defineResource, s } from "@capstan/schema";
import { controller, watches } from "../src/define.ts";
import { again } from "../src/reconcile/outcome.ts";
import { fieldsChanged } from "../src/trigger/predicate.ts";

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
    // @ts-expect-error: values of a ConfigMap are text
    await apply(ConfigMap, "a", { data: { size: 1 } });

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

controller(Cache, {}, () => again("5m", "why"));
controller(Cache, {}, async () => undefined);
// @ts-expect-error: requeue flags are not an answer; again() is
controller(Cache, {}, () => ({ requeue: true }));
// @ts-expect-error: a boolean is not an answer
controller(Cache, {}, () => true);
// @ts-expect-error: concurrency is a number
controller(Cache, { concurrency: "2" }, () => undefined);
// @ts-expect-error: an object is no kind
controller(Cache, { owns: [{ kind: "ConfigMap" }] }, () => undefined);

fieldsChanged(Cache, "spec.size", "status.nodes", "metadata.labels");
// @ts-expect-error: there is no field spec.sise
fieldsChanged(Cache, "spec.sise");
watches(Pod, (pod) => [`${pod.metadata.namespace}/${pod.spec?.nodeName}`]);
// @ts-expect-error: a Pod has no field data
watches(Pod, (pod) => [pod.data]);
// @ts-expect-error: keys are texts
watches(Pod, () => [1]);

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
      wait: () => again("10s"),
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
