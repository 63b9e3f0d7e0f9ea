/** Nodes whose pods are real: namespaces of this machine, the addresses and names of services in them, and a node for each name. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Transport } from "@capstan/client";
import { startMachine, startNode, startServiceProxy } from "@capstan/node";
import type { LinuxRuntime, Machine, MachineOptions, RunningNode, ServiceProxy } from "@capstan/node";
import { openStore } from "@capstan/oci";
import type { Store } from "@capstan/oci";
import { unpackedFolder } from "../image-folders.ts";
import type { ControllerContext } from "../controller/context.ts";
import { ensureDnsService, DNS_SERVER_ADDRESS } from "../network/dns-service.ts";
import { faultsOf } from "../network/faults.ts";
import type { Faults } from "../network/faults.ts";
import { createNetwork } from "../network/network.ts";
import type { ClusterNetwork } from "../network/network.ts";
import type { NodeConnections } from "./connections.ts";
import { openLink } from "./link.ts";
import type { NodeLink } from "./link.ts";
import { nodeName } from "./node-name.ts";

/** A node that runs programs. */
export interface RealNode extends RunningNode {
  readonly runtime: LinuxRuntime;
}

/** What real nodes are made from. */
export interface RealNodesOptions {
  readonly nodes: number;
  readonly capacity: { readonly [resource: string]: string } | undefined;
  readonly connections: NodeConnections;
  /** The folder of everything that pods leave on disk. */
  readonly state: string;
  readonly rights: MachineOptions["rights"];
  readonly images: Store | undefined;
  readonly registry: MachineOptions["session"];
  /** The way to the API server. */
  readonly server: Transport;
  /** The port of the API server on 127.0.0.1. */
  readonly port: number;
}

/** Real nodes, and what is theirs together. */
export interface RealNodes {
  readonly nodes: readonly RealNode[];
  readonly network: ClusterNetwork;
  readonly images: Store;
  readonly faults: Faults;
  /** Removes the files of a volume whose claim is gone; the path is the one that pods see. */
  removeVolume(path: string): Promise<void>;
  /** Resolves when what all pods run in has ended by itself. */
  readonly lost: Promise<void>;
  stop(): Promise<void>;
}

/** The address of the first node, where pods find the API server. */
export const FIRST_NODE_ADDRESS: string = nodeAddress(0);

function nodeAddress(index: number): string {
  return `172.30.0.${index + 1}`;
}

/** How often the files of volumes are brought up to date, in milliseconds. */
const VOLUME_REFRESH = 5000;

/** Starts the machine, then the nodes on it; a start that fails leaves nothing behind. */
export async function startRealNodes(context: ControllerContext, options: RealNodesOptions): Promise<RealNodes> {
  await mkdir(options.state, { recursive: true });
  const images = options.images ?? (await openStore(join(options.state, "images")));
  const machine = await startMachine(machineOptions(context, options, images));
  const configs = Array.from({ length: options.nodes }, (_, index) => nodeConfig(index, options.nodes));
  const proxy = serveServices(context, machine, configs);
  const started: StartedNode[] = [];
  const stop = async (): Promise<void> => {
    proxy.stop();
    await Promise.all(started.map(({ node }) => node.close("lost")));
    await machine.close();
  };
  try {
    options.connections.setMachine(machine);
    await ensureDnsService(context.client);
    for (const config of configs) started.push(await startRealNode(context, machine, { ...options, config }));
    await proxy.settled();
    const network = await createNetwork({ machine, state: options.state });
    // One list for everybody who looks at nodes: a node that comes back takes its place in it.
    const nodes = started.map(({ node }) => node);
    const restart = async (index: number): Promise<void> => {
      const config = configs[index];
      if (config === undefined) return;
      const restarted = await startRealNode(context, machine, { ...options, config });
      started[index] = restarted;
      nodes[index] = restarted.node;
    };
    const faults = createNodeFaults(context, machine, { started, restart, ...options });
    const removeVolume = (path: string): Promise<void> => machine.removeFromDisk(path);
    return { nodes, network, images, faults, removeVolume, lost: machine.lost, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function serveServices(
  { client, clock, log }: ControllerContext,
  machine: Machine,
  configs: readonly NodeConfig[],
): ServiceProxy {
  const known = new Map(configs.map(({ name, address, podCidr }) => [name, { address, pods: podCidr }]));
  const proxy = startServiceProxy({
    client,
    clock,
    nodes: () => known,
    setRules: (rules) => machine.setRules(rules),
    forgetFlows: (marks) => machine.forgetFlows(marks),
    report: (error) => log.error("the rules of services were refused", { error }),
  });
  machine.setNames((question) => proxy.answer(question));
  return proxy;
}

interface FaultOptions {
  /** In the order of their places; a node that comes back takes the place of the one that was lost. */
  readonly started: readonly StartedNode[];
  readonly connections: NodeConnections;
  readonly restart: (index: number) => Promise<void>;
}

function createNodeFaults(
  { client, clock }: ControllerContext,
  machine: Machine,
  { started, connections, restart }: FaultOptions,
): Faults {
  const lost = new Set<number>();
  const nodes = started.map(({ config }, index) => ({
    ...config,
    setLink: (state: "cut" | "healed") => started[index]?.link.set(state),
    async setPower(state: "off" | "on") {
      if (lost.has(index) === (state === "off")) return;
      if (state === "on") {
        await restart(index);
        return void lost.delete(index);
      }
      lost.add(index);
      connections.remove(config.name);
      await started[index]?.node.close("lost");
    },
  }));
  return faultsOf({ client, clock, run: (argv, input) => machine.run(argv, input), nodes });
}

interface NodeConfig {
  readonly name: string;
  readonly address: string;
  readonly podCidr: string;
}

function nodeConfig(index: number, count: number): NodeConfig {
  return { name: nodeName(index, count), address: nodeAddress(index), podCidr: `10.244.${index}.0/24` };
}

function machineOptions({ clock, log }: ControllerContext, options: RealNodesOptions, store: Store): MachineOptions {
  const { state, rights, registry, port } = options;
  return {
    state,
    clock,
    store,
    rights,
    // Whoever brings images along for several clusters has their files unpacked once for all of them.
    ...(options.images !== undefined && { roots: unpackedFolder(store) }),
    names: { server: DNS_SERVER_ADDRESS },
    apiServer: { host: "127.0.0.1", port },
    ...(registry !== undefined && { session: registry }),
    report: (error) => log.error("something of a pod was left undone", { error }),
  };
}

interface StartedNode {
  readonly node: RealNode;
  readonly config: NodeConfig;
  readonly link: NodeLink;
}

async function startRealNode(
  { clock, random }: ControllerContext,
  machine: Machine,
  { config, capacity, connections, server }: RealNodesOptions & { readonly config: NodeConfig },
): Promise<StartedNode> {
  const runtime = await machine.addNode({ ...config, ...(capacity !== undefined && { capacity }) });
  const link = openLink({ server, clock, random });
  const { name } = config;
  const node = await startNode({ client: link.client, name, runtime, clock, volumeRefresh: VOLUME_REFRESH });
  connections.add(node);
  return { node: Object.assign(node, { runtime }), config, link };
}
