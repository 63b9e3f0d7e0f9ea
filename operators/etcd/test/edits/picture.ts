/** The parts of a cluster without what differs between any two clusters: names, ids, addresses, how each member was bootstrapped. */
import assert from "node:assert/strict";
import type { KubeObject } from "../stories/kube.ts";
import type { Scene } from "../stories/scene.ts";

interface PodShape {
  readonly metadata: {
    readonly labels?: { readonly [label: string]: string };
    readonly annotations?: { readonly [annotation: string]: string };
  };
  readonly spec: {
    readonly containers: readonly {
      readonly image: string;
      readonly args?: readonly string[];
      readonly resources?: unknown;
    }[];
    readonly nodeSelector?: unknown;
    readonly serviceAccountName?: string;
  };
}

interface ClusterShape {
  readonly status?: {
    readonly version?: string;
    readonly size?: number;
    readonly ready?: number;
    readonly advice?: unknown;
    readonly members?: readonly { readonly role: string; readonly version?: string; readonly health: string }[];
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason: string }[];
  };
}

/** Flags with the identity and the bootstrap of a member. */
const OWN = /^--(name|initial-|advertise-|force-new-cluster)/u;
const OF_CLUSTER = "labelSelector=etcd.capstan.dev/cluster";

export async function pictureOf(scene: Scene, name: string): Promise<unknown> {
  const { kube } = scene;
  const pods = (await kube.list(`${scene.path("pods")}?${OF_CLUSTER}=${name}`)) as unknown as readonly PodShape[];
  const prints = new Set(pods.map(({ metadata }) => metadata.annotations?.["etcd.capstan.dev/print"]));
  assert.equal(prints.size, Math.min(1, pods.length), `the pods of ${name} are all made from the same`);
  const cluster = (await kube.get(scene.path("etcdclusters", name, "/apis/etcd.capstan.dev/v1"))) as ClusterShape;
  const { version, size, ready, advice, members = [], conditions = [] } = cluster.status ?? {};
  return {
    pods: pods.map((pod) => shapeOf(pod, name)),
    service: serviceShape(await kube.get(scene.path("services", `${name}-client`))),
    budget: specOf(await kube.get(scene.path("poddisruptionbudgets", name, "/apis/policy/v1")))["minAvailable"],
    secrets: (await kube.list(`${scene.path("secrets")}?${OF_CLUSTER}=${name}`))
      .map(({ metadata }) => metadata.name.replace(name, "NAME"))
      .toSorted(),
    status: { version, size, ready, advice },
    members: members.map(({ role, version: runs, health }) => `${role} ${runs} ${health}`).toSorted(),
    conditions: conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`),
  };
}

function shapeOf({ metadata, spec }: PodShape, name: string): unknown {
  const [container] = spec.containers;
  const flags = container?.args?.filter((flag) => !OWN.test(flag));
  return {
    labels: Object.keys(metadata.labels ?? {}).toSorted(),
    image: container?.image,
    flags: flags?.map((flag) => flag.replace(`=${name}-`, "=NAME-")),
    resources: container?.resources,
    containers: spec.containers.length,
    nodeSelector: spec.nodeSelector,
  };
}

function serviceShape(service: KubeObject | undefined): unknown {
  return { type: specOf(service)["type"], annotations: service?.metadata["annotations"] };
}

function specOf(object: KubeObject | undefined): { readonly [field: string]: unknown } {
  return (object?.["spec"] ?? {}) as { readonly [field: string]: unknown };
}
