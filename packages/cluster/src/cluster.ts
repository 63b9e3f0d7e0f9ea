/** The embedded cluster, put together: an API server, the built-in controllers, the garbage collector, the scheduler and nodes. */
import { administrator, admissionSteps, openHttpCaller, startApiServer, toKubeconfig } from "@capstan/apiserver";
import type { ApiServer, HttpCaller } from "@capstan/apiserver";
import { createClient, processHost } from "@capstan/client";
import type { Client } from "@capstan/client";
import type { MachineOptions, RunningNode } from "@capstan/node";
import type { Store } from "@capstan/oci";
import { apiOf, operator, silentLog, systemClock, systemRandom } from "@capstan/runtime";
import type { Clock, Log, Random, RunningOperator } from "@capstan/runtime";
import { createClusterClock } from "./cluster-clock.ts";
import { startCompaction } from "./api-server/compaction.ts";
import { builtinControllers } from "./controllers.ts";
import { inProcessTransport } from "./api-server/in-process-transport.ts";
import { watchServedKinds } from "./informer/served-kinds.ts";
import { startGarbageCollector } from "./garbage-collector/collector.ts";
import { startOrphanPodController } from "./job/orphan-pods.ts";
import { metricsServer } from "./metrics/server.ts";
import type { MetricsServer } from "./metrics/server.ts";
import { startNamespaceController } from "./namespace/controller.ts";
import type { Faults } from "./network/faults.ts";
import type { ClusterNetwork } from "./network/network.ts";
import { createNodeConnections } from "./nodes/connections.ts";
import type { NodeConnections } from "./nodes/connections.ts";
import { FIRST_NODE_ADDRESS, startRealNodes } from "./nodes/real.ts";
import type { RealNode, RealNodes } from "./nodes/real.ts";
import { startSimulatedNodes } from "./nodes/simulated.ts";
import type { ClusterNode } from "./nodes/simulated.ts";
import { openStateFolder } from "./nodes/state-folder.ts";
import { startPodGcController } from "./pod-gc/controller.ts";
import { startScheduler } from "./scheduler/scheduler.ts";
import { startServiceCidrs } from "./service-cidr/controller.ts";
import { startServiceAddresses } from "./service-cidr/ip-addresses.ts";
import type { ControllerContext } from "./controller/context.ts";
import { yieldBetweenCalls } from "./api-server/yielding-handler.ts";
import { startVolumeProtection } from "./volume/protection.ts";
import { provideStorageClass } from "./volume/storage-class.ts";

/** How to start a cluster. Everything has a default. */
export interface ClusterOptions {
  /** Time: that of the machine unless said otherwise. */
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Log;
  /** The name in the kubeconfig: `capstan` unless said otherwise. */
  readonly name?: string;
  /** A folder in which the state is kept, the files of pods included; without it, the state dies with the cluster. */
  readonly data?: string;
  /** Where real pods keep their files: below `data`, or in a temporary folder, unless said otherwise. */
  readonly state?: string;
  /** How pods run: simulated ones, the default, run nothing and become ready; real ones are programs of this machine (Linux). */
  readonly pods?: "simulated" | "real";
  /** How many nodes there are: 1 unless said otherwise. */
  readonly nodes?: number;
  /** What each node has to offer. */
  readonly capacity?: { readonly [resource: string]: string };
  /** Whether nodes renew their leases: yes, unless the world of a test is to come to rest. */
  readonly heartbeat?: boolean;
  /** Listens on this port of 127.0.0.1, 0 for any; without it, a cluster of simulated pods is reached in process only. */
  readonly port?: number;
  /** The images that real pods may use; a store of the cluster's own by default. */
  readonly images?: Store;
  /** How real pods get images that are not in the store; not at all by default. */
  readonly registry?: NonNullable<MachineOptions["session"]>;
}

/** The options of a cluster whose pods are programs. */
export interface RealClusterOptions extends ClusterOptions {
  readonly pods: "real";
}

/** The options of a cluster whose pods are simulated. */
export interface SimulatedClusterOptions extends ClusterOptions {
  readonly pods?: "simulated";
}

/** A cluster that runs. */
export interface Cluster<N extends RunningNode = ClusterNode> extends AsyncDisposable {
  /** Acts as the administrator, without a socket. */
  readonly client: Client;
  /** The API server as a function of the Web platform. */
  readonly fetch: (request: Request) => Promise<Response>;
  readonly server: ApiServer;
  /** The text of a kubeconfig; undefined when the cluster does not listen. */
  readonly kubeconfig: string | undefined;
  /** The built-in controllers. */
  readonly controllers: RunningOperator;
  readonly nodes: readonly N[];
  stop(): Promise<void>;
}

/** A cluster whose pods are programs: it has a network that can be entered, and images. */
export interface RealCluster extends Cluster<RealNode> {
  readonly network: ClusterNetwork;
  readonly images: Store;
  /** Makes lines of pods and nodes fail. */
  readonly faults: Faults;
  /** Resolves when what all pods run in has ended by itself: then the cluster is of no more use and is to be stopped. */
  readonly lost: Promise<void>;
}

/** Starts a cluster; it is ready to be used when this resolves. */
export function startCluster(options: RealClusterOptions): Promise<RealCluster>;
export function startCluster(options?: SimulatedClusterOptions): Promise<Cluster>;
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster | RealCluster> {
  return options.pods === "real" ? startReal(options) : startSimulated(options);
}

