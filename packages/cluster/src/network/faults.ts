/** Fault injection for real pods: cut or slow links, and lost nodes, until they are healed. */
import { isApiError } from "@capstan/client";
import type { Client } from "@capstan/client";
import { Pod } from "@capstan/kinds/v1";
import type { Machine } from "@capstan/node";
import type { Clock } from "@capstan/runtime";
import { ClusterError } from "../errors.ts";
import { faultRules } from "./fault-rules.ts";
import type { Cut, Side } from "./fault-rules.ts";

/** The target of a fault. */
export type FaultTarget =
  | { readonly kind: "pod"; readonly namespace: string; readonly name: string }
  | { readonly kind: "node"; readonly name: string };

/** A fault to inject or heal. */
export type Fault =
  /** No packets reach or leave the target, or none between the target and `from`. */
  | { readonly do: "cut"; readonly target: FaultTarget; readonly from?: FaultTarget }
  /** Packets to the target are delayed. */
  | { readonly do: "delay"; readonly target: FaultTarget; readonly milliseconds: number }
  /** The node and all its processes are gone, as after a power failure. */
  | { readonly do: "kill"; readonly target: FaultTarget }
  /** Heals the target, or everything. */
  | { readonly do: "heal"; readonly target?: FaultTarget };

/** Injects faults. */
export interface Faults {
  /** Injects or heals a fault. Returns a sentence about what happened. */
  set(fault: Fault): Promise<string>;
}

/** What fault injection needs from a cluster. */
export interface FaultContext {
  readonly client: Client;
  readonly clock: Clock;
  readonly run: Machine["run"];
  readonly nodes: readonly FaultNode[];
}

/** A node as a fault target. */
export interface FaultNode {
  readonly name: string;
  readonly address: string;
  readonly podCidr: string;
  /** Cuts or restores the connection from the node to the API server. */
  readonly setLink: (state: "cut" | "healed") => void;
  /** Powers the node off or on. Idempotent. */
  readonly setPower: (state: "off" | "on") => Promise<void>;
}

interface FaultEndpoint extends Side {
  /** Identifies a target; pods of the same name have different keys. */
  readonly key: string;
  readonly target: FaultTarget;
}

interface ActiveCut extends Cut {
  readonly side: FaultEndpoint;
  readonly from: FaultEndpoint | undefined;
}

/** How often pods with a fault are checked for existence, in milliseconds: their addresses may be reused. */
const CHECK_INTERVAL = 1000;

/** Fault injection for a cluster, initially without faults. */
export function faultsOf(context: FaultContext): Faults {
  let cuts: readonly ActiveCut[] = [];
  const delayed = new Map<string, FaultEndpoint>();
  let isWatching = false;

  const applyCuts = async (wanted: readonly ActiveCut[]): Promise<void> => {
    cuts = wanted;
    const addresses = context.nodes.map(({ address }) => address);
    await runOrFail(context.run, ["nft", "-f", "-"], faultRules(cuts, addresses));
    const cutOff = new Set(cuts.filter(({ from }) => from === undefined).map(({ side }) => side.key));
    for (const node of context.nodes) node.setLink(cutOff.has(`node/${node.name}`) ? "cut" : "healed");
    watch();
  };
  const watch = (): void => {
    if (isWatching || cuts.length === 0) return;
    isWatching = true;
    context.clock.later(CHECK_INTERVAL, () => {
      isWatching = false;
      void dropGone().catch(() => watch());
    });
  };
  const dropGone = async (): Promise<void> => {
    const gone = await Promise.all(cuts.map((cut) => isGone(context, cut)));
    if (gone.includes(true)) await applyCuts(cuts.filter((_, index) => gone[index] !== true));
    else watch();
  };
  const heal = async (target: FaultTarget | undefined): Promise<string> => {
    const endpoint = target && (await endpointOf(context, target));
    const isAffected = (one: Pick<FaultEndpoint, "key"> | undefined): boolean =>
      endpoint === undefined || one?.key === endpoint.key;
    await applyCuts(cuts.filter(({ side, from }) => !isAffected(side) && (from === undefined || !isAffected(from))));
    for (const one of [...delayed.values()].filter(isAffected)) {
      await setDelay(context, one, undefined);
      delayed.delete(one.key);
    }
    for (const node of context.nodes) if (isAffected({ key: `node/${node.name}` })) await node.setPower("on");
    return target === undefined ? "everything is healed" : `${describe(target)} is healed`;
  };

  return {
    async set(fault) {
      if (fault.do === "heal") return heal(fault.target);
      if (fault.do === "kill") return kill(context, fault.target);
      const side = await endpointOf(context, fault.target);
      if (fault.do === "delay") {
        await setDelay(context, side, fault.milliseconds);
        delayed.set(side.key, side);
        return `${describe(fault.target)} has a delay of ${fault.milliseconds} ms`;
      }
      const from = fault.from && (await endpointOf(context, fault.from));
      await applyCuts([...cuts, { side, from }]);
      return `${describe(fault.target)} is cut off${fault.from === undefined ? "" : ` from ${describe(fault.from)}`}`;
    },
  };
}

