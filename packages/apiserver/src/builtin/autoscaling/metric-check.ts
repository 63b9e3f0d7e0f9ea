/** Validation of the metrics of an autoscaler. */
import type { CrossVersionObjectReference, MetricSpec, MetricTarget } from "@capstan/kinds/autoscaling/v2";
import {
  checkPathSegment,
  compareQuantities,
  fieldErrors,
  parseApiVersion,
  ParseError,
  parseQuantity,
  toQuantity,
  type FieldError,
} from "@capstan/model";
import { checkLabelName, invalidEach, isEmpty } from "../meta/checks.ts";
import { checkContainerResourceName } from "../meta/resource-name.ts";

/** Which checks of an object reference are skipped. */
export interface ReferenceLeniency {
  readonly emptyGroup?: boolean;
  readonly anyVersion?: boolean;
}

/** Checks kind, name and version of an object reference. */
export function checkReference(
  reference: CrossVersionObjectReference,
  path: string,
  leniency: ReferenceLeniency,
): FieldError[] {
  const { kind, name, apiVersion = "" } = reference;
  const problem = versionProblem(apiVersion, leniency);
  return [
    ...requireName(kind, `${path}.kind`),
    ...requireName(name, `${path}.name`),
    ...(problem === undefined ? [] : [fieldErrors.invalid(`${path}.apiVersion`, apiVersion, problem)]),
  ];
}

/** The problem with the apiVersion of an object reference, if any. */
export function versionProblem(apiVersion: string, leniency: ReferenceLeniency): string | undefined {
  if (leniency.anyVersion === true) return undefined;
  try {
    const { group } = apiVersion === "" ? { group: "" } : parseApiVersion(apiVersion);
    return group === "" && leniency.emptyGroup !== true ? "apiVersion must specify API group" : undefined;
  } catch (error) {
    if (error instanceof ParseError) return error.message;
    throw error;
  }
}

function requireName(name: string, path: string, why = ""): FieldError[] {
  return isEmpty(name) ? [fieldErrors.required(path, why)] : invalidEach(path, name, checkPathSegment(name));
}

const types = ["ContainerResource", "External", "Object", "Pods", "Resource"];
/** In the order in which kube-apiserver checks the sources. */
const sources = ["object", "external", "pods", "resource", "containerResource"] as const;
type Source = (typeof sources)[number];
const sourceOfType: Readonly<Record<string, Source>> = {
  Object: "object",
  Pods: "pods",
  Resource: "resource",
  External: "external",
  ContainerResource: "containerResource",
};

export function checkMetric(metric: MetricSpec, path: string, leniency: ReferenceLeniency): FieldError[] {
  const { type } = metric;
  const present = sources.filter((source) => metric[source] !== undefined);
  const expected = Object.hasOwn(sourceOfType, type) ? sourceOfType[type] : undefined;
  const unknown = fieldErrors.notSupportedName(`${path}.type`, type, types);
  const [first] = present;
  return [
    ...(type === "" ? [fieldErrors.required(`${path}.type`, "must specify a metric source type")] : []),
    ...(expected === undefined ? [unknown] : []),
    ...(first === undefined ? [] : checkSource(metric, first, { path: `${path}.${first}`, leniency })),
    ...checkExpected(metric, expected, { path, unknown }),
    ...(present.length === 1
      ? []
      : present
          .filter((source) => source !== expected)
          .map((source) => fieldErrors.forbidden(`${path}.${source}`, "must populate the given metric source only"))),
  ];
}

function checkExpected(
  metric: MetricSpec,
  expected: Source | undefined,
  { path, unknown }: { readonly path: string; readonly unknown: FieldError },
): FieldError[] {
  if (expected === undefined) return [unknown];
  if (metric[expected] !== undefined) return [];
  return [fieldErrors.required(`${path}.${expected}`, "must populate information for the given metric source")];
}

interface Place {
  readonly path: string;
  readonly leniency: ReferenceLeniency;
}

