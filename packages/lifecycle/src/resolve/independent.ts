/** Resolves a namespace so that a Subscription or a catalog that fails does not block the other Subscriptions. */
import type { RequestedSubscription, ResolutionInput, ResolutionResult, Selection } from "./resolution.ts";
import { resolve } from "./resolve.ts";
import { compareText } from "./world.ts";

/** A resolution that did not succeed. */
export type FailedResolution = Exclude<ResolutionResult, { readonly type: "solved" }>;

/** What can be installed, and for each Subscription that cannot be fulfilled, why. */
export interface IndependentResult {
  readonly selections: readonly Selection[];
  readonly failures: ReadonlyMap<string, FailedResolution>;
}

/**
 * Resolves as many Subscriptions together as possible: those with an installed operator first, then by name. What a
 * failed Subscription has installed stays as it is. All together succeed exactly if `resolve` succeeds.
 */
export function resolveIndependently(input: ResolutionInput): IndependentResult {
  const together = resolve(input);
  if (together.type === "solved") return { selections: together.selections, failures: new Map() };
  const readable = withoutFailedCatalogs(input);
  let [kept, selections]: [readonly RequestedSubscription[], readonly Selection[]] = [[], []];
  const failures = new Map<string, FailedResolution>();
  for (const one of input.subscriptions.toSorted(compareSubscriptions)) {
    const result = resolve({ ...(needsFailedCatalog(one, input) ? input : readable), subscriptions: [...kept, one] });
    if (result.type === "solved") [kept, selections] = [[...kept, one], result.selections];
    else failures.set(one.name, result);
  }
  // Without any of them: an operator that is gone from the input would be installed again by a requirement.
  return { selections: kept.length === 0 ? [] : selections, failures };
}

function compareSubscriptions(a: RequestedSubscription, b: RequestedSubscription): number {
  const isInstalled = ({ installedCSV = "" }: RequestedSubscription): number => (installedCSV === "" ? 0 : 1);
  return isInstalled(b) - isInstalled(a) || compareText(a.name, b.name);
}

function needsFailedCatalog({ catalog }: RequestedSubscription, { catalogs }: ResolutionInput): boolean {
  return catalogs.some(
    (one) => one.state === "failed" && one.name === catalog.name && one.namespace === catalog.namespace,
  );
}

function withoutFailedCatalogs(input: ResolutionInput): ResolutionInput {
  return { ...input, catalogs: input.catalogs.filter(({ state }) => state === "ready") };
}
