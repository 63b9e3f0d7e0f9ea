/** Whom a pod may displace so that it fits: as few and as unimportant pods as possible. Pure. */
import type { Pod } from "@capstan/kinds/v1";
import { millisecondsOf } from "../pod/state.ts";
import { fitOf } from "./fit.ts";
import type { Refusal } from "./fit.ts";
import type { Surroundings } from "./neighbours.ts";
import type { NodeView, PlacedPod } from "./view.ts";

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
export type Protected = (pod: Pod) => boolean;

/** What preemption looks at. */
export interface Contest {
  readonly around: Surroundings;
  readonly refusals: ReadonlyMap<NodeView, Refusal>;
  readonly isProtected: Protected;
}

/** Finds the node where the least is lost; undefined when no displacement helps. */
export function preemptionFor(pod: Pod, { around, refusals, isProtected }: Contest): Preemption | undefined {
  if (pod.spec?.preemptionPolicy === "Never") return undefined;
  const candidates: Candidate[] = [];
  for (const [view, { curable }] of refusals) {
    if (!curable) continue;
    const victims = victimsOn(view, pod, { around, isProtected });
    if (victims !== undefined && victims.length > 0) candidates.push(toCandidate(view, victims, isProtected));
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

function toCandidate({ node }: NodeView, victims: readonly Pod[], isProtected: Protected): Candidate {
  const highest = Math.max(...victims.map(priorityOf));
  const foremost = victims.filter((victim) => priorityOf(victim) === highest);
  return {
    node: node.metadata.name,
    victims,
    violations: victims.filter(isProtected).length,
    highest,
    sum: victims.reduce((total, victim) => total + priorityOf(victim) + 2 ** 31, 0),
    start: Math.min(...foremost.map(({ metadata }) => millisecondsOf(metadata.creationTimestamp))),
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
function victimsOn(
  view: NodeView,
  pod: Pod,
  { around, isProtected }: Omit<Contest, "refusals">,
): readonly Pod[] | undefined {
  const priority = priorityOf(pod);
  const lesser = [...view.pods.values()].filter((placed) => priorityOf(placed.pod) < priority);
  if (lesser.length === 0) return undefined;
  const kept = new Map([...view.pods].filter(([, placed]) => !lesser.includes(placed)));
  if (!fits(pod, { view, kept, around })) return undefined;
  const victims: Pod[] = [];
  const order = lesser.sort(
    (a, b) => Number(isProtected(b.pod)) - Number(isProtected(a.pod)) || compareImportance(a.pod, b.pod),
  );
  for (const placed of order) {
    kept.set(placed.pod.metadata.uid, placed);
    if (fits(pod, { view, kept, around })) continue;
    kept.delete(placed.pod.metadata.uid);
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

interface Supposition {
  readonly view: NodeView;
  readonly kept: ReadonlyMap<string, PlacedPod>;
  readonly around: Surroundings;
}

function fits(pod: Pod, { view, kept, around }: Supposition): boolean {
  const used = new Map<string, number>();
  for (const { requests } of kept.values()) {
    for (const [name, amount] of requests) used.set(name, (used.get(name) ?? 0) + amount);
  }
  const supposed: NodeView = { ...view, node: view.node, allocatable: view.allocatable, pods: kept, used };
  const nodes = around.nodes.map((one) => (one === view ? supposed : one));
  return fitOf(pod, { ...around, nodes })(supposed) === undefined;
}
