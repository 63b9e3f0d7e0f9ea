/** Whether a pod can run on a node, and if not, in the scheduler's own words why. Pure. */
import type { Pod } from "@capstan/kinds/v1";
import { isWanted, untolerated } from "@capstan/node";
import { neighbourRule, spreadRule } from "./neighbours.ts";
import type { Distance, Surroundings } from "./neighbours.ts";
import { requestsOf } from "./resources.ts";
import type { Amounts } from "./resources.ts";
import type { NodeView } from "./view.ts";
import { isSoleUseTaken, volumeRule } from "./volumes.ts";

/** Why a pod does not fit; what only other pods' leaving could cure is told apart, because preemption may bring it about. */
export interface Refusal {
  readonly reasons: readonly string[];
  readonly curable: boolean;
  /** Whether it is for the pod's own sake, whatever the node is like. */
  readonly anywhere?: true;
}

const distances: { readonly [distance in Distance]: string } = {
  affinity: "node(s) didn't match pod affinity rules",
  "anti-affinity": "node(s) didn't match pod anti-affinity rules",
  "existing anti-affinity": "node(s) didn't satisfy existing pods anti-affinity rules",
};

const SOLE_USE =
  "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod";

/** A test of one pod, worked out once and asked for each node. */
export type Fit = (view: NodeView) => Refusal | undefined;

/** Makes the test. */
export function fitOf(pod: Pod, around: Surroundings): Fit {
  const requests = requestsOf(pod);
  const ports = hostPorts(pod);
  const neighbours = neighbourRule(pod, around);
  const spread = spreadRule(pod, around);
  const volumes = volumeRule(pod, around.storage);
  if (typeof volumes === "string") {
    const nowhere = { reasons: [volumes], curable: false, anywhere: true } as const;
    return () => nowhere;
  }
  const isTaken = isSoleUseTaken(pod, around);
  return (view) => {
    const never = incurable(view, pod) ?? volumes(view.node);
    if (never !== undefined) return { reasons: [never], curable: false };
    if (ports.length > 0 && portsTaken(view, ports)) {
      return { reasons: ["node(s) didn't have free ports for the requested pod ports"], curable: true };
    }
    const missing = missingResources(view, requests);
    if (missing.length > 0) return { reasons: missing, curable: !exceedsNode(view, requests) };
    if (isTaken) return { reasons: [SOLE_USE], curable: true };
    const distance = neighbours(view);
    if (distance !== undefined) return { reasons: [distances[distance]], curable: distance !== "affinity" };
    const uneven = spread(view);
    if (uneven === undefined) return undefined;
    const label = uneven === "missing label" ? " (missing required label)" : "";
    return { reasons: [`node(s) didn't match pod topology spread constraints${label}`], curable: uneven === "skew" };
  };
}

function incurable(view: NodeView, pod: Pod): string | undefined {
  const { node } = view;
  if (node.spec?.unschedulable === true && !toleratesCordon(view, pod)) return "node(s) were unschedulable";
  if (!isWanted(node, pod)) return "node(s) didn't match Pod's node affinity/selector";
  const taint = untolerated(node, pod);
  return taint === undefined ? undefined : `node(s) had untolerated taint(s)`;
}

function toleratesCordon({ node }: NodeView, pod: Pod): boolean {
  const cordon = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" } as const;
  return untolerated({ ...node, spec: { taints: [cordon] } }, pod) === undefined;
}

function missingResources({ allocatable, used, pods }: NodeView, requests: Amounts): readonly string[] {
  const reasons: string[] = [];
  const most = allocatable.get("pods");
  if (most !== undefined && pods.size + 1 > most) reasons.push("Too many pods");
  for (const [name, amount] of requests) {
    if (amount > 0 && amount > (allocatable.get(name) ?? 0) - (used.get(name) ?? 0))
      reasons.push(`Insufficient ${name}`);
  }
  return reasons;
}

function exceedsNode({ allocatable }: NodeView, requests: Amounts): boolean {
  for (const [name, amount] of requests) if (amount > (allocatable.get(name) ?? 0)) return true;
  return false;
}

interface HostPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

function hostPorts({ spec }: Pod): readonly HostPort[] {
  return [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].flatMap(({ ports = [] }) =>
    ports
      .filter(({ hostPort }) => (hostPort ?? 0) > 0)
      .map(({ hostIP, protocol = "TCP", hostPort = 0 }) => ({ ip: hostIP || "0.0.0.0", protocol, port: hostPort })),
  );
}

function portsTaken({ pods }: NodeView, wanted: readonly HostPort[]): boolean {
  for (const { pod } of pods.values()) {
    for (const taken of hostPorts(pod)) if (wanted.some((one) => collide(one, taken))) return true;
  }
  return false;
}

function collide(a: HostPort, b: HostPort): boolean {
  if (a.port !== b.port || a.protocol !== b.protocol) return false;
  return a.ip === b.ip || a.ip === "0.0.0.0" || b.ip === "0.0.0.0";
}
