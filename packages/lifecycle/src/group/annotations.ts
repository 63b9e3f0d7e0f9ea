/** The annotations by which a ClusterServiceVersion belongs to an OperatorGroup. */
import type { OperatorGroup } from "../kinds/operator-group.ts";

/** The target namespaces of a group, sorted, with commas. Empty for all namespaces, and for a group without status. */
export function buildTargets({ status }: OperatorGroup): string {
  return [...(status?.namespaces ?? [])].sort().join(",");
}

/** The annotations of the members of a group. The targets are absent until the group knows them. */
export function groupAnnotations(group: OperatorGroup): { readonly [key: string]: string } {
  const { name, namespace = "" } = group.metadata;
  return {
    "olm.operatorNamespace": namespace,
    "olm.operatorGroup": name,
    ...(group.status?.namespaces === undefined ? {} : { "olm.targetNamespaces": buildTargets(group) }),
  };
}
