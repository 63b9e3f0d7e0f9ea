/** ResourceQuota: limits of the resource usage of a namespace. */
import type { ResourceQuota, ResourceQuotaSpec, ScopedResourceSelectorRequirement } from "@capstan/kinds/v1";
import { fieldErrors, type FieldError } from "@capstan/model";
import { toInternal } from "../meta/internal-form.ts";
import { compareTexts, roundQuantities } from "../meta/resource-list.ts";
import type { ResourceList } from "@capstan/model";
import { checkAmount, checkQuotaResourceName, isStandardQuotaResource } from "../meta/resource-name.ts";
import { dropField, keepField, statusView } from "../meta/status.ts";
import { defineRules, type KindRules } from "../rules.ts";
import { ageOf } from "../table/cells.ts";
import { givenOrNull } from "../given-empty.ts";

export const resourceQuotaRules: KindRules<ResourceQuota> = defineRules<ResourceQuota>({
  defaults(draft) {
    roundQuantities(draft.spec?.hard);
    roundQuantities(draft.status?.hard);
    roundQuantities(draft.status?.used);
  },
  prepareForCreate: (draft) => dropField(draft, "status"),
  prepareForUpdate: (draft, old) => keepField(draft, old, "status"),
  validateCreate: (quota) => [...checkSpec(quota.spec ?? {})],
  validateUpdate: (quota, old) => [
    ...checkSpec(quota.spec ?? {}),
    ...checkSameScopes(quota.spec?.scopes, old.spec?.scopes),
  ],
  warnings: ({ spec }, old) => (old === undefined ? requestWarnings(spec?.hard ?? {}) : []),
  resetFields: ["status"],
  deletion: { returnsObject: true },
  subresources: {
    status: statusView<ResourceQuota>({
      validate: (quota) => [
        ...checkList(quota.status?.hard, "status.hard"),
        ...checkList(quota.status?.used, "status.used"),
      ],
    }),
  },
  table: {
    row: (quota, now) => {
      const [requests, limits] = usageCells(quota);
      return { cells: [quota.metadata.name ?? "", requests, limits, ageOf(quota, now)] };
    },
  },
});

function checkList(list: ResourceList | undefined, path: string): FieldError[] {
  return Object.entries(list ?? {}).flatMap(([name, amount]) => {
    const here = `${path}[${name}]`;
    return [...checkQuotaResourceName(name, here), ...checkAmount(name, amount, here)];
  });
}

function checkSpec(spec: ResourceQuotaSpec): FieldError[] {
  return [...checkList(spec.hard, "spec.hard"), ...checkScopes(spec), ...checkScopeSelector(spec)];
}

const podScopes = new Set([
  "Terminating",
  "NotTerminating",
  "NotBestEffort",
  "PriorityClass",
  "CrossNamespacePodAffinity",
]);
const standardScopes = new Set([...podScopes, "BestEffort", "VolumeAttributesClass"]);
const podResources = new Set([
  "pods",
  "cpu",
  "memory",
  "limits.cpu",
  "limits.memory",
  "requests.cpu",
  "requests.memory",
]);

function fits(scope: string, resource: string): boolean {
  if (podScopes.has(scope)) return podResources.has(resource);
  if (scope === "BestEffort") return resource === "pods";
  if (scope === "VolumeAttributesClass") return ["persistentvolumeclaims", "requests.storage"].includes(resource);
  return true;
}

function misfits(scope: string, { hard = {} }: ResourceQuotaSpec): readonly string[] {
  return Object.keys(hard)
    .sort()
    .filter((name) => isStandardQuotaResource(name) && !fits(scope, name));
}

const conflicts = [
  ["BestEffort", "NotBestEffort"],
  ["Terminating", "NotTerminating"],
] as const;

function countConflicts(scopes: readonly string[]): number {
  return conflicts.filter((pair) => pair.every((scope) => scopes.includes(scope))).length;
}

