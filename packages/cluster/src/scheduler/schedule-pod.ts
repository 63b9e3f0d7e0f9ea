/** Chooses a node for a pod: filters, then scores. Pure. */
import type { Pod } from "@capstan/kinds/v1";
import { preferenceFor, taintScore } from "@capstan/node";
import { createNodeFilter } from "./filter.ts";
import type { FilterFailure } from "./filter.ts";
import { podAffinityScore, spreadScore } from "./topology.ts";
import type { Snapshot } from "./topology.ts";
import { requestsOf } from "./resources.ts";
import type { ResourceAmounts } from "./resources.ts";
import type { NodeInfo } from "./cache.ts";

/** The chosen node, or why there is none. */
export type ScheduleResult =
  | { readonly result: "node"; readonly name: string }
  | { readonly result: "none"; readonly message: string; readonly failures: ReadonlyMap<NodeInfo, FilterFailure> };

/** Schedules one pod. `random` decides among equal scores. */
export function schedulePod(pod: Pod, snapshot: Snapshot, random: () => number): ScheduleResult {
  const filter = createNodeFilter(pod, snapshot);
  const failures = new Map<NodeInfo, FilterFailure>();
  const feasible: NodeInfo[] = [];
  for (const nodeInfo of snapshot.nodes) {
    const failure = filter(nodeInfo);
    if (failure === undefined) feasible.push(nodeInfo);
    else failures.set(nodeInfo, failure);
  }
  if (feasible.length === 0)
    return { result: "none", message: fitErrorMessage(snapshot.nodes.length, failures), failures };
  return { result: "node", name: selectHost(feasible, { pod, snapshot, random }).node.metadata.name };
}

/** `0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient cpu.` */
export function fitErrorMessage(total: number, failures: ReadonlyMap<NodeInfo, FilterFailure>): string {
  if (total === 0) return "no nodes available to schedule pods";
  const [first] = failures.values();
  if (first?.preFilter === true) return `0/${total} nodes are available: ${first.reasons.join(", ")}.`;
  return `0/${total} nodes are available: ${countReasons([...failures.values()].flatMap(({ reasons }) => reasons))}.`;
}

/** Each distinct reason with its count. */
export function countReasons(reasons: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .sort()
    .join(", ");
}

interface ScoreInput {
  readonly pod: Pod;
  readonly snapshot: Snapshot;
  readonly random: () => number;
}

/** The score weights, as in Kubernetes' default profile. */
const weights = {
  taintToleration: 3,
  nodeAffinity: 2,
  podTopologySpread: 2,
  interPodAffinity: 2,
  leastAllocated: 1,
  balancedAllocation: 1,
} as const;

function selectHost(nodeInfos: readonly NodeInfo[], { pod, snapshot, random }: ScoreInput): NodeInfo {
  const requests = requestsOf(pod);
  const taints = normalizedScores(nodeInfos, (nodeInfo) => -taintScore(nodeInfo.node, pod));
  const affinity = normalizedScores(nodeInfos, (nodeInfo) => preferenceFor(nodeInfo.node, pod));
  const spread = normalizedScores(nodeInfos, (nodeInfo) => -spreadScore(nodeInfo, pod, snapshot));
  const interPodAffinity = normalizedScores(nodeInfos, (nodeInfo) => podAffinityScore(nodeInfo, pod, snapshot));
  let winners: NodeInfo[] = [];
  let highest = -Infinity;
  for (const [index, nodeInfo] of nodeInfos.entries()) {
    const score =
      weights.taintToleration * (taints[index] ?? 0) +
      weights.nodeAffinity * (affinity[index] ?? 0) +
      weights.podTopologySpread * (spread[index] ?? 0) +
      weights.interPodAffinity * (interPodAffinity[index] ?? 0) +
      weights.leastAllocated * leastAllocated(nodeInfo, requests) +
      weights.balancedAllocation * balancedAllocation(nodeInfo, requests);
    if (score > highest) [winners, highest] = [[nodeInfo], score];
    else if (score === highest) winners.push(nodeInfo);
  }
  const [first] = winners;
  if (first === undefined) throw new RangeError("the list of feasible nodes is empty");
  return winners[Math.floor(random() * winners.length)] ?? first;
}

/** Normalizes scores to 0..100; all get 0 when they are equal. */
function normalizedScores(nodeInfos: readonly NodeInfo[], of: (nodeInfo: NodeInfo) => number): readonly number[] {
  const raw = nodeInfos.map(of);
  const least = Math.min(...raw);
  const span = Math.max(...raw) - least;
  return span === 0 ? raw.map(() => 0) : raw.map((value) => (100 * (value - least)) / span);
}

/** The assumed requests of pods without requests, so that these spread too. */
const defaultRequests: { readonly [name: string]: number } = { cpu: 100, memory: 200 * 2 ** 20 };

function allocatedFractions(nodeInfo: NodeInfo, requests: ResourceAmounts): readonly number[] {
  return Object.keys(defaultRequests).flatMap((name) => {
    const all = nodeInfo.allocatable.get(name) ?? 0;
    if (all === 0) return [];
    let used = requests.get(name) ?? defaultRequests[name] ?? 0;
    for (const { requests: theirs } of nodeInfo.pods.values()) used += theirs.get(name) ?? defaultRequests[name] ?? 0;
    return [Math.min(1, used / all)];
  });
}

/** The free share of the node after placement, in percent. */
function leastAllocated(nodeInfo: NodeInfo, requests: ResourceAmounts): number {
  const taken = allocatedFractions(nodeInfo, requests);
  return taken.length === 0 ? 0 : (100 * taken.reduce((sum, part) => sum + 1 - part, 0)) / taken.length;
}

/** How balanced the CPU and memory usage would be, in percent. */
function balancedAllocation(nodeInfo: NodeInfo, requests: ResourceAmounts): number {
  const [cpu, memory] = allocatedFractions(nodeInfo, requests);
  return cpu === undefined || memory === undefined ? 0 : 100 * (1 - Math.abs(cpu - memory) / 2);
}
