/** The mandatory flow schemas and priority levels: their specs are fixed. */
import type { FlowSchemaSpec, PriorityLevelConfigurationSpec } from "@capstan/kinds/flowcontrol.apiserver.k8s.io/v1";
import { fieldErrors, isDeepEqual, type FieldError } from "@capstan/model";
import { toInternal } from "../meta/internal-form.ts";

const every = ["*"];
const groups = (...names: readonly string[]): { kind: string; group: { name: string } }[] =>
  names.map((name) => ({ kind: "Group", group: { name } }));
const anything = {
  resourceRules: [{ verbs: every, apiGroups: every, resources: every, clusterScope: true, namespaces: every }],
  nonResourceRules: [{ verbs: every, nonResourceURLs: every }],
};

const schemas = new Map<string, FlowSchemaSpec>([
  [
    "exempt",
    {
      priorityLevelConfiguration: { name: "exempt" },
      matchingPrecedence: 1,
      rules: [{ subjects: groups("system:masters"), ...anything }],
    },
  ],
  [
    "catch-all",
    {
      priorityLevelConfiguration: { name: "catch-all" },
      matchingPrecedence: 10_000,
      distinguisherMethod: { type: "ByUser" },
      rules: [{ subjects: groups("system:unauthenticated", "system:authenticated"), ...anything }],
    },
  ],
]);

const catchAll: PriorityLevelConfigurationSpec = {
  type: "Limited",
  limited: { nominalConcurrencyShares: 5, limitResponse: { type: "Reject" }, lendablePercent: 0 },
};

/** Rejects a different spec for a mandatory schema. */
export function checkFixedSchema(name: string, spec: FlowSchemaSpec): FieldError[] {
  const fixed = schemas.get(name);
  if (fixed === undefined || isDeepEqual(spec, fixed)) return [];
  return [
    fieldErrors.invalid("spec", toInternal("FlowSchemaSpec", spec), `spec of '${name}' must equal the fixed value`),
  ];
}

/** Rejects a different spec for a mandatory level; `spec.exempt` of the level `exempt` may change. */
export function checkFixedLevel(name: string, spec: PriorityLevelConfigurationSpec): FieldError[] {
  const refuse = (which: string): FieldError[] => [
    fieldErrors.invalid("spec", toInternal("PriorityLevelConfigurationSpec", spec), `spec of '${name}' ${which}`),
  ];
  switch (name) {
    case "exempt":
      if (spec.type === "Exempt" && spec.limited === undefined) return [];
      return refuse("except the 'spec.exempt' field must equal the fixed value");
    case "catch-all":
      return isDeepEqual(spec, catchAll) ? [] : refuse("must equal the fixed value");
    default:
      return [];
  }
}
