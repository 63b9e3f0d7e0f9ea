/** The QoS class of a pod, from the resources of its containers. Pure. */
import { parseQuantity, compareQuantities } from "@capstan/model";
import type { PodSpec, PodStatus, ResourceRequirements } from "@capstan/kinds/v1";

type Resources = { readonly [name: string]: string };

const counted = ["cpu", "memory"];

/** Guaranteed, Burstable or BestEffort. */
export function qosClassOf(spec: PodSpec): NonNullable<PodStatus["qosClass"]> {
  const asked = spec.resources === undefined ? resourcesOfContainers(spec) : [spec.resources];
  if (asked.every((one) => isEmpty(one.requests) && isEmpty(one.limits))) return "BestEffort";
  return asked.every(isFixed) ? "Guaranteed" : "Burstable";
}

function resourcesOfContainers(spec: PodSpec): readonly ResourceRequirements[] {
  return [...(spec.initContainers ?? []), ...spec.containers].map(({ resources }) => resources ?? {});
}

function isEmpty(resources: Resources | undefined): boolean {
  return !counted.some((name) => isPositive(resources?.[name]));
}

function isPositive(quantity: string | undefined): quantity is string {
  return quantity !== undefined && compareQuantities(parseQuantity(quantity), parseQuantity("0")) > 0;
}

/** Limits for both resources, and requests, if set, that equal them. */
function isFixed({ requests, limits }: ResourceRequirements): boolean {
  return counted.every((name) => {
    const limit = limits?.[name];
    if (!isPositive(limit)) return false;
    const request = requests?.[name] ?? limit;
    return compareQuantities(parseQuantity(request), parseQuantity(limit)) === 0;
  });
}
