/** Whom a pod may displace so that it fits: as few and as unimportant pods as possible. Pure. */
import type { Pod } from "@capstan/kinds/v1";
import { millisecondsOf } from "../pod/state.ts";
import { createNodeFilter } from "./filter.ts";
import type { FilterFailure } from "./filter.ts";
import type { Snapshot } from "./topology.ts";
import { countReasons } from "./schedule-pod.ts";
import type { NodeInfo, PodInfo } from "./cache.ts";

/** A node and the pods that must leave it. */
export interface Preemption {
  readonly node: string;
  readonly victims: readonly Pod[];
}

/** How important a pod is. */
export function priorityOf({ spec }: Pod): number {
  return spec?.priority ?? 0;
}

/** Whether disruption budgets would rather keep a pod. */
export type IsProtected = (pod: Pod) => boolean;

/** What preemption looks at. */
export interface PreemptionInput {
  readonly snapshot: Snapshot;
  readonly failures: ReadonlyMap<NodeInfo, FilterFailure>;
  readonly isProtected: IsProtected;
}

/** Finds the node where the least is lost; undefined when no displacement helps. */
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
  /** When the youngest of the most important victims was created. */
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

/** Fewest broken budgets, least important victims, fewest of them, and those that started last. */
function compareCandidates(a: Candidate, b: Candidate): number {
  return (
    a.violations - b.violations ||
    a.highest - b.highest ||
    a.sum - b.sum ||
    a.victims.length - b.victims.length ||
    b.start - a.start
  );
}

/** Takes all lesser pods away, then gives back as many as possible, the most important first. */
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

/** The scheduler also asks whether devices could be given back; there are none here. */
const NO_CLAIMS_TO_DEALLOCATE = "no new claims to deallocate";

/** Before any node was looked at, whoever is asked about devices finds nothing of its own, says so, and nobody else is asked. */
const PRE_FILTER_FAILED = "not found";

/** What is said after the reasons of the nodes when displacing others does not help. */
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
