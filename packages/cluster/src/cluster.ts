/** Starts the embedded cluster: an API server, the built-in controllers, the garbage collector, the scheduler and nodes. */
import {
  administrator,
  admissionSteps,
  describeLongTurn,
  openHttpCaller,
  startApiServer,
  systemStopwatch,
  toKubeconfig,
} from "@capstan/apiserver";
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

/** How to start a cluster. All options have defaults. */
export interface ClusterOptions {
  /** Default: the system clock. */
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Log;
  /** The name in the kubeconfig. Default: `capstan`. */
  readonly name?: string;
  /** The folder for the cluster's state, including the files of pods. Default: the state is lost when the cluster stops. */
  readonly data?: string;
  /** The folder for the files of real pods. Default: a folder below `data`, or a temporary folder. */
  readonly state?: string;
  /** How pods run. Simulated pods run nothing and become ready; real pods are processes on this machine (Linux). Default: simulated. */
  readonly pods?: "simulated" | "real";
  /** The number of nodes. Default: 1. */
  readonly nodes?: number;
  /** The capacity of each node. */
  readonly capacity?: { readonly [resource: string]: string };
  /** Whether nodes renew their leases. Default: true. Tests set false so that the cluster becomes idle. */
  readonly heartbeat?: boolean;
  /** Listens on this port of 127.0.0.1; 0 chooses a free port. Default: a cluster of simulated pods does not listen. */
  readonly port?: number;
  /** The images that real pods may use. Default: a new store for this cluster. */
  readonly images?: Store;
  /** How real pods pull images that are not in the store. Default: they do not pull. */
  readonly registry?: NonNullable<MachineOptions["session"]>;
}

/** The options of a cluster with real pods. */
export interface RealClusterOptions extends ClusterOptions {
  readonly pods: "real";
}

/** The options of a cluster with simulated pods. */
export interface SimulatedClusterOptions extends ClusterOptions {
  readonly pods?: "simulated";
}

/** A running cluster. */
export interface Cluster<N extends RunningNode = ClusterNode> extends AsyncDisposable {
  /** Acts as the administrator, without a socket. */
  readonly client: Client;
  /** The API server as a `fetch` function. */
  readonly fetch: (request: Request) => Promise<Response>;
  readonly server: ApiServer;
  /** The kubeconfig as text; undefined when the cluster does not listen. */
  readonly kubeconfig: string | undefined;
  /** The built-in controllers. */
  readonly controllers: RunningOperator;
  readonly nodes: readonly N[];
  stop(): Promise<void>;
}

/** A cluster with real pods. Programs can enter its network. */
export interface RealCluster extends Cluster<RealNode> {
  readonly network: ClusterNetwork;
  readonly images: Store;
  /** Injects faults into the links of pods and nodes. */
  readonly faults: Faults;
  /** Resolves when the process that holds all pods exits. The cluster is then unusable and must be stopped. */
  readonly lost: Promise<void>;
}

/** Starts a cluster. It resolves when the cluster is ready. */
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
  // Volumes may be removed before the nodes have started, or after their start has failed.
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

/** How the control plane reaches the nodes. */
interface NodeAccess {
  readonly connections: NodeConnections;
  /** Removes the files of a volume that has no claim. */
  readonly removeVolume: (path: string | undefined) => Promise<void>;
}

async function startControlPlane(options: ClusterOptions, nodeAccess: NodeAccess): Promise<ControlPlane> {
  const { random = systemRandom, log = silentLog, name = "capstan" } = options;
  const clock = createClusterClock(options.clock ?? systemClock);
  const metrics = metricsServer();
  const caller = openHttpCaller((place) => nodeAccess.connections.dial(place));
  const server = await startServer(options, { connections: nodeAccess.connections, metrics, caller }, clock);
  const host = { ...processHost(), clock, random };
  // Without a port there are no other clients to yield to.
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

/** The targets of calls from the API server: nodes, the metrics server, webhooks, and aggregated servers behind services. */
interface OutgoingTargets {
  readonly connections: NodeConnections;
  readonly metrics: MetricsServer;
  readonly caller: HttpCaller;
}

/** Starts the API server. With `data`, it keeps its keys, and its port if that is still free. */
function startServer(
  options: ClusterOptions,
  { connections, metrics, caller }: OutgoingTargets,
  clock: Clock,
): Promise<ApiServer> {
  const { data, port } = options;
  return startApiServer({
    clock,
    ...(options.clock === undefined && { stopwatch: systemStopwatch }),
    onLongTurn: (turn) => (options.log ?? silentLog).warn(describeLongTurn(turn)),
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
