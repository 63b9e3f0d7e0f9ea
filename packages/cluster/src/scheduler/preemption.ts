/** Which pods a pod may preempt: as few and as low in priority as possible. Pure. */
import type { Pod } from "@capstan/kinds/v1";
import { millisecondsOf } from "../pod/state.ts";
import { createNodeFilter } from "./filter.ts";
import type { FilterFailure } from "./filter.ts";
import type { Snapshot } from "./topology.ts";
import { countReasons } from "./schedule-pod.ts";
import type { NodeInfo, PodInfo } from "./cache.ts";

/** A node and its victims. */
export interface Preemption {
  readonly node: string;
  readonly victims: readonly Pod[];
}

/** The priority of a pod. */
export function priorityOf({ spec }: Pod): number {
  return spec?.priority ?? 0;
}

/** Whether a disruption budget protects a pod. */
export type IsProtected = (pod: Pod) => boolean;

/** The input of preemption. */
export interface PreemptionInput {
  readonly snapshot: Snapshot;
  readonly failures: ReadonlyMap<NodeInfo, FilterFailure>;
  readonly isProtected: IsProtected;
}

/** Finds the best node for preemption; undefined when preemption does not help. */
export function findPreemption(pod: Pod, { snapshot, failures, isProtected }: PreemptionInput): Preemption | undefined {
  if (pod.spec?.preemptionPolicy === "Never") return undefined;
  const candidates: Candidate[] = [];
  for (const [nodeInfo, { resolvable: curable }] of failures) {
    if (!curable) continue;
    const victims = selectVictimsOnNode(nodeInfo, pod, { snapshot, isProtected });
    if (victims !== undefined && victims.length > 0) candidates.push(toCandidate(nodeInfo, victims, isProtected));
  }
  const [first] = candidates.sort(compareCandidates);
  return first && { node: first.node, victims: first.victims };
}

interface Candidate {
  readonly node: string;
  readonly victims: readonly Pod[];
  readonly violations: number;
  readonly highest: number;
  readonly sum: number;
  /** The earliest creation time of the victims with the highest priority. */
  readonly start: number;
}

function toCandidate({ node }: NodeInfo, victims: readonly Pod[], isProtected: IsProtected): Candidate {
  const highest = Math.max(...victims.map(priorityOf));
  const highestPriority = victims.filter((victim) => priorityOf(victim) === highest);
  return {
    node: node.metadata.name,
    victims,
    violations: victims.filter(isProtected).length,
    highest,
    sum: victims.reduce((total, victim) => total + priorityOf(victim) + 2 ** 31, 0),
    start: Math.min(...highestPriority.map(({ metadata }) => millisecondsOf(metadata.creationTimestamp))),
  };
}

/** Prefers fewest budget violations, lowest victim priority, fewest victims, and the latest start. */
function compareCandidates(a: Candidate, b: Candidate): number {
  return (
    a.violations - b.violations ||
    a.highest - b.highest ||
    a.sum - b.sum ||
    a.victims.length - b.victims.length ||
    b.start - a.start
  );
}

/** Removes all pods of lower priority, then adds back as many as possible, highest priority first. */
function selectVictimsOnNode(
  nodeInfo: NodeInfo,
  pod: Pod,
  { snapshot, isProtected }: Omit<PreemptionInput, "failures">,
): readonly Pod[] | undefined {
  const priority = priorityOf(pod);
  const lowerPriority = [...nodeInfo.pods.values()].filter((placed) => priorityOf(placed.pod) < priority);
  if (lowerPriority.length === 0) return undefined;
  const keptPods = new Map([...nodeInfo.pods].filter(([, placed]) => !lowerPriority.includes(placed)));
  if (!fitsWithPods(pod, { nodeInfo, keptPods, snapshot })) return undefined;
  const victims: Pod[] = [];
  const order = lowerPriority.sort(
    (a, b) => Number(isProtected(b.pod)) - Number(isProtected(a.pod)) || compareImportance(a.pod, b.pod),
  );
  for (const placed of order) {
    keptPods.set(placed.pod.metadata.uid, placed);
    if (fitsWithPods(pod, { nodeInfo, keptPods, snapshot })) continue;
    keptPods.delete(placed.pod.metadata.uid);
    victims.push(placed.pod);
  }
  return victims;
}

function compareImportance(a: Pod, b: Pod): number {
  return (
    priorityOf(b) - priorityOf(a) ||
    millisecondsOf(a.metadata.creationTimestamp) - millisecondsOf(b.metadata.creationTimestamp)
  );
}

interface DryRun {
  readonly nodeInfo: NodeInfo;
  readonly keptPods: ReadonlyMap<string, PodInfo>;
  readonly snapshot: Snapshot;
}

function fitsWithPods(pod: Pod, { nodeInfo, keptPods, snapshot }: DryRun): boolean {
  const used = new Map<string, number>();
  for (const { requests } of keptPods.values()) {
    for (const [name, amount] of requests) used.set(name, (used.get(name) ?? 0) + amount);
  }
  const dryRunNode: NodeInfo = {
    ...nodeInfo,
    node: nodeInfo.node,
    allocatable: nodeInfo.allocatable,
    pods: keptPods,
    requested: used,
  };
  const nodes = snapshot.nodes.map((one) => (one === nodeInfo ? dryRunNode : one));
  return createNodeFilter(pod, { ...snapshot, nodes })(dryRunNode) === undefined;
}

/** The message of the DRA plugin, which has no claims to deallocate here. */
const NO_CLAIMS_TO_DEALLOCATE = "no new claims to deallocate";

/** If PreFilter fails, the DRA plugin returns "not found" and no other plugin runs. */
const PRE_FILTER_FAILED = "not found";

/** The text after the nodes' reasons when preemption does not help. */
export function explainNoPreemption(
  pod: Pod,
  {
    failures,
    hasTerminatingVictims,
  }: { readonly failures: ReadonlyMap<NodeInfo, FilterFailure>; readonly hasTerminatingVictims: boolean },
): string {
  const [first] = failures.values();
  if (first?.preFilter === true) return PRE_FILTER_FAILED;
  return `${NO_CLAIMS_TO_DEALLOCATE}, preemption: ${preemptionMessage(pod, failures, hasTerminatingVictims)}`;
}

function preemptionMessage(
  pod: Pod,
  failures: ReadonlyMap<NodeInfo, FilterFailure>,
  hasTerminatingVictims: boolean,
): string {
  if (pod.spec?.preemptionPolicy === "Never") return "not eligible due to preemptionPolicy=Never.";
  if (hasTerminatingVictims) return "not eligible due to a terminating pod on the nominated node.";
  const reasons = [...failures].flatMap(([nodeInfo, failure]) => nodeReasons(pod, nodeInfo, failure));
  return `0/${failures.size} nodes are available: ${countReasons(reasons)}.`;
}

function nodeReasons(pod: Pod, { pods }: NodeInfo, { reasons, resolvable: curable }: FilterFailure): readonly string[] {
  if (!curable) return ["Preemption is not helpful for scheduling"];
  const hasLowerPriority = [...pods.values()].some((placed) => priorityOf(placed.pod) < priorityOf(pod));
  return hasLowerPriority ? reasons : ["No preemption victims found for incoming pod"];
}
