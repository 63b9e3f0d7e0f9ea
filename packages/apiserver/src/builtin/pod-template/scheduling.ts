/** Validation of scheduling fields: affinity, tolerations, topology spread. */
import type {
  Affinity,
  PodAffinityTerm,
  PodSpec,
  Toleration,
  TopologySpreadConstraint,
  WeightedPodAffinityTerm,
} from "@capstan/kinds/v1";
import {
  checkDns1123Label,
  checkLabelValue,
  fieldErrors,
  type FieldError,
  type LabelSelectorObject,
} from "@capstan/model";
import { checkLabelKey, checkOneOf, checkPositive, invalidEach, isEmpty } from "../meta/checks.ts";
import { checkLabelSelector } from "../selector/label-selector.ts";
import { checkNodeSelector, checkNodeSelectorTerm } from "../selector/node-selector.ts";
import type { PodLeniency } from "./leniency.ts";

/** Checks node affinity, pod affinity and pod anti-affinity. */
export function checkAffinity(affinity: Affinity | undefined, path: string, leniency: PodLeniency): FieldError[] {
  if (affinity === undefined) return [];
  return [
    ...checkNodeAffinity(affinity.nodeAffinity, `${path}.nodeAffinity`, leniency.badNodeAffinityValues === true),
    ...checkPodAffinity(affinity.podAffinity, `${path}.podAffinity`, leniency.badAffinityValues === true),
    ...checkPodAffinity(affinity.podAntiAffinity, `${path}.podAntiAffinity`, leniency.badAffinityValues === true),
  ];
}

const required = "requiredDuringSchedulingIgnoredDuringExecution";
const preferred = "preferredDuringSchedulingIgnoredDuringExecution";

function checkNodeAffinity(affinity: Affinity["nodeAffinity"], path: string, allowBadValues: boolean): FieldError[] {
  const must = affinity?.[required];
  return [
    ...(must === undefined ? [] : checkNodeSelector(must, `${path}.${required}`, allowBadValues)),
    ...(affinity?.[preferred] ?? []).flatMap(({ weight, preference }, index) => {
      const here = `${path}.${preferred}[${index}]`;
      return [...checkWeight(weight, here), ...checkNodeSelectorTerm(preference, `${here}.preference`, true)];
    }),
  ];
}

function checkWeight(weight: number, path: string): FieldError[] {
  if (weight > 0 && weight <= 100) return [];
  return [fieldErrors.invalid(`${path}.weight`, weight, "must be in the range 1-100")];
}

function checkPodAffinity(
  affinity: Affinity["podAffinity"] | Affinity["podAntiAffinity"],
  path: string,
  allowBadValues: boolean,
): FieldError[] {
  const must: readonly PodAffinityTerm[] = affinity?.[required] ?? [];
  const should: readonly WeightedPodAffinityTerm[] = affinity?.[preferred] ?? [];
  return [
    ...must.flatMap((term, index) => checkAffinityTerm(term, `${path}.${required}[${index}]`, allowBadValues)),
    ...should.flatMap(({ weight, podAffinityTerm }, index) => {
      const here = `${path}.${preferred}[${index}]`;
      return [
        ...checkWeight(weight, here),
        ...checkAffinityTerm(podAffinityTerm, `${here}.podAffinityTerm`, allowBadValues),
      ];
    }),
  ];
}

function checkAffinityTerm(term: PodAffinityTerm, path: string, allowBadValues: boolean): FieldError[] {
  const leniency = { invalidValues: allowBadValues };
  const { topologyKey } = term;
  return [
    ...checkLabelSelector(term.labelSelector, `${path}.labelSelector`, leniency),
    ...checkLabelSelector(term.namespaceSelector, `${path}.namespaceSelector`, leniency),
    ...(term.namespaces ?? []).flatMap((name) => invalidEach(`${path}.namespace`, name, checkDns1123Label(name))),
    ...checkMatchKeys(term, path),
    ...(isEmpty(topologyKey) ? [fieldErrors.required(`${path}.topologyKey`, "can not be empty")] : []),
    ...checkLabelKey(topologyKey ?? "", `${path}.topologyKey`),
  ];
}

interface MatchKeys {
  readonly matchLabelKeys?: readonly string[];
  readonly mismatchLabelKeys?: readonly string[];
  readonly labelSelector?: LabelSelectorObject;
}

/** matchLabelKeys must not be in the selector already, nor in mismatchLabelKeys. */
function checkMatchKeys(
  { matchLabelKeys = [], mismatchLabelKeys = [], labelSelector }: MatchKeys,
  path: string,
): FieldError[] {
  const matchPath = `${path}.matchLabelKeys`;
  const errors = [
    ...checkKeys(matchLabelKeys, labelSelector, matchPath),
    ...checkKeys(mismatchLabelKeys, labelSelector, `${path}.mismatchLabelKeys`),
  ];
  const selected = new Set(Object.keys(labelSelector?.matchLabels ?? {}));
  for (const { key } of labelSelector?.matchExpressions ?? []) {
    const index = matchLabelKeys.lastIndexOf(key);
    if (index >= 0 && selected.has(key)) {
      errors.push(fieldErrors.invalid(`${path}[${index}]`, key, "exists in both matchLabelKeys and labelSelector"));
    }
    selected.add(key);
  }
  matchLabelKeys.forEach((key, index) => {
    if (!mismatchLabelKeys.includes(key)) return;
    const why = "exists in both matchLabelKeys and mismatchLabelKeys";
    errors.push(fieldErrors.invalid(`${matchPath}[${index}]`, key, why));
  });
  return errors;
}

