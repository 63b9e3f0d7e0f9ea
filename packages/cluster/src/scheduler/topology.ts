/** Inter-pod affinity, anti-affinity and topology spread. Pure. */
import type { Pod, PodAffinityTerm, TopologySpreadConstraint } from "@capstan/kinds/v1";
import { fromLabelSelectorObject, matchesLabels } from "@capstan/model";
import type { Labels } from "@capstan/model";
import { isWanted, untolerated } from "@capstan/node";
import type { NodeInfo } from "./cache.ts";
import type { StorageLister } from "./volumes.ts";

/** The cluster state that filters and scores read. */
export interface Snapshot {
  readonly nodes: readonly NodeInfo[];
  /** The labels of a namespace, for namespace selectors. */
  readonly namespaceLabels: (namespace: string) => Labels | undefined;
  readonly storage: StorageLister;
}

/** Whether an affinity term of one pod matches another pod. */
export function termMatchesPod(
  term: PodAffinityTerm,
  { owner, other }: { readonly owner: Pod; readonly other: Pod },
  { namespaceLabels }: Snapshot,
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

function topologyOf({ node }: NodeInfo, key: string | undefined): string | undefined {
  return key === undefined ? undefined : node.metadata.labels?.[key];
}

/** The topology values with a pod that the term matches. */
function topologiesWith(term: PodAffinityTerm, owner: Pod, snapshot: Snapshot): ReadonlySet<string> {
  const found = new Set<string>();
  for (const nodeInfo of snapshot.nodes) {
    const topology = topologyOf(nodeInfo, term.topologyKey);
    if (topology === undefined || found.has(topology)) continue;
    for (const { pod: other } of nodeInfo.pods.values()) {
      if (termMatchesPod(term, { owner, other }, snapshot)) {
        found.add(topology);
        break;
      }
    }
  }
  return found;
}

/** Why inter-pod affinity rejects a node. */
export type AffinityFailure = "affinity" | "anti-affinity" | "existing anti-affinity";

/** Filters nodes by inter-pod affinity. */
export type AffinityFilter = (nodeInfo: NodeInfo) => AffinityFailure | undefined;

/** Checks the affinity terms of the pod, and the anti-affinity terms of existing pods. */
export function interPodAffinityFilter(pod: Pod, snapshot: Snapshot): AffinityFilter {
  const { podAffinity, podAntiAffinity } = pod.spec?.affinity ?? {};
  const affinityTerms = (podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map((term) => ({
    term,
    found: topologiesWith(term, pod, snapshot),
  }));
  const antiAffinityTerms = (podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map((term) => ({
    term,
    found: topologiesWith(term, pod, snapshot),
  }));
  const existingAntiAffinity = existingAntiAffinityTopologies(pod, snapshot);
  // The first pod of a group with affinity to itself matches nothing: it may go to any node with the topology key.
  const isFirstPod =
    affinityTerms.length > 0 &&
    affinityTerms.every(({ found }) => found.size === 0) &&
    affinityTerms.every(({ term }) => termMatchesPod(term, { owner: pod, other: pod }, snapshot));
  return (nodeInfo) => {
    if (existingAntiAffinity.some(({ key, value }) => topologyOf(nodeInfo, key) === value))
      return "existing anti-affinity";
    if (antiAffinityTerms.some(({ term, found }) => found.has(topologyOf(nodeInfo, term.topologyKey) ?? "")))
      return "anti-affinity";
    const satisfiesAffinity = affinityTerms.every(({ term, found }) => {
      const topology = topologyOf(nodeInfo, term.topologyKey);
      return topology !== undefined && (isFirstPod || found.has(topology));
    });
    return satisfiesAffinity ? undefined : "affinity";
  };
}

interface Topology {
  readonly key: string;
  readonly value: string;
}

function existingAntiAffinityTopologies(pod: Pod, snapshot: Snapshot): readonly Topology[] {
  const existingAntiAffinity: Topology[] = [];
  for (const nodeInfo of snapshot.nodes) {
    for (const { pod: other } of nodeInfo.pods.values()) {
      const terms = other.spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
      for (const term of terms) {
        const value = topologyOf(nodeInfo, term.topologyKey);
        if (value !== undefined && termMatchesPod(term, { owner: other, other: pod }, snapshot)) {
          existingAntiAffinity.push({ key: term.topologyKey ?? "", value });
        }
      }
    }
  }
  return existingAntiAffinity;
}

/** The weights of matched affinity terms minus those of matched anti-affinity terms. */
export function podAffinityScore(nodeInfo: NodeInfo, pod: Pod, snapshot: Snapshot): number {
  const { podAffinity, podAntiAffinity } = pod.spec?.affinity ?? {};
  const affinityTerms = podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const antiAffinityTerms = podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  if (affinityTerms.length === 0 && antiAffinityTerms.length === 0) return 0;
  const score = (terms: typeof affinityTerms, sign: 1 | -1): number =>
    terms.reduce((sum, { podAffinityTerm, weight }) => {
      const found = topologiesWith(podAffinityTerm, pod, snapshot);
      return found.has(topologyOf(nodeInfo, podAffinityTerm.topologyKey) ?? "") ? sum + sign * weight : sum;
    }, 0);
  return score(affinityTerms, 1) + score(antiAffinityTerms, -1);
}

/** Why topology spread rejects a node. */
export type SpreadFailure = "missing label" | "skew";

/** Filters nodes by hard topology spread constraints. */
export function topologySpreadFilter(pod: Pod, snapshot: Snapshot): (nodeInfo: NodeInfo) => SpreadFailure | undefined {
  const constraints = (pod.spec?.topologySpreadConstraints ?? [])
    .filter(({ whenUnsatisfiable }) => whenUnsatisfiable === "DoNotSchedule")
    .map((constraint) => ({ constraint, counts: countTopologies(constraint, pod, snapshot) }));
  return (nodeInfo) => {
    for (const { constraint, counts } of constraints) {
      const topology = topologyOf(nodeInfo, constraint.topologyKey);
      if (topology === undefined) return "missing label";
      if (skewAt(topology, constraint, { pod, counts }) > constraint.maxSkew) return "skew";
    }
    return undefined;
  };
}

/** The matching pods in the node's topology for soft constraints; lower is better. */
export function spreadScore(nodeInfo: NodeInfo, pod: Pod, snapshot: Snapshot): number {
  return (pod.spec?.topologySpreadConstraints ?? [])
    .filter(({ whenUnsatisfiable }) => whenUnsatisfiable !== "DoNotSchedule")
    .reduce((sum, constraint) => {
      const topology = topologyOf(nodeInfo, constraint.topologyKey);
      const counts = countTopologies(constraint, pod, snapshot);
      return sum + (topology === undefined ? 0 : (counts.get(topology) ?? 0));
    }, 0);
}

interface TopologyCounts {
  readonly pod: Pod;
  readonly counts: ReadonlyMap<string, number>;
}

function skewAt(topology: string, constraint: TopologySpreadConstraint, { pod, counts }: TopologyCounts): number {
  const isCounted = matchesLabels(fromLabelSelectorObject(spreadSelector(constraint, pod)), pod.metadata.labels);
  const isBelowMinDomains = counts.size < (constraint.minDomains ?? 1);
  const minMatch = isBelowMinDomains ? 0 : Math.min(...counts.values());
  return (counts.get(topology) ?? 0) + (isCounted ? 1 : 0) - (Number.isFinite(minMatch) ? minMatch : 0);
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

/** The matching pods in each topology that the pod may use. */
function countTopologies(
  constraint: TopologySpreadConstraint,
  pod: Pod,
  { nodes }: Snapshot,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const selector = fromLabelSelectorObject(spreadSelector(constraint, pod));
  const { nodeAffinityPolicy = "Honor", nodeTaintsPolicy = "Ignore" } = constraint;
  for (const nodeInfo of nodes) {
    const topology = topologyOf(nodeInfo, constraint.topologyKey);
    if (topology === undefined) continue;
    if (nodeAffinityPolicy === "Honor" && !isWanted(nodeInfo.node, pod)) continue;
    if (nodeTaintsPolicy === "Honor" && untolerated(nodeInfo.node, pod) !== undefined) continue;
    let count = counts.get(topology) ?? 0;
    for (const { pod: other } of nodeInfo.pods.values()) {
      const { namespace, labels, deletionTimestamp } = other.metadata;
      if (namespace === pod.metadata.namespace && deletionTimestamp === undefined && matchesLabels(selector, labels))
        count++;
    }
    counts.set(topology, count);
  }
  return counts;
}