async function kill({ nodes }: FaultContext, target: FaultTarget): Promise<string> {
  if (target.kind === "pod")
    throw new ClusterError(
      "Unsupported",
      `Cannot kill ${describe(target)}: only nodes can be killed. Delete the pod with kubectl delete.`,
    );
  await findNode(nodes, target.name).setPower("off");
  return `${describe(target)} is powered off`;
}

function findNode(nodes: readonly FaultNode[], name: string): FaultNode {
  const node = nodes.find((one) => one.name === name);
  if (node === undefined) throw new ClusterError("NotFound", `Node ${name} does not exist.`);
  return node;
}

function describe(target: FaultTarget): string {
  return target.kind === "pod" ? `pod ${target.namespace}/${target.name}` : `node ${target.name}`;
}

async function endpointOf({ client, nodes }: FaultContext, target: FaultTarget): Promise<FaultEndpoint> {
  if (target.kind === "node") {
    const node = findNode(nodes, target.name);
    return { key: `node/${node.name}`, target, addresses: [node.address, node.podCidr] };
  }
  const pod = await findPod(client, target);
  if (pod === undefined) throw new ClusterError("NotFound", `${describe(target)} does not exist`);
  const { podIP = "" } = pod.status ?? {};
  if (podIP === "" || pod.spec?.hostNetwork === true)
    throw new ClusterError("Unsupported", `${describe(target)} has no network of its own${podIP === "" ? " yet" : ""}`);
  return { key: `pod/${pod.metadata.uid}`, target, addresses: [podIP] };
}

async function findPod(
  client: Client,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<Pod | undefined> {
  try {
    return await client.get(Pod, { namespace, name });
  } catch (error) {
    if (isApiError(error, "NotFound")) return undefined;
    throw error;
  }
}

async function isGone({ client }: FaultContext, { side, from }: ActiveCut): Promise<boolean> {
  for (const { target, key } of from === undefined ? [side] : [side, from]) {
    if (target.kind === "node") continue;
    const pod = await findPod(client, target);
    if (pod === undefined || key !== `pod/${pod.metadata.uid}`) return true;
  }
  return false;
}

/** Uses the netem queueing discipline on the node's end of the pod's link. Not every kernel has it. */
async function setDelay(
  { run }: FaultContext,
  { target, addresses }: FaultEndpoint,
  milliseconds: number | undefined,
): Promise<void> {
  const [address = ""] = addresses;
  if (target.kind === "node")
    throw new ClusterError("Unsupported", "the links of nodes cannot be delayed; delay those of their pods");
  const { stdout } = await run(["ip", "-o", "route", "get", address]);
  const device = / dev (\S+)/.exec(stdout)?.[1];
  if (device === undefined) throw new ClusterError("NotFound", `${describe(target)} no longer has a network interface`);
  if (milliseconds === undefined) return void (await run(["tc", "qdisc", "del", "dev", device, "root"]));
  const argv = ["tc", "qdisc", "replace", "dev", device, "root", "netem", "delay", `${milliseconds}ms`];
  const { code, stderr } = await run(argv);
  if (code === 0) return;
  throw new ClusterError(
    "Unsupported",
    `the kernel cannot delay packets (${stderr.trim()}); load the module sch_netem, or cut the link instead`,
  );
}

async function runOrFail(run: Machine["run"], argv: readonly string[], input: string): Promise<void> {
  const { code, stderr } = await run(argv, input);
  if (code !== 0) throw new ClusterError("Unsupported", `nft rejected the fault: ${stderr.trim()}`);
}
