/** Nodes with real pods: namespaces on this machine, service addresses and DNS in them, and a kubelet for each node. */
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

/** A node that runs real pods. */
export interface RealNode extends RunningNode {
  readonly runtime: LinuxRuntime;
}

/** The options of real nodes. */
export interface RealNodesOptions {
  readonly nodes: number;
  readonly capacity: { readonly [resource: string]: string } | undefined;
  readonly connections: NodeConnections;
  /** The folder for all files of pods. */
  readonly state: string;
  readonly rights: MachineOptions["rights"];
  readonly images: Store | undefined;
  readonly registry: MachineOptions["session"];
  /** The transport to the API server. */
  readonly server: Transport;
  /** The port of the API server on 127.0.0.1. */
  readonly port: number;
}

/** Real nodes, and what they share. */
export interface RealNodes {
  readonly nodes: readonly RealNode[];
  readonly network: ClusterNetwork;
  readonly images: Store;
  readonly faults: Faults;
  /** Removes the files of a volume without claim. The path is the one inside pods. */
  removeVolume(path: string): Promise<void>;
  /** Resolves when the process that holds all pods exits. */
  readonly lost: Promise<void>;
  stop(): Promise<void>;
}

/** The address of the first node. Pods reach the API server there. */
export const FIRST_NODE_ADDRESS: string = nodeAddress(0);

function nodeAddress(index: number): string {
  return `172.30.0.${index + 1}`;
}

/** The refresh interval of projected volumes, in milliseconds. */
const VOLUME_REFRESH = 5000;

/** Starts the machine, then its nodes. A failed start cleans up. */
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
    // All readers share this list: a restarted node replaces its entry.
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
    report: (error) => log.error("cannot set the service rules", { error }),
  });
  machine.setNames((question) => proxy.answer(question));
  return proxy;
}

interface FaultOptions {
  /** By index; a restarted node replaces the lost one. */
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
    // A shared store also shares its unpacked images.
    ...(options.images !== undefined && { roots: unpackedFolder(store) }),
    names: { server: DNS_SERVER_ADDRESS },
    apiServer: { host: "127.0.0.1", port },
    ...(registry !== undefined && { session: registry }),
    report: (error) => log.error("cannot clean up after a pod", { error }),
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
