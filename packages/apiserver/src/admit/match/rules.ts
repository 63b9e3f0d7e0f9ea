/** Whether a rule of a webhook or policy matches a request. */
import type { AdmissionRequest, ServedKind } from "../admission.ts";

/** A rule of a webhook configuration or policy. */
export interface Rule {
  readonly operations?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly resources?: readonly string[];
  readonly scope?: string;
  /** Only policies have resourceNames. */
  readonly resourceNames?: readonly string[];
}

/** The version in which the rules match: that of the request or, with matchPolicy Equivalent, another one. */
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

/** The version of the request. */
export function ownForm({ resource, kind }: AdmissionRequest): ServedKind {
  return { ...resource, kind };
}

function isSameForm(a: ServedKind, b: ServedKind): boolean {
  return a.group === b.group && a.version === b.version && a.resource === b.resource;
}

/** Admission configuration is exempt: otherwise a mistake in it could not be repaired. */
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

/** Requests for namespaces have a namespace set but are cluster-scoped. */
function scopeMatches(scope: string | undefined, { namespace }: AdmissionRequest, form: ServedKind): boolean {
  if (scope === undefined || scope === "*") return true;
  const isCluster = namespace === "" || (form.group === "" && form.resource === "namespaces");
  return isCluster === (scope === "Cluster");
}

function includesOrAll(list: readonly string[] | undefined, wanted: string): boolean {
  return list !== undefined && (list.includes("*") || list.includes(wanted));
}

/** `pods`, `pods/status`, `*`, `pods/*`; `*` before the slash matches all resources. */
function resourceMatches(pattern: string, resource: string, subresource: string): boolean {
  const slash = pattern.indexOf("/");
  const [wanted, sub] = slash === -1 ? [pattern, ""] : [pattern.slice(0, slash), pattern.slice(slash + 1)];
  return (wanted === "*" || wanted === resource) && (sub === "*" || sub === subresource);
}
