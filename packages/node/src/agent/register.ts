/** Registers a node and sends its heartbeats: the Node object, its status and its lease. */
import { isApiError, type Client, type Clock, type Timer } from "@capstan/client";
import { Lease } from "@capstan/kinds/coordination.k8s.io/v1";
import { Node, type NodeCondition, type NodeStatus } from "@capstan/kinds/v1";
import { formatTime } from "../pod/status.ts";
import type { NodeFacts } from "../runtime/runtime.ts";

/** The node to register. */
export interface Registration {
  readonly client: Client;
  readonly clock: Clock;
  readonly name: string;
  readonly facts: NodeFacts;
  readonly labels: { readonly [key: string]: string };
  readonly taints: NonNullable<NonNullable<Node["spec"]>["taints"]>;
  readonly kubeletPort: number | undefined;
}

const leaseNamespace = "kube-node-lease";
const leaseSeconds = 40;
const beat = 10_000;
/** How many heartbeats pass between two writes of an unchanged status. */
const beatsPerStatus = 30;
const kubeletVersion = "v1.36.3";

/** Creates the Node, or adopts the existing Node of that name, and writes its status. */
export async function register(registration: Registration): Promise<Node> {
  const { client, name, taints } = registration;
  const metadata = { name, labels: labelsOf(registration) };
  const spec = taints.length === 0 ? {} : { taints };
  await client.create(Node, { metadata, spec }).catch(async (error: unknown) => {
    if (!isApiError(error, "AlreadyExists")) throw error;
    await client.patch(Node, { name }, { merge: { metadata: { labels: metadata.labels } } });
  });
  return writeStatus(registration, true);
}

function labelsOf({ name, facts, labels }: Registration): { readonly [key: string]: string } {
  const { operatingSystem, architecture } = facts.nodeInfo;
  return {
    "kubernetes.io/hostname": name,
    "kubernetes.io/os": operatingSystem,
    "kubernetes.io/arch": architecture,
    "beta.kubernetes.io/os": operatingSystem,
    "beta.kubernetes.io/arch": architecture,
    ...labels,
  };
}

/** Writes the status of the node. */
export async function writeStatus(registration: Registration, isReady: boolean): Promise<Node> {
  const { client, name } = registration;
  const { status } = await client.get(Node, { name });
  const patch = { strategic: { status: statusOf(registration, status?.conditions ?? [], isReady) } };
  return client.patch(Node, { name }, patch, { subresource: "status" });
}

function statusOf(registration: Registration, before: readonly NodeCondition[], isReady: boolean): NodeStatus {
  const { facts, name, clock, kubeletPort } = registration;
  const time = formatTime(clock.wall());
  return {
    ...(facts.runtimeHandlers === undefined ? {} : { runtimeHandlers: facts.runtimeHandlers }),
    capacity: facts.capacity,
    allocatable: facts.capacity,
    addresses: [...facts.addresses, { type: "Hostname", address: name }],
    nodeInfo: {
      ...facts.nodeInfo,
      bootID: `${name}-boot`,
      machineID: name,
      systemUUID: name,
      kubeletVersion,
      kubeProxyVersion: "",
    },
    conditions: conditionsOf(isReady).map((one) => {
      const old = before.find(({ type }) => type === one.type);
      const since = old?.status === one.status ? (old.lastTransitionTime ?? time) : time;
      return { ...one, lastHeartbeatTime: time, lastTransitionTime: since };
    }),
    ...(kubeletPort === undefined ? {} : { daemonEndpoints: { kubeletEndpoint: { Port: kubeletPort } } }),
  };
}

function conditionsOf(isReady: boolean): readonly NodeCondition[] {
  const enough = (type: string, what: string, reason: string): NodeCondition => {
    return { type, status: "False", reason: `KubeletHas${reason}`, message: `kubelet has ${what}` };
  };
  return [
    enough("MemoryPressure", "sufficient memory available", "SufficientMemory"),
    enough("DiskPressure", "no disk pressure", "NoDiskPressure"),
    enough("PIDPressure", "sufficient PID available", "SufficientPID"),
    isReady
      ? { type: "Ready", status: "True", reason: "KubeletReady", message: "kubelet is posting ready status" }
      : { type: "Ready", status: "False", reason: "KubeletNotReady", message: "node is shutting down" },
  ];
}

/**
 * Renews the lease until it is stopped. Writes the status at intervals, and at once if another client changed it. Calls `heard` after
 * each heartbeat that succeeded; a failed one is retried at the next heartbeat.
 */
export function startHeartbeat(registration: Registration, heard: () => void = () => {}): { stop(): void } {
  const { clock } = registration;
  let timer: Timer | undefined;
  let beats = 0;
  let isStopped = false;
  const run = async (): Promise<void> => {
    try {
      await renewLease(registration);
      if (++beats % beatsPerStatus === 0 || !(await isKnownReady(registration))) await writeStatus(registration, true);
      if (!isStopped) heard();
    } catch {
      // The API server did not receive the heartbeat; the next one may succeed.
    }
    if (isStopped) return;
    timer = clock.later(beat, () => void run());
    timer.unref?.();
  };
  void run();
  return {
    stop() {
      isStopped = true;
      timer?.cancel();
    },
  };
}

/** Whether the API server reports the node as ready: the node controller sets it to Unknown after missed heartbeats. */
async function isKnownReady({ client, name }: Registration): Promise<boolean> {
  const { status } = await client.get(Node, { name });
  return status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") ?? false;
}

async function renewLease({ client, clock, name }: Registration): Promise<void> {
  const renewTime = new Date(clock.wall()).toISOString().replace("Z", "000Z");
  const spec = { holderIdentity: name, leaseDurationSeconds: leaseSeconds, renewTime };
  const target = { namespace: leaseNamespace, name };
  await client.patch(Lease, target, { merge: { spec } }).catch(async (error: unknown) => {
    if (!isApiError(error, "NotFound")) throw error;
    const owner = await client.get(Node, { name });
    const ownerReferences = [{ apiVersion: "v1", kind: "Node", name, uid: owner.metadata.uid }];
    await client.create(Lease, { metadata: { ...target, ownerReferences }, spec });
  });
}
