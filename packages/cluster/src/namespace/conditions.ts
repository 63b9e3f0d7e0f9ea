/** The conditions of a terminating namespace. Pure. */
import type { Namespace } from "@capstan/kinds/v1";
import { isDeepEqual } from "@capstan/model";

/** The remaining objects of a kind, and their finalizers. */
export interface RemainingObjects {
  readonly kind: { readonly group: string; readonly plural: string };
  readonly count: number;
  readonly finalizers: readonly string[];
}

type Condition = NonNullable<NonNullable<Namespace["status"]>["conditions"]>[number];
type ConditionFields = Omit<Condition, "lastTransitionTime">;

/** The conditions for the remaining content; the same list when nothing changed. */
export function deletionConditions(
  old: readonly Condition[],
  remaining: readonly RemainingObjects[],
  now: string,
): readonly Condition[] {
  const updated = conditionFields(remaining).map((fields): Condition => {
    const current = old.find(({ type }) => type === fields.type);
    const isSame = current?.status === fields.status && current.reason === fields.reason;
    return { ...fields, lastTransitionTime: isSame ? (current.lastTransitionTime ?? now) : now };
  });
  const others = old.filter(({ type }) => !updated.some((one) => one.type === type));
  const all = [...others, ...updated];
  return isDeepEqual(all, old) ? old : all;
}

function conditionFields(remaining: readonly RemainingObjects[]): readonly ConditionFields[] {
  return [
    success("NamespaceDeletionDiscoveryFailure", "ResourcesDiscovered", "All resources successfully discovered"),
    success(
      "NamespaceDeletionGroupVersionParsingFailure",
      "ParsedGroupVersions",
      "All legacy kube types successfully parsed",
    ),
    success(
      "NamespaceDeletionContentFailure",
      "ContentDeleted",
      "All content successfully deleted, may be waiting on finalization",
    ),
    contentCondition(remaining),
    finalizersCondition(remaining),
  ];
}

function success(type: ConditionFields["type"], reason: string, message: string): ConditionFields {
  return { type, status: "False", reason, message };
}

function contentCondition(remaining: readonly RemainingObjects[]): ConditionFields {
  if (remaining.length === 0) {
    return success("NamespaceContentRemaining", "ContentRemoved", "All content successfully removed");
  }
  const texts = remaining
    .map(({ kind, count }) => `${kind.plural}.${kind.group} has ${count} resource instances`)
    .sort();
  return {
    type: "NamespaceContentRemaining",
    status: "True",
    reason: "SomeResourcesRemain",
    message: `Some resources are remaining: ${texts.join(", ")}`,
  };
}

function finalizersCondition(remaining: readonly RemainingObjects[]): ConditionFields {
  const counts = new Map<string, number>();
  for (const { finalizers } of remaining) for (const one of finalizers) counts.set(one, (counts.get(one) ?? 0) + 1);
  if (counts.size === 0) {
    return success(
      "NamespaceFinalizersRemaining",
      "ContentHasNoFinalizers",
      "All content-preserving finalizers finished",
    );
  }
  const texts = [...counts].map(([name, count]) => `${name} in ${count} resource instances`).sort();
  return {
    type: "NamespaceFinalizersRemaining",
    status: "True",
    reason: "SomeFinalizersRemain",
    message: `Some content in the namespace has finalizers remaining: ${texts.join(", ")}`,
  };
}
