/** What a namespace that goes says about what still holds it. Pure. */
import type { Namespace } from "@capstan/kinds/v1";
import { isDeepEqual } from "@capstan/model";

/** Objects of a kind that are still there, and the finalizers that hold them. */
export interface Remains {
  readonly kind: { readonly group: string; readonly plural: string };
  readonly count: number;
  readonly finalizers: readonly string[];
}

type Condition = NonNullable<NonNullable<Namespace["status"]>["conditions"]>[number];
type Claim = Omit<Condition, "lastTransitionTime">;

/** The conditions of a namespace with this content; the same list when nothing changed. */
export function deletionConditions(
  old: readonly Condition[],
  remains: readonly Remains[],
  now: string,
): readonly Condition[] {
  const updated = claims(remains).map((claim): Condition => {
    const current = old.find(({ type }) => type === claim.type);
    const isSame = current?.status === claim.status && current.reason === claim.reason;
    return { ...claim, lastTransitionTime: isSame ? (current.lastTransitionTime ?? now) : now };
  });
  const foreign = old.filter(({ type }) => !updated.some((one) => one.type === type));
  const all = [...foreign, ...updated];
  return isDeepEqual(all, old) ? old : all;
}

function claims(remains: readonly Remains[]): readonly Claim[] {
  return [
    fine("NamespaceDeletionDiscoveryFailure", "ResourcesDiscovered", "All resources successfully discovered"),
    fine(
      "NamespaceDeletionGroupVersionParsingFailure",
      "ParsedGroupVersions",
      "All legacy kube types successfully parsed",
    ),
    fine(
      "NamespaceDeletionContentFailure",
      "ContentDeleted",
      "All content successfully deleted, may be waiting on finalization",
    ),
    contentClaim(remains),
    finalizersClaim(remains),
  ];
}

function fine(type: Claim["type"], reason: string, message: string): Claim {
  return { type, status: "False", reason, message };
}

function contentClaim(remains: readonly Remains[]): Claim {
  if (remains.length === 0) {
    return fine("NamespaceContentRemaining", "ContentRemoved", "All content successfully removed");
  }
  const texts = remains.map(({ kind, count }) => `${kind.plural}.${kind.group} has ${count} resource instances`).sort();
  return {
    type: "NamespaceContentRemaining",
    status: "True",
    reason: "SomeResourcesRemain",
    message: `Some resources are remaining: ${texts.join(", ")}`,
  };
}

function finalizersClaim(remains: readonly Remains[]): Claim {
  const counts = new Map<string, number>();
  for (const { finalizers } of remains) for (const one of finalizers) counts.set(one, (counts.get(one) ?? 0) + 1);
  if (counts.size === 0) {
    return fine("NamespaceFinalizersRemaining", "ContentHasNoFinalizers", "All content-preserving finalizers finished");
  }
  const texts = [...counts].map(([name, count]) => `${name} in ${count} resource instances`).sort();
  return {
    type: "NamespaceFinalizersRemaining",
    status: "True",
    reason: "SomeFinalizersRemain",
    message: `Some content in the namespace has finalizers remaining: ${texts.join(", ")}`,
  };
}
