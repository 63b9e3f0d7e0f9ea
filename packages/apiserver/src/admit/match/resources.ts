/** Whether a policy or binding matches a request. */
import type { Lookup } from "../../builtin/context.ts";
import type { AdmissionRequest, ServedKind } from "../admission.ts";
import { matchRules, ownForm, type Rule } from "./rules.ts";
import { selectorsMatch, type Selectors } from "./selectors.ts";

export interface MatchResources extends Selectors {
  readonly resourceRules?: readonly Rule[];
  readonly excludeResourceRules?: readonly Rule[];
  readonly matchPolicy?: string;
}

/** The version in which the request matches; without rules, that of the request. */
export function matchResources(
  request: AdmissionRequest,
  wanted: MatchResources,
  lookup: Lookup,
): ServedKind | undefined {
  const { resourceRules = [], excludeResourceRules = [], matchPolicy } = wanted;
  if (matchRules(request, excludeResourceRules, matchPolicy) !== undefined) return undefined;
  const form = resourceRules.length === 0 ? ownForm(request) : matchRules(request, resourceRules, matchPolicy);
  return form !== undefined && selectorsMatch(request, wanted, lookup) ? form : undefined;
}
