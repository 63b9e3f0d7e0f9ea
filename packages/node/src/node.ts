/** A node: registers itself, watches its pods, runs a worker for each, and reports their status to the API server. */
import { isApiError, type Client, type Clock } from "@capstan/client";
import { Node, Pod, type PodStatus, Service } from "@capstan/kinds/v1";
import { follow } from "./agent/follow.ts";
import { objectsOf, type Objects } from "./agent/objects.ts";
import { missingPullSecrets, pullSecretsOf } from "./agent/pull-secrets.ts";
import { recorderTo } from "./agent/recorder.ts";
import { register, startHeartbeat, writeStatus, type Registration } from "./agent/register.ts";
import { reporterTo } from "./agent/reporter.ts";
import { tokensOf } from "./agent/tokens.ts";
import { environmentOf } from "./environment/environment.ts";
import { serviceVariables } from "./environment/services.ts";
import { NodeError } from "./errors.ts";
import { serveKubelet } from "./kubelet/api.ts";
import type { KubeletAnswer, KubeletCall } from "./kubelet/call.ts";
import type { KubeletRequest } from "./kubelet/request.ts";
import { type BoundPod, containersOf } from "./pod/containers.ts";
import { admit, type Room } from "./pod/admit.ts";
import type { WorkerTools } from "./pod/bench.ts";
import { judgeResize } from "./pod/resize.ts";
import { PodWorker } from "./pod/worker.ts";
import type { NodeFacts, Runtime } from "./runtime/runtime.ts";
import { volumesOf } from "./volume/contents.ts";

/** Options of a node. */
export interface NodeOptions {
  readonly client: Client;
  readonly name: string;
  readonly runtime: Runtime;
  readonly clock: Clock;
  readonly labels?: { readonly [key: string]: string };
  readonly taints?: NonNullable<NonNullable<Node["spec"]>["taints"]>;
  /** Whether events are written. Default: true. Simulations of thousands of pods turn them off. */
  readonly events?: boolean;
  /** Whether the lease is renewed. Default: true. Simulations that wait for an idle state turn it off. */
  readonly heartbeat?: boolean;
  /** The port of the kubelet API in the Node's status. */
  readonly kubeletPort?: number;
  /** How often volumes are updated and their sizes checked, in milliseconds. Default: never. */
  readonly volumeRefresh?: number;
}

/** A running node. */
export interface RunningNode extends AsyncDisposable {
  readonly name: string;
  readonly runtime: Runtime;
  /** The worker of a pod, by the pod's uid. */
  worker(uid: string): PodWorker | undefined;
  /** The worker of a pod, by namespace and name. */
  find(namespace: string, name: string): PodWorker | undefined;
  /** Handles a request of an API server to the kubelet. */
  handle(request: KubeletRequest, call: KubeletCall): Promise<KubeletAnswer>;
  /** Evicts a pod, as under node pressure. */
  evict(uid: string, message: string): void;
  /** Stops watching and reporting, as if the node had lost power; `ended` also reports the node as not ready. */
  close(how?: "ended" | "lost"): Promise<void>;
}

/** Starts a node. Resolves when the node is registered and has listed its pods. */
export async function startNode(options: NodeOptions): Promise<RunningNode> {
  const facts = await options.runtime.facts();
  const registration = registrationOf(options, facts);
  await register(registration);
  const ending = new AbortController();
  const workers = new Map<string, PodWorker>();
  // The node controller marks the pods of a lost node as not ready: their actual status is reported again.
  const insist = (): void => workers.forEach((worker) => worker.insist());
  const heart = options.heartbeat === false ? undefined : startHeartbeat(registration, insist);
  const tools = toolsOf(options, facts, { workers, signal: ending.signal });
  const synced = followPods(options, { workers, tools, signal: ending.signal });
  await synced;
  const stopRefreshing = refreshVolumes(options, workers);
  const close = async (how: "ended" | "lost" = "ended"): Promise<void> => {
    if (ending.signal.aborted) return;
    ending.abort();
    heart?.stop();
    stopRefreshing();
    for (const worker of workers.values()) worker.close();
    if (how === "ended") await writeStatus(registration, false).catch(() => {});
    await options.runtime[Symbol.asyncDispose]();
  };
  const find: RunningNode["find"] = (namespace, name) => findWorker(workers, namespace, name);
  const { runtime, clock, name } = options;
  const kubelet = { nodeName: name, clock, streaming: runtime.streaming, find, workers: () => workers.values() };
  return {
    name,
    runtime,
    worker: (uid) => workers.get(uid),
    find,
    handle: (request, call) => serveKubelet(request, call, kubelet),
    evict: (uid, message) => workers.get(uid)?.evict(message),
    close,
    [Symbol.asyncDispose]: () => close(),
  };
}

