/** Unschedulable pods: their messages must be the same under any control plane. */
import { PriorityClass } from "@capstan/kinds/scheduling.k8s.io/v1";
import { PersistentVolumeClaim, Pod } from "@capstan/kinds/v1";
import { until } from "./until.ts";
import type { World } from "./worlds.ts";

type PodSpec = NonNullable<Pod["spec"]>;

const container = (requests: { readonly [name: string]: string } = {}): PodSpec["containers"][number] => ({
  name: "x",
  image: "x",
  // Extended resources must have equal requests and limits.
  resources: { requests, limits: requests },
});
const withPort = { ...container(), ports: [{ containerPort: 80, hostPort: 8080 }] };
const claim = (claimName: string): PodSpec => ({
  containers: [container()],
  volumes: [{ name: "data", persistentVolumeClaim: { claimName } }],
});

const hopeless: { readonly [name: string]: PodSpec } = {
  large: { containers: [container({ cpu: "1000" })] },
  "large-in-two-ways": { containers: [container({ cpu: "1000", memory: "1000Gi" })] },
  unknown: { containers: [container({ "example.com/thing": "1" })] },
  elsewhere: { containers: [container()], nodeSelector: { zone: "none" } },
  "port-taken": { containers: [withPort] },
  modest: { containers: [container({ cpu: "1000" })], priorityClassName: "modest" },
  alone: {
    containers: [container()],
    affinity: {
      podAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { labelSelector: { matchLabels: { app: "nobody" } }, topologyKey: "kubernetes.io/hostname" },
        ],
      },
    },
  },
  "no-claim": claim("none"),
  unbound: claim("unbound"),
};

/** All pods at once, with their messages. */
export async function unschedulable({ client, namespace }: World): Promise<object> {
  const make = (name: string, spec: PodSpec): Promise<unknown> =>
    client.create(Pod, { metadata: { name, namespace }, spec });
  await client.create(PriorityClass, { metadata: { name: "modest" }, value: 1, preemptionPolicy: "Never" });
  await make("port-holder", { containers: [withPort] });
  await until("the port is held", async () => {
    return (await client.get(Pod, { namespace, name: "port-holder" })).status?.phase === "Running";
  });
  await client.create(PersistentVolumeClaim, {
    metadata: { name: "unbound", namespace },
    spec: { accessModes: ["ReadWriteOnce"], storageClassName: "nobody", resources: { requests: { storage: "1Mi" } } },
  });
  for (const [name, spec] of Object.entries(hopeless)) await make(name, spec);
  const told = Object.keys(hopeless).map(async (name): Promise<readonly [string, unknown]> => {
    const { reason, message, observedGeneration } = await until(`pod ${name} is told why it waits`, async () => {
      const { status } = await client.get(Pod, { namespace, name });
      return status?.conditions?.find(
        ({ type, status: state, message = "" }) =>
          type === "PodScheduled" &&
          state === "False" &&
          // A scheduler may see a pod before the claim that was created first.
          !message.includes(`"unbound" not found`),
      );
    });
    return [name, { reason, message, observedGeneration }];
  });
  return Object.fromEntries(await Promise.all(told));
}
