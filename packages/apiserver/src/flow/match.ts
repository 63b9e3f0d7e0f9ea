/** Matches requests against flow schemas. */
import type {
  FlowSchema,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
  Subject,
} from "@capstan/kinds/flowcontrol.apiserver.k8s.io/v1";
import type { UserInfo } from "../authenticate/user.ts";
import type { RequestInfo, ResourceRequest } from "../route/request-info.ts";

/** Whether one of its rules matches a request of a user. */
export function matchesSchema({ spec }: FlowSchema, user: UserInfo, info: RequestInfo): boolean {
  return (spec?.rules ?? []).some((rule) => matchesRule(rule, user, info));
}

function matchesRule(
  { subjects, resourceRules = [], nonResourceRules = [] }: PolicyRulesWithSubjects,
  user: UserInfo,
  info: RequestInfo,
): boolean {
  if (!subjects.some((subject) => matchesSubject(subject, user))) return false;
  return info.type === "resource"
    ? resourceRules.some((rule) => matchesResource(rule, info))
    : nonResourceRules.some((rule) => matchesPath(rule, info));
}

function matchesSubject({ kind, user, group, serviceAccount }: Subject, { name, groups }: UserInfo): boolean {
  switch (kind) {
    case "User":
      return user !== undefined && (user.name === "*" || user.name === name);
    case "Group":
      return group !== undefined && (group.name === "*" || groups.includes(group.name));
    case "ServiceAccount": {
      if (serviceAccount === undefined) return false;
      const account = `system:serviceaccount:${serviceAccount.namespace}:`;
      return serviceAccount.name === "*" ? name.startsWith(account) : name === `${account}${serviceAccount.name}`;
    }
    default:
      return false;
  }
}

function matchesResource(rule: ResourcePolicyRule, info: ResourceRequest): boolean {
  const resource = info.subresource === "" ? info.resource : `${info.resource}/${info.subresource}`;
  if (!has(rule.verbs, info.verb) || !has(rule.resources, resource) || !has(rule.apiGroups, info.group)) return false;
  return info.namespace === "" ? rule.clusterScope === true : has(rule.namespaces ?? [], info.namespace);
}

function matchesPath(
  { verbs, nonResourceURLs }: NonResourcePolicyRule,
  { verb, path }: { readonly verb: string; readonly path: string },
): boolean {
  if (!has(verbs, verb)) return false;
  return nonResourceURLs.some((url) => {
    const start = url.replace(/\*$/, "");
    return url === "*" || url === path || path.startsWith(start.endsWith("/") ? start : `${start}/`);
  });
}

/** `*` matches everything if it is the only entry. */
function has(list: readonly string[], one: string): boolean {
  return (list.length === 1 && list[0] === "*") || list.includes(one);
}
