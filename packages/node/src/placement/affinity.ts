/** Node selectors and node affinities of pods. Pure. */
import type { Node, NodeSelectorTerm, Pod } from "@capstan/kinds/v1";
import { type LabelOperator, type Labels, matchesLabels } from "@capstan/model";

type Expression = NonNullable<NodeSelectorTerm["matchExpressions"]>[number];

/** Whether a node matches the node selector and the required affinity of a pod. */
export function isWanted(node: Node, { spec }: Pod): boolean {
  const labels = node.metadata.labels ?? {};
  for (const [key, value] of Object.entries(spec?.nodeSelector ?? {})) if (labels[key] !== value) return false;
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (required === undefined) return true;
  return (required.nodeSelectorTerms ?? []).some((term) => matchesTerm(node, term));
}

/** Whether a node matches all requirements of a term; an empty term matches no node. */
export function matchesTerm(node: Node, { matchExpressions = [], matchFields = [] }: NodeSelectorTerm): boolean {
  if (matchExpressions.length === 0 && matchFields.length === 0) return false;
  const labels = node.metadata.labels ?? {};
  const fields: Labels = { "metadata.name": node.metadata.name };
  return (
    matchExpressions.every((expression) => meets(expression, labels)) &&
    matchFields.every((expression) => meets(expression, fields))
  );
}

function meets({ key, operator, values = [] }: Expression, labels: Labels): boolean {
  const known = OPERATORS[operator];
  return known !== undefined && matchesLabels([{ key, operator: known, values }], labels);
}

/** Node selectors spell the operators of label selectors differently. */
const OPERATORS: { readonly [operator: string]: LabelOperator } = {
  In: "in",
  NotIn: "notin",
  Exists: "exists",
  DoesNotExist: "!",
  Gt: "gt",
  Lt: "lt",
};

/** The preferred affinity score of a node: the sum of the weights of matching preferences. */
export function preferenceFor(node: Node, { spec }: Pod): number {
  const preferred = spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return preferred.reduce((sum, { preference, weight }) => sum + (matchesTerm(node, preference ?? {}) ? weight : 0), 0);
}
