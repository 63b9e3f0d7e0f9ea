/** The operator everyone knows: a Memcached becomes a Deployment, and its status lists the pods. */
import { controller, defineResource, operator, s } from "capstan";
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

export const memcached = controller(
  Memcached,
  { owns: [Deployment], reads: [Pod] },
  async ({ object, apply, find, status }) => {
    const { name } = object.metadata;
    const labels = { "cache.example.com/name": name };
    const container = { name: "memcached", image: object.spec.image, ports: [{ containerPort: 11211 }] };
    const deployment = await apply(Deployment, name, {
      spec: {
        replicas: object.spec.size,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [container] } },
      },
    });
    const pods = find(Pod, { labels });
    status.nodes = pods.map((pod) => pod.metadata.name).sort();
    const ready = deployment.status?.readyReplicas ?? 0;
    status.condition("Available", ready === object.spec.size, {
      message: `${ready} of ${object.spec.size} servers answer`,
    });
  },
);

export const app = operator({ controllers: [memcached] });

await app.runIfMain(import.meta);
