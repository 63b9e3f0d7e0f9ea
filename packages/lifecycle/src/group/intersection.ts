/** Which OperatorGroups meet, and what follows for the APIs that an operator wants to provide. */
import type { ApiSet } from "../csv/apis.ts";
import { formatApis, parseApis } from "../csv/apis.ts";
import type { OperatorGroup } from "../kinds/operator-group.ts";

/** The annotation of an OperatorGroup with the APIs that its operators provide. */
export const providedApisAnnotation = "olm.providedAPIs";

/** What a ClusterServiceVersion does to the provided APIs of its group. */
export type ApiVerdict =
  | { readonly is: "settled" }
  | { readonly is: "conflict" }
  | { readonly is: "add" | "remove"; readonly annotation: string };

/** The namespaces of a group, for conflicts: its targets and its own namespace. */
export function surfaceNamespaces({ metadata, status }: OperatorGroup): ReadonlySet<string> {
  const namespaces = status?.namespaces ?? [];
  const [first] = namespaces;
  return new Set(first === undefined || first === "" ? namespaces : [...namespaces, metadata.namespace ?? ""]);
}

/** Whether a set of namespaces stands for all of them. */
export function isAllNamespaces(namespaces: ReadonlySet<string>): boolean {
  return namespaces.size === 1 && namespaces.has("");
}

/** Whether two sets of namespaces meet. */
export function doMeet(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  if (isAllNamespaces(one)) return other.size > 0;
  if (isAllNamespaces(other)) return one.size > 0;
  return !one.isDisjointFrom(other);
}

/** The APIs in the annotation of a group. */
export function groupApis({ metadata }: OperatorGroup): ApiSet {
  return parseApis(metadata.annotations?.[providedApisAnnotation]);
}

/** Compares what an operator provides with its group and with the groups that meet it. */
export function judgeApis(provided: ApiSet, group: OperatorGroup, others: readonly OperatorGroup[]): ApiVerdict {
  const namespaces = surfaceNamespaces(group);
  const ours = groupApis(group);
  const theirs = others.filter((other) => doMeet(namespaces, surfaceNamespaces(other))).map(groupApis);
  const isTaken = theirs.some((apis) => !apis.isDisjointFrom(provided));
  const isKnown = provided.isSubsetOf(ours);
  if (isKnown) {
    return isTaken ? { is: "remove", annotation: formatApis(ours.difference(provided)) } : { is: "settled" };
  }
  return isTaken ? { is: "conflict" } : { is: "add", annotation: formatApis(ours.union(provided)) };
}
