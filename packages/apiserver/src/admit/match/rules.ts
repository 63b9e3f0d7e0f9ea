/** Whether a rule of a webhook or policy is about a request. */
import type { AdmissionRequest, ServedKind } from "../admission.ts";

/** A rule as configurations and policies state it. */
export interface Rule {
  readonly operations?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly resources?: readonly string[];
  readonly scope?: string;
  /** Only policies have names in rules. */
  readonly resourceNames?: readonly string[];
}

/** At which of the forms of the request the rules match: at its own, or, if wanted, at another. */
export function matchRules(
  request: AdmissionRequest,
  rules: readonly Rule[],
  policy: string | undefined,
): ServedKind | undefined {
  const own = ownForm(request);
  if (rules.some((rule) => ruleMatches(rule, request, own))) return own;
  if (policy !== "Equivalent") return undefined;
  const others = request.equivalents().filter((form) => !isSameForm(form, own));
  for (const rule of rules) {
    const found = others.find((form) => ruleMatches(rule, request, form));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The form in which the request came. */
export function ownForm({ resource, kind }: AdmissionRequest): ServedKind {
  return { ...resource, kind };
}

function isSameForm(a: ServedKind, b: ServedKind): boolean {
  return a.group === b.group && a.version === b.version && a.resource === b.resource;
}

/** Configuration of admission is never subject to it: nobody could repair a mistake. */
export function isExempt({ kind }: AdmissionRequest): boolean {
  return kind.group === "admissionregistration.k8s.io" && exempt.has(kind.kind);
}

const exempt: ReadonlySet<string> = new Set([
  "ValidatingWebhookConfiguration",
  "MutatingWebhookConfiguration",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionPolicyBinding",
  "MutatingAdmissionPolicy",
  "MutatingAdmissionPolicyBinding",
]);

function ruleMatches(rule: Rule, request: AdmissionRequest, form: ServedKind): boolean {
  const { resourceNames = [] } = rule;
  return (
    scopeMatches(rule.scope, request, form) &&
    includesOrAll(rule.operations, request.operation) &&
    includesOrAll(rule.apiGroups, form.group) &&
    includesOrAll(rule.apiVersions, form.version) &&
    (rule.resources ?? []).some((one) => resourceMatches(one, form.resource, request.subresource)) &&
    (resourceNames.length === 0 || resourceNames.includes(request.name))
  );
}

/** Requests for namespaces carry the namespace, and are of the cluster nevertheless. */
function scopeMatches(scope: string | undefined, { namespace }: AdmissionRequest, form: ServedKind): boolean {
  if (scope === undefined || scope === "*") return true;
  const isCluster = namespace === "" || (form.group === "" && form.resource === "namespaces");
  return isCluster === (scope === "Cluster");
}

function includesOrAll(list: readonly string[] | undefined, wanted: string): boolean {
  return list !== undefined && (list.includes("*") || list.includes(wanted));
}

/** `pods`, `pods/status`, `*`, `pods/*`, `*` before a slash for all resources. */
function resourceMatches(pattern: string, resource: string, subresource: string): boolean {
  const slash = pattern.indexOf("/");
  const [wanted, sub] = slash === -1 ? [pattern, ""] : [pattern.slice(0, slash), pattern.slice(slash + 1)];
  return (wanted === "*" || wanted === resource) && (sub === "*" || sub === subresource);
}