type Workers = Map<string, PodWorker>;

function findWorker(workers: Workers, namespace: string, name: string): PodWorker | undefined {
  for (const worker of workers.values()) {
    const { metadata } = worker.situation.pod;
    if (metadata.namespace === namespace && metadata.name === name) return worker;
  }
  return undefined;
}

function registrationOf(options: NodeOptions, facts: NodeFacts): Registration {
  const { client, clock, name, labels = {}, taints = [], kubeletPort } = options;
  return { client, clock, name, facts, labels, taints, kubeletPort };
}

interface Surroundings {
  readonly workers: Workers;
  readonly signal: AbortSignal;
}

function toolsOf(options: NodeOptions, facts: NodeFacts, { workers, signal }: Surroundings): WorkerTools {
  const { client, clock, runtime, name } = options;
  const objects = objectsOf(client);
  const tokens = tokensOf(client, clock);
  const reporter = reporterTo(client, clock);
  const recorder = recorderTo(client, clock, name);
  const allocatable = facts.capacity;
  const ownNode = runtime.runsPrograms ? followOwn(options, signal) : () => undefined;
  const roomFor = (pod: BoundPod): Room => ({ allocatable, others: othersOf(pod, workers), node: ownNode() });
  const services = runtime.runsPrograms ? followServices(options, signal) : async () => [];
  const hostIps = facts.addresses.filter(({ type }) => type === "InternalIP").map(({ address }) => address);
  return {
    runtime,
    clock,
    hostIps,
    scheme: facts.nodeInfo.containerRuntimeVersion.split("://")[0] ?? "capstan",
    volumes: (pod, how) => volumesOf(pod, { objects, tokens, allocatable, ...how }),
    pullSecrets: (pod) => pullSecretsOf(pod, objects),
    missingPullSecrets: (pod) => missingPullSecrets(pod, objects),
    handler: (pod) => handlerOf(pod, objects),
    async environment({ pod, container, sandbox }) {
      const found = containersOf(pod.spec).find(({ spec }) => spec.name === container);
      if (found === undefined) throw new NodeError("Internal", `the pod has no container ${container}`);
      const addressed = { ...pod, status: { ...pod.status, ...addressesOf(sandbox.ips, hostIps) } };
      const links = serviceVariables(visibleServices(await services(), pod));
      return environmentOf(addressed, found.spec, { objects, allocatable, services: links });
    },
    // A simulated node admits every pod: its capacity is checked by the scheduler.
    admit: (pod) => admit(pod, runtime.runsPrograms ? roomFor(pod) : { allocatable: {}, others: [] }),
    judgeResize: (pod) => judgeResize(pod, roomFor(pod)),
    report: (pod, status, extent) => reporter.report(pod, status, extent),
    record: options.events === false ? () => {} : (pod, event) => recorder.record(pod, event),
    forget: async (pod) => {
      await reporter.written(pod.metadata.uid);
      await removePod(client, pod);
    },
    ended: (pod) => {
      workers.delete(pod.metadata.uid);
      tokens.drop(pod.metadata.uid);
      runtime.forgetPod?.(pod).catch(() => {});
    },
  };
}

/** The addresses that a container may refer to before they are in the pod's status. */
function addressesOf(ips: readonly string[], hostIps: readonly string[]): Partial<PodStatus> {
  const lists = { podIPs: ips.map((ip) => ({ ip })), hostIPs: hostIps.map((ip) => ({ ip })) };
  return { podIP: ips[0] ?? "", hostIP: hostIps[0] ?? "", ...lists };
}

