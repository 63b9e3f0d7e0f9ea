/** Whether a request is among those that a policy or binding is about. */
import type { Lookup } from "../../builtin/context.ts";
import type { AdmissionRequest, ServedKind } from "../admission.ts";
import { matchRules, ownForm, type Rule } from "./rules.ts";
import { selectorsMatch, type Selectors } from "./selectors.ts";

/** MatchResources of policies and bindings. */
export interface MatchResources extends Selectors {
  readonly resourceRules?: readonly Rule[];
  readonly excludeResourceRules?: readonly Rule[];
  readonly matchPolicy?: string;
}

/** The form at which the request matches; without rules, its own. */
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