async function startSimulated(options: ClusterOptions): Promise<Cluster> {
  const { nodes = 1, capacity, heartbeat = true } = options;
  const connections = createNodeConnections();
  const controlPlane = await startControlPlane(options, { connections, removeVolume: async () => {} });
  const started = await startSimulatedNodes(controlPlane.context, { nodes, capacity, heartbeat });
  for (const node of started) connections.add(node);
  const stop = async (): Promise<void> => {
    await Promise.all(started.map((node) => node.close("lost")));
    await controlPlane.stop();
  };
  return { ...controlPlane.cluster, nodes: started, stop, [Symbol.asyncDispose]: stop };
}

async function startReal(options: ClusterOptions): Promise<RealCluster> {
  const { nodes = 1, capacity, images, registry, port = 0 } = options;
  const connections = createNodeConnections();
  const state = await openStateFolder(options);
  // Who removes files may come before the nodes, and after they have come in vain.
  const started = Promise.withResolvers<RealNodes>();
  started.promise.catch(() => undefined);
  const removeVolume = async (path = ""): Promise<void> => (await started.promise).removeVolume(path);
  const controlPlane = await startControlPlane({ ...options, port }, { connections, removeVolume });
  const rights = process.getuid?.() === 0 ? "root" : "user";
  const wanted = { nodes, capacity, images, registry, connections, rights, state: state.folder } as const;
  let real: RealNodes;
  try {
    const { server } = controlPlane.cluster;
    const transport = inProcessTransport(server.handle, administrator);
    real = await startRealNodes(controlPlane.context, { ...wanted, server: transport, port: server.port ?? 0 });
    started.resolve(real);
    await controlPlane.metrics.open(controlPlane.context, real.nodes);
  } catch (error) {
    started.reject(error);
    await controlPlane.stop();
    await state.close();
    throw error;
  }
  const stop = async (): Promise<void> => {
    await real.stop();
    await controlPlane.stop();
    await state.close();
  };
  return { ...controlPlane.cluster, ...real, stop, [Symbol.asyncDispose]: stop };
}

interface ControlPlane {
  readonly context: ControllerContext;
  readonly metrics: MetricsServer;
  readonly cluster: Omit<Cluster, "nodes" | "stop" | typeof Symbol.asyncDispose>;
  stop(): Promise<void>;
}

/** What the control plane has to do with nodes. */
interface NodeAccess {
  readonly connections: NodeConnections;
  /** Removes what is left of a volume that nobody claims. */
  readonly removeVolume: (path: string | undefined) => Promise<void>;
}

async function startControlPlane(options: ClusterOptions, nodeAccess: NodeAccess): Promise<ControlPlane> {
  const { random = systemRandom, log = silentLog, name = "capstan" } = options;
  const clock = createClusterClock(options.clock ?? systemClock);
  const metrics = metricsServer();
  const caller = openHttpCaller((place) => nodeAccess.connections.dial(place));
  const server = await startServer(options, { connections: nodeAccess.connections, metrics, caller }, clock);
  const host = { ...processHost(), clock, random };
  // Where nobody comes in from outside, as in virtual time, nobody needs a turn.
  const handle = options.port === undefined ? server.handle : yieldBetweenCalls(server.handle);
  const client = createClient(inProcessTransport(handle, administrator), {
    host,
    userAgent: "kube-controller-manager",
  });
  const context: ControllerContext = { client, api: apiOf(client), clock, random, log };
  const stopping = new AbortController();
  const controllers = await startControllers(context, { server, ...nodeAccess }, stopping.signal);
  if (options.heartbeat !== false) startCompaction(server.store, clock);
  const kubeconfig = server.url === undefined ? undefined : toKubeconfig(server, name);
  return {
    context,
    metrics,
    cluster: { client, fetch: server.fetch, server, kubeconfig, controllers },
    async stop() {
      stopping.abort();
      await controllers.stop();
      await client.close();
      await server.close();
      caller.close();
      clock.stop();
    },
  };
}

/** Whom the API server calls: nodes, its own metrics server, and webhooks and servers behind services. */
interface OutgoingTargets {
  readonly connections: NodeConnections;
  readonly metrics: MetricsServer;
  readonly caller: HttpCaller;
}

/** Starts the API server; one that keeps its data is the same one every time, at the same port if nobody else took it. */
function startServer(
  options: ClusterOptions,
  { connections, metrics, caller }: OutgoingTargets,
  clock: Clock,
): Promise<ApiServer> {
  const { data, port } = options;
  return startApiServer({
    clock: { now: () => clock.wall(), after: (delay, run) => clock.later(delay, run) },
    nodes: connections,
    admission: admissionSteps,
    outgoing: (call) => (metrics.handles(call) ? metrics.answer(call) : caller.call(call)),
    advertise: { ...(options.pods === "real" && { address: FIRST_NODE_ADDRESS, port: 6443 }) },
    ...(data !== undefined && { data }),
    ...(port !== undefined && { listen: { port } }),
  });
}

async function startControllers(
  context: ControllerContext,
  { server, removeVolume }: NodeAccess & { readonly server: ApiServer },
  signal: AbortSignal,
): Promise<RunningOperator> {
  const { api, clock, random, log } = context;
  const kinds = watchServedKinds(context, signal);
  const { certificate } = server.authority;
  const definition = { name: "kube", controllers: builtinControllers(context, { certificate, kinds, removeVolume }) };
  await provideStorageClass(context.client);
  const running = operator(definition).start({ api, clock, random, log });
  startNamespaceController(context, kinds, signal);
  startScheduler(context, signal);
  startOrphanPodController(context, signal);
  startPodGcController(context, signal);
  startVolumeProtection(context, signal);
  startServiceCidrs(context, signal);
  await startServiceAddresses(context, signal);
  await startGarbageCollector(context, kinds, signal);
  return running;
}
