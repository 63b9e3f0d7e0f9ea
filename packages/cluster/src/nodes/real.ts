/** Nodes whose pods are real: namespaces of this machine, the addresses and names of services in them, and a node for each name. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Transport } from "@capstan/client";
import { startMachine, startNode, startServiceProxy } from "@capstan/node";
import type { LinuxRuntime, Machine, MachineOptions, RunningNode, ServiceProxy } from "@capstan/node";
import { openStore } from "@capstan/oci";
import type { Store } from "@capstan/oci";
import { unpackedFolder } from "../images/unpacked.ts";
import type { Setting } from "../setting.ts";
import { provideNames, NAMES_ADDRESS } from "../network/names.ts";
import { faultsOf } from "../network/faults.ts";
import type { Faults } from "../network/faults.ts";
import { networkOf } from "../network/network.ts";
import type { ClusterNetwork } from "../network/network.ts";
import type { Doors } from "./doors.ts";
import { openLine } from "./line.ts";
import type { NodeLine } from "./line.ts";
import { nodeName } from "./names.ts";

/** A node that runs programs. */
export interface RealNode extends RunningNode {
  readonly runtime: LinuxRuntime;
}

/** What real nodes are made from. */
export interface RealNodesOptions {
  readonly nodes: number;
  readonly capacity: { readonly [resource: string]: string } | undefined;
  readonly doors: Doors;
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
export async function startRealNodes(setting: Setting, options: RealNodesOptions): Promise<RealNodes> {
  await mkdir(options.state, { recursive: true });
  const images = options.images ?? (await openStore(join(options.state, "images")));
  const machine = await startMachine(machineOptions(setting, options, images));
  const places = Array.from({ length: options.nodes }, (_, index) => placeOf(index, options.nodes));
  const proxy = serveServices(setting, machine, places);
  const started: StartedNode[] = [];
  const stop = async (): Promise<void> => {
    proxy.stop();
    await Promise.all(started.map(({ node }) => node.close("lost")));
    await machine.close();
  };
  try {
    options.doors.connect(machine);
    await provideNames(setting.client);
    for (const place of places) started.push(await startRealNode(setting, machine, { ...options, place }));
    await proxy.settled();
    const network = await networkOf({ machine, state: options.state });
    // One list for everybody who looks at nodes: a node that comes back takes its place in it.
    const nodes = started.map(({ node }) => node);
    const revive = async (index: number): Promise<void> => {
      const place = places[index];
      if (place === undefined) return;
      const again = await startRealNode(setting, machine, { ...options, place });
      started[index] = again;
      nodes[index] = again.node;
    };
    const faults = faultsAmong(setting, machine, { started, revive, ...options });
    const removeVolume = (path: string): Promise<void> => machine.removeFromDisk(path);
    return { nodes, network, images, faults, removeVolume, lost: machine.lost, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function serveServices({ client, clock, log }: Setting, machine: Machine, places: readonly NodePlace[]): ServiceProxy {
  const known = new Map(places.map(({ name, address, podCidr }) => [name, { address, pods: podCidr }]));
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

interface FaultyNodes {
  /** In the order of their places; a node that comes back takes the place of the one that was lost. */
  readonly started: readonly StartedNode[];
  readonly doors: Doors;
  readonly revive: (index: number) => Promise<void>;
}

function faultsAmong({ client, clock }: Setting, machine: Machine, { started, doors, revive }: FaultyNodes): Faults {
  const lost = new Set<number>();
  const nodes = started.map(({ place }, index) => ({
    ...place,
    setLine: (state: "cut" | "healed") => started[index]?.line.set(state),
    async setPower(state: "off" | "on") {
      if (lost.has(index) === (state === "off")) return;
      if (state === "on") {
        await revive(index);
        return void lost.delete(index);
      }
      lost.add(index);
      doors.shut(place.name);
      await started[index]?.node.close("lost");
    },
  }));
  return faultsOf({ client, clock, run: (argv, input) => machine.run(argv, input), nodes });
}

interface NodePlace {
  readonly name: string;
  readonly address: string;
  readonly podCidr: string;
}

function placeOf(index: number, count: number): NodePlace {
  return { name: nodeName(index, count), address: nodeAddress(index), podCidr: `10.244.${index}.0/24` };
}

function machineOptions({ clock, log }: Setting, options: RealNodesOptions, store: Store): MachineOptions {
  const { state, rights, registry, port } = options;
  return {
    state,
    clock,
    store,
    rights,
    // Whoever brings images along for several clusters has their files unpacked once for all of them.
    ...(options.images !== undefined && { roots: unpackedFolder(store) }),
    names: { server: NAMES_ADDRESS },
    apiServer: { host: "127.0.0.1", port },
    ...(registry !== undefined && { session: registry }),
    report: (error) => log.error("something of a pod was left undone", { error }),
  };
}

interface StartedNode {
  readonly node: RealNode;
  readonly place: NodePlace;
  readonly line: NodeLine;
}

async function startRealNode(
  { clock, random }: Setting,
  machine: Machine,
  { place, capacity, doors, server }: RealNodesOptions & { readonly place: NodePlace },
): Promise<StartedNode> {
  const runtime = await machine.addNode({ ...place, ...(capacity !== undefined && { capacity }) });
  const line = openLine({ server, clock, random });
  const { name } = place;
  const node = await startNode({ client: line.client, name, runtime, clock, volumeRefresh: VOLUME_REFRESH });
  doors.open(node);
  return { node: Object.assign(node, { runtime }), place, line };
}
