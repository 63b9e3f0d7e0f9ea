/** Role and ClusterRole: sets of permissions. */
import type { ClusterRole, PolicyRule, Role } from "@capstan/kinds/rbac.authorization.k8s.io/v1";
import { apiErrors, checkPathSegment, fieldErrors, type FieldError } from "@capstan/model";
import { checkMetadataUpdate, checkObjectMetadata, checkStandardFinalizers } from "../../metadata/check.ts";
import { fullAuthority } from "../../authorize/rbac/escalation.ts";
import { parsedSelector } from "../apps/workload.ts";
import type { RuleContext } from "../context.ts";
import { defineRules, type KindRules } from "../rules.ts";
import { checkLabelSelector } from "../selector/label-selector.ts";
import { checkGrant, isCollecting } from "./escalation.ts";

/** Names of these kinds may contain colons and capitals, also in generateName. */
export const rbacName = (name: string): readonly string[] => checkPathSegment(name);

export const role: KindRules<Role> = defineRules<Role>({
  validatesMetadata: true,
  createOnUpdate: true,
  prepareForCreate: (draft, context) => checkRights(draft, context.pathName ?? "", context),
  prepareForUpdate(draft, old, context) {
    if (!isCollecting(draft, old)) checkRights(draft, old.metadata.name, context);
  },
  validateCreate: checkRole,
  validateUpdate: (object, old) => [
    ...checkRole(object),
    ...checkMetadataUpdate(object.metadata, old.metadata),
    ...checkStandardFinalizers(object.metadata),
  ],
  table: { row: ({ metadata }) => ({ cells: [metadata.name, metadata.creationTimestamp] }) },
});

function checkRights({ metadata, rules }: Role, asked: string, context: RuleContext): void {
  checkGrant({ resource: "roles", asked, name: metadata.name, rules: rules ?? [] }, context);
}

function checkRole(object: Role): FieldError[] {
  return [...checkObjectMetadata(object, true, rbacName), ...checkRules(object.rules ?? [], true)];
}

export const clusterRole: KindRules<ClusterRole> = defineRules<ClusterRole>({
  validatesMetadata: true,
  createOnUpdate: true,
  prepareForCreate: (draft, context) => checkClusterRights(draft, undefined, context),
  prepareForUpdate(draft, old, context) {
    if (!isCollecting(draft, old)) checkClusterRights(draft, old, context);
  },
  validateCreate: (object) => checkClusterRole(object, false),
  validateUpdate: (object, old) => [
    ...checkClusterRole(object, checkAggregation(old, false).length > 0),
    ...checkMetadataUpdate(object.metadata, old.metadata),
    ...checkStandardFinalizers(object.metadata),
  ],
  table: { row: ({ metadata }) => ({ cells: [metadata.name, metadata.creationTimestamp] }) },
});

function checkClusterRights(object: ClusterRole, old: ClusterRole | undefined, context: RuleContext): void {
  const { metadata, rules } = object;
  const grant = {
    resource: "clusterroles",
    asked: old?.metadata.name ?? context.pathName ?? "",
    name: metadata.name,
  } as const;
  checkGrant({ ...grant, rules: rules ?? [] }, context);
  if (!aggregates(object) && !aggregates(old)) return;
  try {
    checkGrant({ ...grant, rules: fullAuthority }, context);
  } catch {
    const why = "must have cluster-admin privileges to use the aggregationRule";
    throw apiErrors.forbidden({ group: "rbac.authorization.k8s.io", resource: "clusterroles" }, metadata.name, why);
  }
}

function aggregates(object: ClusterRole | undefined): boolean {
  return (object?.aggregationRule?.clusterRoleSelectors ?? []).length > 0;
}

function checkClusterRole(object: ClusterRole, allowBadValues: boolean): FieldError[] {
  return [
    ...checkObjectMetadata(object, false, rbacName),
    ...checkRules(object.rules ?? [], false),
    ...checkAggregation(object, allowBadValues),
  ];
}

function checkAggregation({ aggregationRule }: ClusterRole, invalidValues: boolean): FieldError[] {
  if (aggregationRule === undefined) return [];
  const selectors = aggregationRule.clusterRoleSelectors ?? [];
  const path = "aggregationRule.clusterRoleSelectors";
  const none = "at least one clusterRoleSelector required if aggregationRule is non-nil";
  return [
    ...(selectors.length === 0 ? [fieldErrors.required(path, none)] : []),
    ...selectors.flatMap((selector, index) => [
      ...checkLabelSelector(selector, `${path}[${index}]`, { invalidValues }),
      ...(parsedSelector(selector) === undefined
        ? [fieldErrors.invalid(`${path}[${index}]`, null, "invalid label selector.")]
        : []),
    ]),
  ];
}

function checkRules(rules: readonly PolicyRule[], isNamespaced: boolean): FieldError[] {
  return rules.flatMap((rule, index) => checkRule(rule, `rules[${index}]`, isNamespaced));
}

function checkRule(rule: PolicyRule, path: string, isNamespaced: boolean): FieldError[] {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const errors =
    (verbs ?? []).length === 0 ? [fieldErrors.required(`${path}.verbs`, "verbs must contain at least one value")] : [];
  if (nonResourceURLs.length > 0) {
    const isMixed = apiGroups.length + resources.length + resourceNames.length > 0;
    const problems = [
      ...(isNamespaced ? ["namespaced rules cannot apply to non-resource URLs"] : []),
      ...(isMixed ? ["rules cannot apply to both regular resources and non-resource URLs"] : []),
    ];
    return [...errors, ...problems.map((why) => fieldErrors.invalid(`${path}.nonResourceURLs`, nonResourceURLs, why))];
  }
  return [
    ...errors,
    ...(apiGroups.length === 0
      ? [fieldErrors.required(`${path}.apiGroups`, "resource rules must supply at least one api group")]
      : []),
    ...(resources.length === 0
      ? [fieldErrors.required(`${path}.resources`, "resource rules must supply at least one resource")]
      : []),
  ];
}
