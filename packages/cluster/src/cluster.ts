/** The embedded cluster, put together: an API server, the built-in controllers, the garbage collector and the scheduler. */
import { startApiServer } from "@capstan/apiserver";
import type { ApiServer } from "@capstan/apiserver";
import { createClient, inProcess, processHost } from "@capstan/client";
import type { Client } from "@capstan/client";
import { simulatedRuntime, startNode } from "@capstan/node";
import type { RunningNode, SimulatedRuntime } from "@capstan/node";
import { apiOf, operator, silentLog, systemClock, systemRandom } from "@capstan/runtime";
import type { Clock, Log, Random, RunningOperator } from "@capstan/runtime";
import { endingClock } from "./clock.ts";
import { builtinControllers } from "./controllers.ts";
import { followKinds } from "./follow/kinds.ts";
import { startGarbageCollector } from "./garbage/collector.ts";
import { startOrphanedPods } from "./job/orphans.ts";
import { toKubeconfig } from "./kubeconfig.ts";
import { startNamespaceController } from "./namespace/controller.ts";
import { startPodGarbageCollector } from "./pod-garbage/collector.ts";
import { startScheduler } from "./scheduler/scheduler.ts";
import type { Setting } from "./setting.ts";
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
  /** A folder in which the state is kept; without it, the state dies with the cluster. */
  readonly data?: string;
  /** How pods run: simulated ones run nothing and become ready. */
  readonly pods?: "simulated";
  /** How many nodes there are: 1 unless said otherwise. */
  readonly nodes?: number;
  /** What each node has to offer. */
  readonly capacity?: { readonly [resource: string]: string };
  /** Whether nodes renew their leases: yes, unless the world of a test is to come to rest. */
  readonly heartbeat?: boolean;
  /** Listens on this port of 127.0.0.1, 0 for any; without it, the cluster is reached in process only. */
  readonly port?: number;
}

/** A cluster that runs. */
export interface Cluster extends AsyncDisposable {
  /** Acts as the administrator, without a socket. */
  readonly client: Client;
  /** The API server as a function of the Web platform. */
  readonly fetch: (request: Request) => Promise<Response>;
  readonly server: ApiServer;
  /** The text of a kubeconfig; undefined when the cluster does not listen. */
  readonly kubeconfig: string | undefined;
  /** The built-in controllers. */
  readonly controllers: RunningOperator;
  readonly nodes: readonly ClusterNode[];
  stop(): Promise<void>;
}

/** A node of the cluster, and the ways to make things happen on it. */
export interface ClusterNode extends RunningNode {
  readonly runtime: SimulatedRuntime;
}

/** Starts a cluster; it is ready to be used when this resolves. */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const { random = systemRandom, log = silentLog, name = "capstan" } = options;
  const clock = endingClock(options.clock ?? systemClock);
  const server = await startApiServer({
    clock: { now: () => clock.wall(), after: (delay, run) => clock.later(delay, run) },
    ...(options.data !== undefined && { data: options.data }),
    ...(options.port !== undefined && { listen: { port: options.port } }),
  });
  const host = { ...processHost(), clock, random };
  const client = createClient(inProcess(server.fetch), { host, userAgent: "kube-controller-manager" });
  const setting: Setting = { client, api: apiOf(client), clock, random, log };
  const ending = new AbortController();
  const volumes = options.data === undefined ? "/var/lib/capstan/volumes" : `${options.data}/volumes`;
  const controllers = await startControlPlane(setting, { server, volumes }, ending.signal);
  const nodes = await startNodes(setting, options);
  const stop = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.close("lost")));
    ending.abort();
    await controllers.stop();
    await client.close();
    await server.close();
    clock.end();
  };
  return {
    client,
    fetch: server.fetch,
    server,
    kubeconfig: server.url === undefined ? undefined : toKubeconfig({ ...accessOf(server), name }),
    controllers,
    nodes,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

interface Ground {
  readonly server: ApiServer;
  readonly volumes: string;
}

async function startControlPlane(
  setting: Setting,
  { server, volumes }: Ground,
  signal: AbortSignal,
): Promise<RunningOperator> {
  const { api, clock, random, log } = setting;
  const kinds = followKinds(setting, signal);
  const { certificate } = server.authority;
  const definition = { name: "kube", controllers: builtinControllers(setting, { certificate, kinds, volumes }) };
  await provideStorageClass(setting.client);
  const running = operator(definition).start({ api, clock, random, log });
  startNamespaceController(setting, kinds, signal);
  startScheduler(setting, signal);
  startOrphanedPods(setting, signal);
  startPodGarbageCollector(setting, signal);
  startVolumeProtection(setting, signal);
  await startGarbageCollector(setting, kinds, signal);
  return running;
}

/** Each node has a network of its own for its pods: 10.64.0.0/16, 10.65.0.0/16 and so on. */
const FIRST_POD_NETWORK = 64;

async function startNodes(
  { client, clock }: Setting,
  { nodes = 1, capacity, heartbeat = true }: ClusterOptions,
): Promise<readonly ClusterNode[]> {
  return Promise.all(
    Array.from({ length: nodes }, async (_, index) => {
      const runtime = simulatedRuntime({
        clock,
        ...(capacity !== undefined && { capacity }),
        address: `192.168.0.${index + 1}`,
        podCidr: `10.${FIRST_POD_NETWORK + index}.0.0/16`,
      });
      const name = nodes === 1 ? "node" : `node-${index + 1}`;
      return Object.assign(await startNode({ client, name, runtime, clock, heartbeat }), { runtime });
    }),
  );
}

function accessOf({ url = "", token, authority }: ApiServer): {
  readonly server: string;
  readonly token: string;
  readonly certificate: string;
} {
  return { server: url, token, certificate: authority.certificate };
}
