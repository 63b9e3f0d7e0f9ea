/** Probes: conditions that the objects of a phase have to fulfil before the next phase starts. */
import type { KubeObject } from "@capstan/model";

/** What an object has to show, as in `spec.progressionProbes[].assertions`. */
export type Assertion =
  | { readonly type: "ConditionEqual"; readonly conditionEqual: { readonly type: string; readonly status: string } }
  | { readonly type: "FieldsEqual"; readonly fieldsEqual: { readonly fieldA: string; readonly fieldB: string } }
  | { readonly type: "FieldValue"; readonly fieldValue: { readonly fieldPath: string; readonly value: string } };

/** The assertions for the objects of one kind. */
export interface Probe {
  readonly group: string;
  readonly kind: string;
  readonly assertions: readonly Assertion[];
}

function condition(type: string): Assertion {
  return { type: "ConditionEqual", conditionEqual: { type, status: "True" } };
}

function phaseIs(value: string): Assertion {
  return { type: "FieldValue", fieldValue: { fieldPath: "status.phase", value } };
}

const allUpdated: Assertion = {
  type: "FieldsEqual",
  fieldsEqual: { fieldA: "status.updatedReplicas", fieldB: "status.replicas" },
};

/** The probes of every roll-out. Objects of other kinds are ready as soon as they exist. */
export const defaultProbes: readonly Probe[] = [
  { group: "apiextensions.k8s.io", kind: "CustomResourceDefinition", assertions: [condition("Established")] },
  { group: "cert-manager.io", kind: "Certificate", assertions: [condition("Ready")] },
  { group: "cert-manager.io", kind: "Issuer", assertions: [condition("Ready")] },
  { group: "", kind: "Namespace", assertions: [phaseIs("Active")] },
  { group: "", kind: "PersistentVolumeClaim", assertions: [phaseIs("Bound")] },
  { group: "apps", kind: "StatefulSet", assertions: [allUpdated, condition("Available")] },
  { group: "apps", kind: "Deployment", assertions: [allUpdated, condition("Available")] },
];

/** Why an object is not ready; empty if it is. A status of an older generation does not count. */
export function unreadyReasons(object: KubeObject, probes: readonly Probe[] = defaultProbes): string[] {
  const [group = ""] = object.apiVersion.includes("/") ? object.apiVersion.split("/") : [];
  const assertions = probes
    .filter((probe) => probe.group === group && probe.kind === object.kind)
    .flatMap((probe) => probe.assertions);
  if (assertions.length === 0) return [];
  const observed = valueAt(object, "status.observedGeneration");
  const { generation } = object.metadata;
  if (typeof observed === "number" && typeof generation === "number" && observed !== generation)
    return [".status outdated"];
  return assertions.flatMap((assertion) => failureOf(object, assertion));
}

function failureOf(object: KubeObject, assertion: Assertion): string[] {
  switch (assertion.type) {
    case "ConditionEqual": {
      const { type, status } = assertion.conditionEqual;
      const actual = conditionStatus(object, type);
      if (actual === status) return [];
      return [
        actual === undefined ? `missing condition "${type}"` : `condition "${type}" == "${actual}", want "${status}"`,
      ];
    }
    case "FieldsEqual": {
      const { fieldA, fieldB } = assertion.fieldsEqual;
      const [a, b] = [valueAt(object, fieldA), valueAt(object, fieldB)];
      if (a === undefined || b === undefined) return [`"${a === undefined ? fieldA : fieldB}" missing`];
      return JSON.stringify(a) === JSON.stringify(b)
        ? []
        : [`"${fieldA}" == "${format(a)}", want "${format(b)}" of "${fieldB}"`];
    }
    case "FieldValue": {
      const { fieldPath, value } = assertion.fieldValue;
      const actual = valueAt(object, fieldPath);
      if (actual === value) return [];
      return [
        actual === undefined
          ? `"${fieldPath}" missing`
          : `value at "${fieldPath}" is "${format(actual)}", want "${value}"`,
      ];
    }
  }
}

function format(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function valueAt(object: KubeObject, path: string): unknown {
  return path.split(".").reduce<unknown>((value, field) => {
    const isObject = typeof value === "object" && value !== null;
    return isObject && Object.hasOwn(value, field)
      ? Object.entries(value).find(([name]) => name === field)?.[1]
      : undefined;
  }, object);
}

function conditionStatus(object: KubeObject, type: string): string | undefined {
  const conditions = valueAt(object, "status.conditions");
  const list: readonly unknown[] = Array.isArray(conditions) ? conditions : [];
  for (const one of list) {
    if (typeof one !== "object" || one === null || !("type" in one) || one.type !== type) continue;
    return "status" in one && typeof one.status === "string" ? one.status : undefined;
  }
  return undefined;
}