function checkSource(metric: MetricSpec, source: Source, { path, leniency }: Place): FieldError[] {
  const { object, external, pods, resource, containerResource } = metric;
  switch (source) {
    case "object":
      return object === undefined
        ? []
        : [
            ...checkReference(object.describedObject, `${path}.describedObject`, leniency),
            ...requireName(object.metric.name, `${path}.metric.name`, "must specify a metric name"),
            ...checkTarget(object.target, `${path}.target`),
            ...requireValue(object.target, path, "must set either a target value or averageValue"),
          ];
    case "external":
      return external === undefined ? [] : checkExternal(external, path);
    case "pods":
      return pods === undefined
        ? []
        : [
            ...requireName(pods.metric.name, `${path}.metric.name`, "must specify a metric name"),
            ...checkTarget(pods.target, `${path}.target`),
            ...(pods.target.averageValue === undefined
              ? [fieldErrors.required(`${path}.target.averageValue`, "must specify a positive target averageValue")]
              : []),
          ];
    case "resource":
      return resource === undefined ? [] : checkResource(resource, path);
    case "containerResource":
      return containerResource === undefined ? [] : checkContainerResource(containerResource, path);
  }
}

function requireValue({ value, averageValue }: MetricTarget, path: string, why: string): FieldError[] {
  if (value !== undefined || averageValue !== undefined) return [];
  return [fieldErrors.required(`${path}.target.averageValue`, why)];
}

function checkExternal({ metric, target }: NonNullable<MetricSpec["external"]>, path: string): FieldError[] {
  const isBoth = target.value !== undefined && target.averageValue !== undefined;
  const both = "may not set both a target value for metric and a per-pod target";
  return [
    ...requireName(metric.name, `${path}.metric.name`, "must specify a metric name"),
    ...checkTarget(target, `${path}.target`),
    ...requireValue(target, path, "must set either a target value for metric or a per-pod target"),
    ...(isBoth ? [fieldErrors.forbidden(`${path}.target.value`, both)] : []),
  ];
}

function checkResource({ name, target }: NonNullable<MetricSpec["resource"]>, path: string): FieldError[] {
  return [
    ...(isEmpty(name) ? [fieldErrors.required(`${path}.name`, "must specify a resource name")] : []),
    ...checkTarget(target, `${path}.target`),
    ...checkUtilization(target, `${path}.target`),
  ];
}

function checkContainerResource(source: NonNullable<MetricSpec["containerResource"]>, path: string): FieldError[] {
  const { name, container, target } = source;
  return [
    ...(isEmpty(name)
      ? [fieldErrors.required(`${path}.name`, "must specify a resource name")]
      : checkContainerResourceName(name, `${path}.name`)),
    ...(isEmpty(container)
      ? [fieldErrors.required(`${path}.container`, "must specify a container")]
      : checkLabelName(container, `${path}.container`)),
    ...checkTarget(target, `${path}.target`),
    ...checkUtilization(target, `${path}.target`),
  ];
}

function checkUtilization({ averageUtilization, averageValue }: MetricTarget, path: string): FieldError[] {
  if (averageUtilization === undefined && averageValue === undefined) {
    const why = "must set either a target raw value or a target utilization";
    return [fieldErrors.required(`${path}.averageUtilization`, why)];
  }
  if (averageUtilization === undefined || averageValue === undefined) return [];
  return [
    fieldErrors.forbidden(`${path}.averageValue`, "may not set both a target raw value and a target utilization"),
  ];
}

const targetTypes = new Set(["Utilization", "Value", "AverageValue"]);

function checkTarget({ type, value, averageValue, averageUtilization }: MetricTarget, path: string): FieldError[] {
  const isWeak = averageUtilization !== undefined && averageUtilization < 1;
  return [
    ...(type === "" ? [fieldErrors.required(`${path}.type`, "must specify a metric target type")] : []),
    ...(targetTypes.has(type)
      ? []
      : [fieldErrors.invalid(`${path}.type`, type, "must be either Utilization, Value, or AverageValue")]),
    ...checkPositiveQuantity(value, `${path}.value`),
    ...checkPositiveQuantity(averageValue, `${path}.averageValue`),
    ...(isWeak
      ? [fieldErrors.invalid(`${path}.averageUtilization`, averageUtilization, "must be greater than 0")]
      : []),
  ];
}

function checkPositiveQuantity(quantity: string | undefined, path: string): FieldError[] {
  if (quantity === undefined || compareQuantities(parseQuantity(quantity), toQuantity(0)) > 0) return [];
  return [fieldErrors.invalid(path, quantity, "must be positive")];
}