function checkScopes(spec: ResourceQuotaSpec): FieldError[] {
  const scopes: readonly string[] = spec.scopes ?? [];
  const refuse = (why: string): FieldError => fieldErrors.invalid("spec.scopes", scopes, why);
  return [
    ...scopes.flatMap((scope) => [
      ...(standardScopes.has(scope) ? [] : [refuse("unsupported scope")]),
      ...misfits(scope, spec).map(() => refuse("unsupported scope applied to resource")),
    ]),
    ...Array.from({ length: countConflicts(scopes) }, () => refuse("conflicting scopes")),
  ];
}

function checkScopeSelector(spec: ResourceQuotaSpec): FieldError[] {
  const { scopeSelector } = spec;
  if (scopeSelector === undefined) return [];
  const path = "spec.scopeSelector.matchExpressions";
  const requirements = scopeSelector.matchExpressions ?? [];
  const scopes = requirements.map(({ scopeName }) => scopeName as string);
  const shown = toInternal("ScopeSelector", scopeSelector);
  return [
    ...requirements.flatMap((requirement) => [
      ...(standardScopes.has(requirement.scopeName)
        ? []
        : [fieldErrors.invalid(`${path}.scopeName`, fieldErrors.named(requirement.scopeName), "unsupported scope")]),
      ...misfits(requirement.scopeName, spec).map(() =>
        fieldErrors.invalid(path, shown, "unsupported scope applied to resource"),
      ),
      ...checkRequirement(requirement, path),
    ]),
    ...Array.from({ length: countConflicts(scopes) }, () =>
      fieldErrors.invalid(path, givenOrNull(spec, "scopes"), "conflicting scopes"),
    ),
  ];
}

const existsOnly =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";

function checkRequirement(
  { scopeName, operator, values = [] }: ScopedResourceSelectorRequirement,
  path: string,
): FieldError[] {
  const isPlain = !["PriorityClass", "VolumeAttributesClass"].includes(scopeName) && standardScopes.has(scopeName);
  const errors =
    isPlain && operator !== "Exists" ? [fieldErrors.invalid(`${path}.operator`, operator, existsOnly)] : [];
  switch (operator) {
    case "In":
    case "NotIn":
      if (values.length > 0) return errors;
      return [
        ...errors,
        fieldErrors.required(
          `${path}.values`,
          "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
        ),
      ];
    case "Exists":
    case "DoesNotExist":
      if (values.length === 0) return errors;
      return [
        ...errors,
        fieldErrors.invalid(
          `${path}.values`,
          values,
          "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
        ),
      ];
    default:
      return [
        ...errors,
        fieldErrors.invalid(`${path}.operator`, fieldErrors.named(operator), "not a valid selector operator"),
      ];
  }
}

function checkSameScopes(scopes: readonly string[] = [], old: readonly string[] = []): FieldError[] {
  const [now, before] = [new Set(scopes), new Set(old)];
  if (now.size === before.size && [...now].every((scope) => before.has(scope))) return [];
  return [fieldErrors.invalid("spec.scopes", scopes.length === 0 ? null : scopes, "field is immutable")];
}

/** Warns if the quota of requests exceeds that of limits: it can never be used up. */
function requestWarnings(hard: ResourceList): string[] {
  return ["cpu", "memory", "storage", "ephemeral-storage"].flatMap((name) => {
    const plain = name === "cpu" || name === "memory" ? name : "";
    const key = `requests.${name}` in hard ? `requests.${name}` : plain;
    const request = hard[key];
    const limit = hard[`limits.${name}`];
    if (request === undefined || limit === undefined || compareTexts(request, limit) <= 0) return [];
    return [`ResourceQuota ${key} (${request}) should be less than limits.${name} (${limit})`];
  });
}

function usageCells({ status }: ResourceQuota): [requests: string, limits: string] {
  const { hard = {}, used = {} } = status ?? {};
  const cells = { requests: [] as string[], limits: [] as string[] };
  for (const name of Object.keys(hard).sort()) {
    const column = name.startsWith("limits.") ? cells.limits : cells.requests;
    column.push(`${name}: ${used[name] ?? "0"}/${hard[name] ?? "0"}`);
  }
  return [cells.requests.join(", "), cells.limits.join(", ")];
}
