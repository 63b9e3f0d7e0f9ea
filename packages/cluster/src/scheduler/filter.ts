/** Whether a pod fits on a node, with kube-scheduler's reasons if not. Pure. */
import type { Pod } from "@capstan/kinds/v1";
import { isWanted, untolerated } from "@capstan/node";
import { interPodAffinityFilter, topologySpreadFilter } from "./topology.ts";
import type { AffinityFailure, Snapshot } from "./topology.ts";
import { requestsOf } from "./resources.ts";
import type { ResourceAmounts } from "./resources.ts";
import type { NodeInfo } from "./cache.ts";
import { hasReadWriteOncePodConflict, volumeFilter } from "./volumes.ts";

/** Why a pod does not fit. `resolvable` means that preemption may help. */
export interface FilterFailure {
  readonly reasons: readonly string[];
  readonly resolvable: boolean;
  /** Whether the failure is independent of the node. */
  readonly preFilter?: true;
}

const affinityReasons: { readonly [affinityFailure in AffinityFailure]: string } = {
  affinity: "node(s) didn't match pod affinity rules",
  "anti-affinity": "node(s) didn't match pod anti-affinity rules",
  "existing anti-affinity": "node(s) didn't satisfy existing pods anti-affinity rules",
};

const READ_WRITE_ONCE_POD_CONFLICT =
  "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod";

/** Filters nodes for one pod. */
export type NodeFilter = (nodeInfo: NodeInfo) => FilterFailure | undefined;

/** Creates the filter; the per-pod work is done once. */
export function createNodeFilter(pod: Pod, snapshot: Snapshot): NodeFilter {
  const requests = requestsOf(pod);
  const ports = hostPorts(pod);
  const affinity = interPodAffinityFilter(pod, snapshot);
  const spread = topologySpreadFilter(pod, snapshot);
  const volumes = volumeFilter(pod, snapshot.storage);
  if (typeof volumes === "string") {
    const preFilterFailure = { reasons: [volumes], resolvable: false, preFilter: true } as const;
    return () => preFilterFailure;
  }
  const hasVolumeConflict = hasReadWriteOncePodConflict(pod, snapshot);
  return (nodeInfo) => {
    const unresolvable = unresolvableReason(nodeInfo, pod) ?? volumes(nodeInfo.node);
    if (unresolvable !== undefined) return { reasons: [unresolvable], resolvable: false };
    if (ports.length > 0 && hasPortConflict(nodeInfo, ports)) {
      return { reasons: ["node(s) didn't have free ports for the requested pod ports"], resolvable: true };
    }
    const insufficient = insufficientResources(nodeInfo, requests);
    if (insufficient.length > 0) return { reasons: insufficient, resolvable: !exceedsNode(nodeInfo, requests) };
    if (hasVolumeConflict) return { reasons: [READ_WRITE_ONCE_POD_CONFLICT], resolvable: true };
    const affinityFailure = affinity(nodeInfo);
    if (affinityFailure !== undefined)
      return { reasons: [affinityReasons[affinityFailure]], resolvable: affinityFailure !== "affinity" };
    const spreadFailure = spread(nodeInfo);
    if (spreadFailure === undefined) return undefined;
    const label = spreadFailure === "missing label" ? " (missing required label)" : "";
    return {
      reasons: [`node(s) didn't match pod topology spread constraints${label}`],
      resolvable: spreadFailure === "skew",
    };
  };
}

function unresolvableReason(nodeInfo: NodeInfo, pod: Pod): string | undefined {
  const { node } = nodeInfo;
  if (node.spec?.unschedulable === true && !toleratesCordon(nodeInfo, pod)) return "node(s) were unschedulable";
  if (!isWanted(node, pod)) return "node(s) didn't match Pod's node affinity/selector";
  const taint = untolerated(node, pod);
  return taint === undefined ? undefined : `node(s) had untolerated taint(s)`;
}

function toleratesCordon({ node }: NodeInfo, pod: Pod): boolean {
  const cordon = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" } as const;
  return untolerated({ ...node, spec: { taints: [cordon] } }, pod) === undefined;
}

function insufficientResources(
  { allocatable, requested: used, pods }: NodeInfo,
  requests: ResourceAmounts,
): readonly string[] {
  const reasons: string[] = [];
  const most = allocatable.get("pods");
  if (most !== undefined && pods.size + 1 > most) reasons.push("Too many pods");
  for (const [name, amount] of requests) {
    if (amount > 0 && amount > (allocatable.get(name) ?? 0) - (used.get(name) ?? 0))
      reasons.push(`Insufficient ${name}`);
  }
  return reasons;
}

function exceedsNode({ allocatable }: NodeInfo, requests: ResourceAmounts): boolean {
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

function hasPortConflict({ pods }: NodeInfo, wanted: readonly HostPort[]): boolean {
  for (const { pod } of pods.values()) {
    for (const taken of hostPorts(pod)) if (wanted.some((one) => portsConflict(one, taken))) return true;
  }
  return false;
}

function portsConflict(a: HostPort, b: HostPort): boolean {
  if (a.port !== b.port || a.protocol !== b.protocol) return false;
  return a.ip === b.ip || a.ip === "0.0.0.0" || b.ip === "0.0.0.0";
}
