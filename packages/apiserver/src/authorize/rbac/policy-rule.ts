/** One rule of a role: what it allows, and whether it covers another. */
import type { AccessAttributes } from "../authorizer.ts";

/** A PolicyRule of a Role or ClusterRole. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

export function ruleAllows(rule: PolicyRule, asked: AccessAttributes): boolean {
  if (!includesOrAll(rule.verbs, asked.verb)) return false;
  if (asked.type === "path") return (rule.nonResourceURLs ?? []).some((pattern) => pathMatches(pattern, asked.path));
  const names = rule.resourceNames ?? [];
  return (
    includesOrAll(rule.apiGroups ?? [], asked.group) &&
    resourceMatches(rule.resources ?? [], asked.resource, asked.subresource) &&
    (names.length === 0 || names.includes(asked.name))
  );
}

function includesOrAll(list: readonly string[], wanted: string): boolean {
  return list.includes("*") || list.includes(wanted);
}

/** `pods`, `pods/log`, `*` for all, `*`/`log` for one subresource of all. */
function resourceMatches(list: readonly string[], resource: string, subresource: string): boolean {
  if (list.includes("*")) return true;
  if (subresource === "") return list.includes(resource);
  return list.includes(`${resource}/${subresource}`) || list.includes(`*/${subresource}`);
}

function pathMatches(pattern: string, path: string): boolean {
  if (pattern === "*" || pattern === path) return true;
  let end = pattern.length;
  while (pattern[end - 1] === "*") end--;
  return end < pattern.length && path.startsWith(pattern.slice(0, end));
}

/** The parts of `asked` that no rule of `held` covers, each as a rule with one verb, one resource and one name. */
export function uncovered(held: readonly PolicyRule[], asked: readonly PolicyRule[]): PolicyRule[] {
  return asked.flatMap(breakDown).filter((atom) => !held.some((rule) => covers(rule, atom)));
}

function breakDown(rule: PolicyRule): PolicyRule[] {
  const names = rule.resourceNames ?? [];
  const named: readonly (readonly string[] | undefined)[] =
    names.length === 0 ? [undefined] : names.map((name) => [name]);
  const resources = (rule.apiGroups ?? []).flatMap((group) =>
    (rule.resources ?? []).flatMap((resource) =>
      rule.verbs.flatMap((verb) =>
        named.map((only) => ({
          verbs: [verb],
          apiGroups: [group],
          resources: [resource],
          ...(only ? { resourceNames: only } : {}),
        })),
      ),
    ),
  );
  const paths = (rule.nonResourceURLs ?? []).flatMap((path) =>
    rule.verbs.map((verb) => ({ verbs: [verb], nonResourceURLs: [path] })),
  );
  return [...resources, ...paths];
}

function covers(rule: PolicyRule, atom: PolicyRule): boolean {
  const has = (list: readonly string[] | undefined, wanted: readonly string[] | undefined): boolean =>
    (wanted ?? []).every((one) => includesOrAll(list ?? [], one));
  const names = rule.resourceNames ?? [];
  const nameCovered =
    names.length === 0 ||
    (atom.resourceNames !== undefined && atom.resourceNames.every((name) => names.includes(name)));
  return (
    has(rule.verbs, atom.verbs) &&
    has(rule.apiGroups, atom.apiGroups) &&
    (atom.resources ?? []).every((resource) => coversResource(rule.resources ?? [], resource)) &&
    (atom.nonResourceURLs ?? []).every((path) =>
      (rule.nonResourceURLs ?? []).some((pattern) => pathMatches(pattern, path)),
    ) &&
    nameCovered
  );
}

function coversResource(list: readonly string[], resource: string): boolean {
  const slash = resource.indexOf("/");
  return includesOrAll(list, resource) || (slash !== -1 && list.includes(`*/${resource.slice(slash + 1)}`));
}

/** Joins atoms that differ only in their verb, so that an error reads like a rule. */
export function joinVerbs(atoms: readonly PolicyRule[]): PolicyRule[] {
  const joined = new Map<string, PolicyRule>();
  const rest: PolicyRule[] = [];
  for (const atom of atoms) {
    if (atom.resources === undefined) {
      rest.push(atom);
      continue;
    }
    const key = JSON.stringify([atom.apiGroups, atom.resources, atom.resourceNames]);
    const known = joined.get(key);
    joined.set(key, known ? { ...known, verbs: [...known.verbs, ...atom.verbs] } : atom);
  }
  return [...joined.values(), ...rest];
}

/** A rule in the format of kube-apiserver's errors: `{APIGroups:[""], Resources:["pods"], Verbs:["get"]}`. */
export function describeRule(rule: PolicyRule): string {
  const parts: readonly (readonly [string, readonly string[] | undefined])[] = [
    ["APIGroups", rule.apiGroups],
    ["Resources", rule.resources],
    ["NonResourceURLs", rule.nonResourceURLs],
    ["ResourceNames", rule.resourceNames],
    ["Verbs", rule.verbs],
  ];
  const told = parts.filter(([, list]) => list !== undefined && list.length > 0);
  return `{${told.map(([name, list]) => `${name}:[${(list ?? []).map((one) => JSON.stringify(one)).join(" ")}]`).join(", ")}}`;
}