function checkKeys(keys: readonly string[], selector: LabelSelectorObject | undefined, path: string): FieldError[] {
  if (keys.length === 0) return [];
  if (selector === undefined) {
    return [fieldErrors.forbidden(path, "must not be specified when labelSelector is not set")];
  }
  return keys.flatMap((key, index) => checkLabelKey(key, `${path}[${index}]`));
}

const taintEffects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

/** Checks the effect of a taint or toleration. */
export function checkTaintEffect(effect: string, path: string): FieldError[] {
  return checkOneOf(effect, path, taintEffects);
}

export function checkTolerations(tolerations: readonly Toleration[], path: string): FieldError[] {
  return tolerations.flatMap((toleration, index) => checkToleration(toleration, `${path}[${index}]`));
}

function checkToleration(toleration: Toleration, path: string): FieldError[] {
  const { key = "", operator = "", effect = "", tolerationSeconds } = toleration;
  const errors = key === "" ? [] : checkLabelKey(key, `${path}.key`);
  if (key === "" && operator !== "Exists") {
    const why = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    errors.push(fieldErrors.invalid(`${path}.operator`, operator, why));
  }
  if (tolerationSeconds !== undefined && effect !== "NoExecute") {
    const why = "effect must be 'NoExecute' when `tolerationSeconds` is set";
    errors.push(fieldErrors.invalid(`${path}.effect`, effect, why));
  }
  errors.push(...checkTolerationOperator(operator, toleration.value ?? "", path));
  return effect === "" ? errors : [...errors, ...checkTaintEffect(effect, `${path}.effect`)];
}

function checkTolerationOperator(operator: string, value: string, path: string): FieldError[] {
  const here = `${path}.operator`;
  switch (operator) {
    case "":
    case "Equal": {
      const complaints = checkLabelValue(value);
      return complaints.length === 0 ? [] : [fieldErrors.invalid(here, value, complaints.join(";"))];
    }
    case "Exists":
      if (value === "") return [];
      return [fieldErrors.invalid(here, value, "value must be empty when `operator` is 'Exists'")];
    case "Lt":
    case "Gt":
      return [fieldErrors.notSupportedName(here, operator, ["Equal", "Exists", "Lt", "Gt"])];
    default:
      return [fieldErrors.notSupportedName(here, operator, ["Equal", "Exists"])];
  }
}

/** Checks the topology spread constraints. */
export function checkSpread(spec: PodSpec, path: string, allowBadSelectors: boolean): FieldError[] {
  const constraints = spec.topologySpreadConstraints ?? [];
  return constraints.flatMap((constraint, index) => {
    const here = `${path}[${index}]`;
    return [
      ...checkConstraint(constraint, here),
      ...checkNotRepeated(constraint, constraints.slice(index + 1), here),
      ...checkConstraintDetails(constraint, here),
      ...(allowBadSelectors ? [] : checkLabelSelector(constraint.labelSelector, `${here}.labelSelector`)),
    ];
  });
}

function checkConstraint(
  { maxSkew, topologyKey, whenUnsatisfiable }: TopologySpreadConstraint,
  path: string,
): FieldError[] {
  return [
    ...checkPositive(maxSkew, `${path}.maxSkew`),
    ...(isEmpty(topologyKey) ? [fieldErrors.required(`${path}.topologyKey`, "can not be empty")] : []),
    ...checkOneOf(whenUnsatisfiable, `${path}.whenUnsatisfiable`, ["DoNotSchedule", "ScheduleAnyway"]),
  ];
}

function checkNotRepeated(
  { topologyKey, whenUnsatisfiable }: TopologySpreadConstraint,
  rest: readonly TopologySpreadConstraint[],
  path: string,
): FieldError[] {
  const isRepeated = rest.some(
    (other) => other.topologyKey === topologyKey && other.whenUnsatisfiable === whenUnsatisfiable,
  );
  if (!isRepeated) return [];
  return [fieldErrors.duplicate(`${path}.{topologyKey, whenUnsatisfiable}`, `{${topologyKey}, ${whenUnsatisfiable}}`)];
}

function checkConstraintDetails(constraint: TopologySpreadConstraint, path: string): FieldError[] {
  const { minDomains, whenUnsatisfiable, nodeAffinityPolicy, nodeTaintsPolicy } = constraint;
  const errors: FieldError[] = [];
  if (minDomains !== undefined) {
    errors.push(...checkPositive(minDomains, `${path}.minDomains`));
    if (whenUnsatisfiable !== "DoNotSchedule") {
      const why = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`;
      errors.push(fieldErrors.invalid(`${path}.minDomains`, minDomains, why));
    }
  }
  const policies = ["Honor", "Ignore"];
  if (nodeAffinityPolicy !== undefined) {
    errors.push(...checkOneOf(nodeAffinityPolicy, `${path}.nodeAffinityPolicy`, policies));
  }
  if (nodeTaintsPolicy !== undefined) {
    errors.push(...checkOneOf(nodeTaintsPolicy, `${path}.nodeTaintsPolicy`, policies));
  }
  return [...errors, ...checkMatchKeys(constraint, path)];
}
