/** Which requests a webhook or a policy matches: operations on resources. */
import type { MatchResources, NamedRuleWithOperations } from "@capstan/kinds/admissionregistration.k8s.io/v1";
import { checkPathSegment, fieldErrors, type FieldError } from "@capstan/model";
import type { Draft } from "../draft.ts";
import { checkOneOf, invalidEach } from "../meta/checks.ts";
import { checkLabelSelector } from "../selector/label-selector.ts";
import { occursBefore } from "../occurs-before.ts";

type Rule = Omit<NamedRuleWithOperations, "resourceNames">;

const operations = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];

/** Fills in the scope of a rule. */
export function defaultRule(rule: Draft<Rule>): void {
  rule.scope ??= "*";
}

/** Fills in the defaults of `matchResources` of a policy or binding. */
export function defaultMatchResources(resources: Draft<MatchResources> | undefined): void {
  if (!resources) return;
  resources.matchPolicy ??= "Equivalent";
  resources.namespaceSelector ??= {};
  resources.objectSelector ??= {};
  for (const rule of [...(resources.resourceRules ?? []), ...(resources.excludeResourceRules ?? [])]) defaultRule(rule);
}

const mutatingOperations = ["*", "CONNECT", "CREATE", "UPDATE"];

/** Rejects DELETE: a mutating policy cannot change an object that is deleted. */
export function checkMutatingOperations(resources: MatchResources | undefined, path: string): FieldError[] {
  const given = (resources?.resourceRules ?? []).flatMap((rule) => rule.operations ?? []);
  return given.flatMap((operation) => checkOneOf(operation, `${path}.resourceRules.operations`, mutatingOperations));
}

export function checkRule(rule: Rule, path: string): FieldError[] {
  const { operations: given = [], apiGroups = [], apiVersions = [], resources = [], scope } = rule;
  return [
    ...checkWildcards(given, `${path}.operations`, "operations"),
    ...given.flatMap((operation, index) => checkOneOf(operation, `${path}.operations[${index}]`, operations)),
    ...checkWildcards(apiGroups, `${path}.apiGroups`, "API groups"),
    ...checkWildcards(apiVersions, `${path}.apiVersions`, "API versions"),
    ...apiVersions.flatMap((version, index) =>
      version === "" ? [fieldErrors.required(`${path}.apiVersions[${index}]`)] : [],
    ),
    ...checkResources(resources, `${path}.resources`),
    ...(scope === undefined ? [] : checkOneOf(scope, `${path}.scope`, ["*", "Cluster", "Namespaced"])),
  ];
}

/** Requires at least one value; a wildcard must be the only one. */
function checkWildcards(values: readonly string[], path: string, what: string): FieldError[] {
  if (values.length === 0) return [fieldErrors.required(path)];
  if (values.length === 1 || !values.includes("*")) return [];
  return [fieldErrors.invalid(path, values, `if '*' is present, must not specify other ${what}`)];
}

function checkResources(resources: readonly string[], path: string): FieldError[] {
  const isDouble = resources.length > 1 && resources.includes("*/*");
  const plain = resources.filter((resource) => resource !== "" && !resource.includes("/"));
  const isMixed = plain.includes("*") && plain.at(-1) !== "*";
  const double = "if '*/*' is present, must not specify other resources";
  const single = "if '*' is present, must not specify other resources without subresources";
  return [
    ...(resources.length === 0 ? [fieldErrors.required(path)] : []),
    ...checkSubresources(resources, path),
    ...(isDouble ? [fieldErrors.invalid(path, resources, double)] : []),
    ...(isMixed ? [fieldErrors.invalid(path, resources, single)] : []),
  ];
}

/** Rejects a subresource that an earlier wildcard in the list already covers. */
function checkSubresources(resources: readonly string[], path: string): FieldError[] {
  const [wholes, parts] = [new Set<string>(), new Set<string>()];
  return resources.flatMap((name, index) => {
    const at = `${path}[${index}]`;
    if (name === "") return [fieldErrors.required(at)];
    const slash = name.indexOf("/");
    if (slash < 0) return [];
    const [resource, subresource] = [name.slice(0, slash), name.slice(slash + 1)];
    const covering = [
      ...(wholes.has(resource) ? [`${resource}/*`] : []),
      ...(parts.has(subresource) ? [`*/${subresource}`] : []),
    ];
    if (subresource === "*") wholes.add(resource);
    if (resource === "*") parts.add(subresource);
    return covering.map((by) => fieldErrors.invalid(at, name, `if '${by}' is present, must not specify ${name}`));
  });
}

/** Checks `matchResources` of a policy or binding. */
export function checkMatchResources(resources: MatchResources, path: string): FieldError[] {
  const { matchPolicy, namespaceSelector, objectSelector, resourceRules = [], excludeResourceRules = [] } = resources;
  return [
    ...checkOneOf(matchPolicy, `${path}.matchPolicy`, ["Equivalent", "Exact"]),
    ...checkLabelSelector(namespaceSelector, `${path}.namespaceSelector`),
    ...checkLabelSelector(objectSelector, `${path}.objectSelector`),
    ...resourceRules.flatMap((rule, index) => checkNamedRule(rule, `${path}.resourceRules[${index}]`)),
    ...excludeResourceRules.flatMap((rule, index) => checkNamedRule(rule, `${path}.excludeResourceRules[${index}]`)),
  ];
}

function checkNamedRule(rule: NamedRuleWithOperations, path: string): FieldError[] {
  const names = rule.resourceNames ?? [];
  return [
    ...names.flatMap((name, index) => [
      ...invalidEach(`${path}.resourceNames[${index}]`, name, checkPathSegment(name)),
      ...(occursBefore(names, index) ? [fieldErrors.duplicate(`${path}.resourceNames[${index}]`, name)] : []),
    ]),
    ...checkRule(rule, path),
  ];
}
