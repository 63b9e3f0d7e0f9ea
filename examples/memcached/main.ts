/** The well-known operator: a Memcached becomes a Deployment, and its status lists the pods. */
import { controller, defineResource, meter, type ObjectOf, operator, requeue, s } from "capstan";
import { Deployment } from "capstan/kinds/apps/v1";
import { Pod } from "capstan/kinds/v1";

export const Memcached = defineResource({
  group: "cache.example.com",
  version: "v1alpha1",
  kind: "Memcached",
  spec: s.object({
    size: s.int32().min(0).default(1).describe("How many servers to run"),
    image: s.string().default("memcached:1.6").describe("The image to run"),
  }),
  status: s.object({ nodes: s.array(s.string()).default([]).describe("The names of the pods") }),
  conditions: { Available: "As many servers answer as were asked for" },
  columns: { Size: "spec.size", Available: "condition:Available" },
  rules: [s.rule("self.size <= 100", "at most 100 servers")],
});

/** The name of an object's children: names may be longer than a label value. */
const keyOf = ({ metadata: { name, uid } }: ObjectOf<typeof Memcached>) => (name.length > 63 ? uid : name);
const labelsOf = (object: ObjectOf<typeof Memcached>) => ({ "cache.example.com/name": keyOf(object) });

/** The Deployment that runs this many servers. */
const servers = (object: ObjectOf<typeof Memcached>, replicas: number) => ({
  spec: {
    replicas,
    selector: { matchLabels: labelsOf(object) },
    template: {
      metadata: { labels: labelsOf(object) },
      spec: { containers: [{ name: "memcached", image: object.spec.image, ports: [{ containerPort: 11211 }] }] },
    },
  },
});

export const memcached = controller(
  Memcached,
  {
    owns: [Deployment],
    reads: [Pod],
    // The object holds its name until the last server has stopped: a recreated one never meets servers of the old one.
    cleanup: async ({ object, apply, find }) => {
      await apply(Deployment, keyOf(object), servers(object, 0));
      const left = find(Pod, { labels: labelsOf(object) }).length;
      return left > 0 ? requeue("1m", { reason: `${left} servers still run` }) : undefined;
    },
  },
  async ({ object, apply, find, status }) => {
    const deployment = await apply(Deployment, keyOf(object), servers(object, object.spec.size));
    const pods = find(Pod, { labels: labelsOf(object) });
    status.nodes = pods.map((pod) => pod.metadata.name).sort();
    // Deployments and pods are watched separately, and either may be behind the other. More pods than requested count as enough.
    const ready = Math.min(deployment.status?.readyReplicas ?? 0, status.nodes.length, object.spec.size);
    status.condition("Available", ready === object.spec.size, `${ready} of ${object.spec.size} servers answer`);
  },
);

/** Servers are billable while they are asked for: five servers for an hour are 5 server-hours. */
export const usage = meter(Memcached, {
  name: "memcached.servers",
  unit: "server",
  value: ({ spec }) => spec.size,
  dimensions: { image: "spec.image" },
});

export const app = operator({ name: "memcached", controllers: [memcached], meters: [usage] });

await app.runIfMain(import.meta);
