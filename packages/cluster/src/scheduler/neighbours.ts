/** Which other pods a pod wants near or far: affinity, anti-affinity and even spread over topologies. Pure. */
import type { Pod, PodAffinityTerm, TopologySpreadConstraint } from "@capstan/kinds/v1";
import { fromLabelSelectorObject, matchesLabels } from "@capstan/model";
import type { Labels } from "@capstan/model";
import { isWanted, untolerated } from "@capstan/node";
import type { NodeView } from "./view.ts";
import type { Storage } from "./volumes.ts";

/** What the rules look at besides the pod. */
export interface Surroundings {
  readonly nodes: readonly NodeView[];
  /** The labels of a namespace, for terms that choose namespaces by label. */
  readonly namespaceLabels: (namespace: string) => Labels | undefined;
  readonly storage: Storage;
}

/** Whether a term of one pod speaks of another pod. */
export function concerns(
  term: PodAffinityTerm,
  { owner, other }: { readonly owner: Pod; readonly other: Pod },
  { namespaceLabels }: Surroundings,
): boolean {
  if (!matchesLabels(fromLabelSelectorObject(withLabelKeys(term, owner)), other.metadata.labels)) return false;
  const namespace = other.metadata.namespace ?? "";
  const { namespaces = [], namespaceSelector } = term;
  if (namespaces.length === 0 && namespaceSelector === undefined) return namespace === owner.metadata.namespace;
  if (namespaces.includes(namespace)) return true;
  return (
    namespaceSelector !== undefined &&
    matchesLabels(fromLabelSelectorObject(namespaceSelector), namespaceLabels(namespace) ?? {})
  );
}

function withLabelKeys(
  { labelSelector, matchLabelKeys = [] }: PodAffinityTerm,
  { metadata }: Pod,
): PodAffinityTerm["labelSelector"] {
  if (labelSelector === undefined || matchLabelKeys.length === 0) return labelSelector;
  const added = matchLabelKeys.flatMap((key) => {
    const value = metadata.labels?.[key];
    return value === undefined ? [] : [{ key, operator: "In" as const, values: [value] }];
  });
  return { ...labelSelector, matchExpressions: [...(labelSelector.matchExpressions ?? []), ...added] };
}

function topologyOf({ node }: NodeView, key: string | undefined): string | undefined {
  return key === undefined ? undefined : node.metadata.labels?.[key];
}

/** The topologies in which a pod is that a term speaks of. */
function topologiesWith(term: PodAffinityTerm, owner: Pod, around: Surroundings): ReadonlySet<string> {
  const found = new Set<string>();
  for (const view of around.nodes) {
    const topology = topologyOf(view, term.topologyKey);
    if (topology === undefined || found.has(topology)) continue;
    for (const { pod: other } of view.pods.values()) {
      if (concerns(term, { owner, other }, around)) {
        found.add(topology);
        break;
      }
    }
  }
  return found;
}

/** Why a node's neighbours keep a pod away. */
export type Distance = "affinity" | "anti-affinity" | "existing anti-affinity";

/** A rule, worked out once for a pod and asked for each node. */
export type NeighbourRule = (view: NodeView) => Distance | undefined;

