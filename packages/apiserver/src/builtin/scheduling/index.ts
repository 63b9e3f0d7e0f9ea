/** The rules of the group scheduling.k8s.io: priority classes. */
import type { PriorityClass } from "@capstan/kinds/scheduling.k8s.io/v1";
import { apiErrors, fieldErrors, type FieldError } from "@capstan/model";
import type { ResourceName } from "../context.ts";
import { checkSamePointer } from "../meta/checks.ts";
import { startGeneration } from "../meta/generation.ts";
import { checkPreemption } from "../pod-template/pod-spec.ts";
import { defineRules, type ResourceRules } from "../rules.ts";
import { ageOf } from "../table/cells.ts";

const systemPrefix = "system-";
const highestOfUsers = 1_000_000_000;
const systemClasses: Readonly<Record<string, number>> = {
  "system-node-critical": 2_000_001_000,
  "system-cluster-critical": 2_000_000_000,
};

const priorityClass = defineRules<PriorityClass>({
  deletion: { validate: keepSystemClasses },
  defaults(draft) {
    draft.preemptionPolicy ??= "PreemptLowerPriority";
  },
  prepareForCreate: startGeneration,
  validateCreate: (object) => [
    ...checkValue(object),
    ...(object.preemptionPolicy === undefined ? [] : checkPreemption(object.preemptionPolicy, "preemptionPolicy")),
  ],
  validateUpdate: (object, old) => [
    ...((object.value ?? 0) === (old.value ?? 0)
      ? []
      : [fieldErrors.forbidden("value", "may not be changed in an update.")]),
    ...checkSamePointer(object.preemptionPolicy, old.preemptionPolicy, "preemptionPolicy"),
  ],
  table: {
    row: (object, now) => {
      const { metadata, value = 0, globalDefault = false, preemptionPolicy = "" } = object;
      return { cells: [metadata.name, value, globalDefault, ageOf(object, now), preemptionPolicy] };
    },
  },
});

function keepSystemClasses({ metadata: { name } }: PriorityClass): never[] {
  if (!Object.hasOwn(systemClasses, name)) return [];
  const resource = { group: "scheduling.k8s.io", resource: "priorityclasses" };
  throw apiErrors.forbidden(resource, name, "this is a system priority class and cannot be deleted");
}

function checkValue(object: PriorityClass): FieldError[] {
  const { metadata, value = 0 } = object;
  if (metadata.name.startsWith(systemPrefix)) {
    const problem = systemProblem(object);
    if (problem === undefined) return [];
    const why = `priority class names with '${systemPrefix}' prefix are reserved for system use only. error: ${problem}`;
    return [fieldErrors.forbidden("metadata.name", why)];
  }
  if (value <= highestOfUsers) return [];
  return [fieldErrors.forbidden("value", `maximum allowed value of a user defined priority is ${highestOfUsers}`)];
}

function systemProblem({ metadata: { name }, value = 0, globalDefault = false }: PriorityClass): string | undefined {
  const known = Object.hasOwn(systemClasses, name) ? systemClasses[name] : undefined;
  if (known === undefined) return `${name} is not a known system priority class`;
  if (value !== known) return `value of ${name} PriorityClass must be ${known}`;
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

export const schedulingRules: ReadonlyMap<ResourceName, ResourceRules> = new Map<ResourceName, ResourceRules>([
  ["priorityclasses.scheduling.k8s.io", priorityClass],
]);
