/** The namespaces that an OperatorGroup selects. */
import type { Namespace } from "@capstan/kinds/v1";
import { fromLabelSelectorObject, matchesLabels } from "@capstan/model";
import type { OperatorGroup } from "../kinds/operator-group.ts";

/** The selected namespaces; `[""]` for all. Named namespaces count more than a selector, and an empty selector selects all. */
export function selectNamespaces({ spec }: OperatorGroup, namespaces: readonly Namespace[]): readonly string[] {
  const named = spec?.targetNamespaces ?? [];
  if (named.length > 0) return [...new Set(named)].sort();
  const { selector } = spec ?? {};
  const isEmpty =
    Object.keys(selector?.matchLabels ?? {}).length === 0 && (selector?.matchExpressions ?? []).length === 0;
  if (isEmpty) return [""];
  const wanted = fromLabelSelectorObject(selector);
  return namespaces
    .filter(({ metadata }) => matchesLabels(wanted, metadata.labels))
    .map(({ metadata }) => metadata.name)
    .sort();
}
