/** Divides what a resolution selects into plans: one for everything automatic, and one for each manual Subscription. */
import type { Subscription } from "../kinds/subscription.ts";
import { hasPolicy } from "../policy/annotations.ts";
import type { ResolutionInput, ResolutionResult, Selection } from "../resolve/resolution.ts";

/** The selections of one plan. */
export interface PlannedSelections {
  readonly approval: "Automatic" | "Manual";
  readonly selections: readonly Selection[];
}

/** A resolution, and how to resolve again with fewer Subscriptions. */
export interface Resolved {
  readonly input: ResolutionInput;
  readonly selections: readonly Selection[];
  readonly resolve: (input: ResolutionInput) => ResolutionResult;
}

/**
 * The plans. Approving one Subscription must not approve another, so each manual one gets its own plan. A dependency belongs to the
 * plans that cannot do without it.
 */
export function dividePlans(subscriptions: readonly Subscription[], resolved: Resolved): readonly PlannedSelections[] {
  // With a policy, only what it approves is selected.
  const manual = subscriptions.filter((each) => each.spec.installPlanApproval === "Manual" && !hasPolicy(each));
  const { selections } = resolved;
  const names = new Set(manual.map(({ metadata }) => metadata.name));
  const ofManual = manual
    .map(({ metadata }) => metadata.name)
    .filter((name) => selections.some((each) => each.subscriptions.includes(name)));
  const isAutomatic = (each: Selection): boolean => each.subscriptions.some((name) => !names.has(name));
  if (ofManual.length === 0) return planned("Automatic", selections);
  if (ofManual.length === 1 && !selections.some(isAutomatic)) return planned("Manual", selections);
  const dependencies = selections.filter((each) => each.subscriptions.length === 0);
  const without = neededBy(resolved, (name) => !names.has(name));
  const automatic = [
    ...selections.filter(isAutomatic),
    ...dependencies.filter((each) => without.has(each.bundle.name)),
  ];
  const plans = ofManual.flatMap((name) => {
    const needed = neededBy(resolved, (other) => other === name || !names.has(other));
    const own = selections.filter((each) => each.subscriptions.includes(name));
    const more = dependencies.filter((each) => needed.has(each.bundle.name) && !without.has(each.bundle.name));
    return planned("Manual", [...own, ...more]);
  });
  return [...planned("Automatic", automatic), ...plans];
}

function planned(
  approval: PlannedSelections["approval"],
  selections: readonly Selection[],
): readonly PlannedSelections[] {
  return selections.length === 0 ? [] : [{ approval, selections }];
}

/** The bundles that some of the Subscriptions need. */
function neededBy({ input, resolve }: Resolved, keep: (name: string) => boolean): ReadonlySet<string> {
  const result = resolve({ ...input, subscriptions: input.subscriptions.filter(({ name }) => keep(name)) });
  return new Set(result.type === "solved" ? result.selections.map(({ bundle }) => bundle.name) : []);
}