/** Watches the node's own object: other clients may set labels and taints. */
function followOwn({ client, clock, name }: NodeOptions, signal: AbortSignal): () => Node | undefined {
  let own: Node | undefined;
  const follower = {
    seen: (node: Node) => void (own = node),
    gone: () => void (own = undefined),
    synced: () => {},
  };
  void follow(Node, follower, { client, clock, signal, fieldSelector: `metadata.name=${name}` });
  return () => own;
}

function othersOf({ metadata }: BoundPod, workers: Workers): readonly BoundPod[] {
  const isOver = ({ phase }: NonNullable<BoundPod["status"]>): boolean => phase === "Succeeded" || phase === "Failed";
  return Array.from(workers.values(), ({ situation }) => situation.pod).filter(
    (pod) => pod.metadata.uid !== metadata.uid && !isOver(pod.status ?? {}),
  );
}

async function handlerOf({ spec: { runtimeClassName = "" } }: BoundPod, objects: Objects): Promise<string> {
  if (runtimeClassName === "") return "";
  const found = await objects.runtimeClass(runtimeClassName);
  if (found !== undefined) return found.handler;
  throw new NodeError("FailedCreatePodSandBox", `RuntimeClass "${runtimeClassName}" not found`);
}

async function removePod(client: Client, { metadata }: BoundPod): Promise<void> {
  const { name, namespace = "", uid } = metadata;
  const preconditions = { uid };
  try {
    await client.delete(Pod, { name, namespace, gracePeriodSeconds: 0, preconditions });
  } catch (error) {
    if (!isApiError(error, "NotFound", "Conflict")) throw error;
  }
}

/** A container gets the variables of the services in its namespace, if `enableServiceLinks` is set, and always those of the API server. */
function visibleServices(services: readonly Service[], { metadata, spec }: BoundPod): readonly Service[] {
  return services.filter((service) => {
    const { namespace, name } = service.metadata;
    if (namespace === "default" && name === "kubernetes") return true;
    return spec.enableServiceLinks !== false && namespace === metadata.namespace;
  });
}

function followServices({ client, clock }: NodeOptions, signal: AbortSignal): () => Promise<readonly Service[]> {
  const services = new Map<string, Service>();
  const synced = new Promise<void>((resolve) => {
    const follower = {
      seen: (service: Service) => void services.set(service.metadata.uid, service),
      gone: (service: Service) => void services.delete(service.metadata.uid),
      synced: resolve,
    };
    void follow(Service, follower, { client, clock, signal });
  });
  return async () => {
    await synced;
    return [...services.values()];
  };
}

interface Following extends Surroundings {
  readonly tools: WorkerTools;
}

function followPods({ client, clock, name }: NodeOptions, { workers, tools, signal }: Following): Promise<void> {
  return new Promise<void>((resolve) => {
    const follower = {
      seen(object: Pod) {
        if (object.spec === undefined) return;
        const pod = { ...object, spec: object.spec };
        const uid = pod.metadata.uid;
        const worker = workers.get(uid);
        if (worker === undefined) workers.set(uid, new PodWorker(pod, tools));
        else worker.update(pod);
      },
      gone: (pod: Pod) => workers.get(pod.metadata.uid)?.vanish(),
      synced: resolve,
    };
    void follow(Pod, follower, { client, clock, signal, fieldSelector: `spec.nodeName=${name}` });
  });
}

function refreshVolumes({ clock, volumeRefresh }: NodeOptions, workers: Workers): () => void {
  if (volumeRefresh === undefined) return () => {};
  let timer = clock.later(volumeRefresh, tick);
  function tick(): void {
    for (const worker of workers.values()) {
      worker.refreshVolumes().catch(() => {});
      worker.checkSizes().catch(() => {});
    }
    timer = clock.later(volumeRefresh ?? 0, tick);
  }
  return () => timer.cancel();
}
