/** What is there before the first request: namespaces and the default roles and bindings. */
import { formatTime, type KubeObject } from "@capstan/model";
import { bootstrapPolicy } from "./authorize/rbac/bootstrap.ts";
import type { ResourceName } from "./builtin/context.ts";
import type { Clock } from "./clock.ts";
import type { Randomness } from "./parts.ts";

const namespaces = ["default", "kube-node-lease", "kube-public", "kube-system"];

/** The objects of a fresh server, with the resource that each belongs to. */
export function* bootstrapObjects({
  clock,
  randomness,
}: {
  readonly clock: Clock;
  readonly randomness: Randomness;
}): Generator<[ResourceName, KubeObject]> {
  const creationTimestamp = formatTime(clock.now());
  for (const name of namespaces) yield ["namespaces", toNamespace(name, { uid: randomness.uuid(), creationTimestamp })];
  for (const [resource, objects] of Object.entries(bootstrapPolicy())) {
    for (const object of objects) {
      const metadata = { ...object.metadata, uid: randomness.uuid(), creationTimestamp };
      yield [resource, { ...object, metadata }];
    }
  }
}

function toNamespace(name: string, system: { uid: string; creationTimestamp: string }): KubeObject {
  const object = {
    kind: "Namespace",
    apiVersion: "v1",
    metadata: { name, ...system, labels: { "kubernetes.io/metadata.name": name } },
    spec: { finalizers: ["kubernetes"] },
    status: { phase: "Active" },
  };
  return object;
}