/** What the pod wants of its neighbours, and what these want of it. */
export function neighbourRule(pod: Pod, around: Surroundings): NeighbourRule {
  const { podAffinity, podAntiAffinity } = pod.spec?.affinity ?? {};
  const near = (podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map((term) => ({
    term,
    found: topologiesWith(term, pod, around),
  }));
  const far = (podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map((term) => ({
    term,
    found: topologiesWith(term, pod, around),
  }));
  const forbidden = forbiddenTopologies(pod, around);
  // The first of a group that wants to be together finds nobody: it may go anywhere that has the topology.
  const isFirst =
    near.length > 0 &&
    near.every(({ found }) => found.size === 0) &&
    near.every(({ term }) => concerns(term, { owner: pod, other: pod }, around));
  return (view) => {
    if (forbidden.some(({ key, value }) => topologyOf(view, key) === value)) return "existing anti-affinity";
    if (far.some(({ term, found }) => found.has(topologyOf(view, term.topologyKey) ?? ""))) return "anti-affinity";
    const isNear = near.every(({ term, found }) => {
      const topology = topologyOf(view, term.topologyKey);
      return topology !== undefined && (isFirst || found.has(topology));
    });
    return isNear ? undefined : "affinity";
  };
}

interface Topology {
  readonly key: string;
  readonly value: string;
}

function forbiddenTopologies(pod: Pod, around: Surroundings): readonly Topology[] {
  const forbidden: Topology[] = [];
  for (const view of around.nodes) {
    for (const { pod: other } of view.pods.values()) {
      const terms = other.spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
      for (const term of terms) {
        const value = topologyOf(view, term.topologyKey);
        if (value !== undefined && concerns(term, { owner: other, other: pod }, around)) {
          forbidden.push({ key: term.topologyKey ?? "", value });
        }
      }
    }
  }
  return forbidden;
}

/** How much the neighbours of a node are liked: weights of terms met, minus those of terms violated. */
export function sympathy(view: NodeView, pod: Pod, around: Surroundings): number {
  const { podAffinity, podAntiAffinity } = pod.spec?.affinity ?? {};
  const near = podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const far = podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  if (near.length === 0 && far.length === 0) return 0;
  const score = (terms: typeof near, sign: 1 | -1): number =>
    terms.reduce((sum, { podAffinityTerm, weight }) => {
      const found = topologiesWith(podAffinityTerm, pod, around);
      return found.has(topologyOf(view, podAffinityTerm.topologyKey) ?? "") ? sum + sign * weight : sum;
    }, 0);
  return score(near, 1) + score(far, -1);
}

/** Why a node would make the spread too uneven. */
export type Unevenness = "missing label" | "skew";

/** A rule of even spread, worked out once for a pod and asked for each node. */
export function spreadRule(pod: Pod, around: Surroundings): (view: NodeView) => Unevenness | undefined {
  const constraints = (pod.spec?.topologySpreadConstraints ?? [])
    .filter(({ whenUnsatisfiable }) => whenUnsatisfiable === "DoNotSchedule")
    .map((constraint) => ({ constraint, counts: countTopologies(constraint, pod, around) }));
  return (view) => {
    for (const { constraint, counts } of constraints) {
      const topology = topologyOf(view, constraint.topologyKey);
      if (topology === undefined) return "missing label";
      if (skewAt(topology, constraint, { pod, counts }) > constraint.maxSkew) return "skew";
    }
    return undefined;
  };
}

/** How uneven a node would make the spreads that are only wished for: lower is better. */
export function unevenness(view: NodeView, pod: Pod, around: Surroundings): number {
  return (pod.spec?.topologySpreadConstraints ?? [])
    .filter(({ whenUnsatisfiable }) => whenUnsatisfiable !== "DoNotSchedule")
    .reduce((sum, constraint) => {
      const topology = topologyOf(view, constraint.topologyKey);
      const counts = countTopologies(constraint, pod, around);
      return sum + (topology === undefined ? 0 : (counts.get(topology) ?? 0));
    }, 0);
}

interface Counted {
  readonly pod: Pod;
  readonly counts: ReadonlyMap<string, number>;
}

function skewAt(topology: string, constraint: TopologySpreadConstraint, { pod, counts }: Counted): number {
  const isCounted = matchesLabels(fromLabelSelectorObject(spreadSelector(constraint, pod)), pod.metadata.labels);
  const isScarce = counts.size < (constraint.minDomains ?? 1);
  const least = isScarce ? 0 : Math.min(...counts.values());
  return (counts.get(topology) ?? 0) + (isCounted ? 1 : 0) - (Number.isFinite(least) ? least : 0);
}

function spreadSelector(
  { labelSelector, matchLabelKeys }: TopologySpreadConstraint,
  pod: Pod,
): PodAffinityTerm["labelSelector"] {
  return withLabelKeys(
    { topologyKey: "", ...(labelSelector && { labelSelector }), ...(matchLabelKeys && { matchLabelKeys }) },
    pod,
  );
}

/** How many pods that count are in each topology that the pod could go to. */
function countTopologies(
  constraint: TopologySpreadConstraint,
  pod: Pod,
  { nodes }: Surroundings,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const selector = fromLabelSelectorObject(spreadSelector(constraint, pod));
  const { nodeAffinityPolicy = "Honor", nodeTaintsPolicy = "Ignore" } = constraint;
  for (const view of nodes) {
    const topology = topologyOf(view, constraint.topologyKey);
    if (topology === undefined) continue;
    if (nodeAffinityPolicy === "Honor" && !isWanted(view.node, pod)) continue;
    if (nodeTaintsPolicy === "Honor" && untolerated(view.node, pod) !== undefined) continue;
    let count = counts.get(topology) ?? 0;
    for (const { pod: other } of view.pods.values()) {
      const { namespace, labels, deletionTimestamp } = other.metadata;
      if (namespace === pod.metadata.namespace && deletionTimestamp === undefined && matchesLabels(selector, labels))
        count++;
    }
    counts.set(topology, count);
  }
  return counts;
}
