/** The QoS class of a pod. */
import { addInto } from "./pod-resources.ts";
import type { PodResources, Requirements, ResourceList } from "./pod-resources.ts";
import { compareQuantities, parseQuantity, toQuantity } from "./quantity.ts";
import type { Quantity } from "./quantity.ts";

/** The QoS classes. */
export type QosClass = "Guaranteed" | "Burstable" | "BestEffort";

const counted = ["cpu", "memory"];
const zero = toQuantity(0);

/** BestEffort without requests and limits, Guaranteed if requests equal limits, otherwise Burstable. */
export function qosClassOf(spec: PodResources | undefined): QosClass {
  const requests = new Map<string, Quantity>();
  const limits = new Map<string, Quantity>();
  let isGuaranteed = true;
  for (const resources of askedBy(spec)) {
    addInto(requests, positive(resources?.requests));
    const own = positive(resources?.limits);
    addInto(limits, own);
    // If pod-level resources do not have limits, only the requests determine the class.
    const isSilent = spec?.resources !== undefined && Object.keys(resources?.limits ?? {}).length === 0;
    if (!isSilent && !counted.every((name) => Object.hasOwn(own, name))) isGuaranteed = false;
  }
  if (requests.size === 0 && limits.size === 0) return "BestEffort";
  const isMatched = [...requests].every(([name, amount]) => {
    const limit = limits.get(name);
    return limit !== undefined && compareQuantities(limit, amount) === 0;
  });
  return isGuaranteed && isMatched && requests.size === limits.size ? "Guaranteed" : "Burstable";
}

/** Pod-level resources override those of the containers. */
function askedBy(spec: PodResources | undefined): readonly (Requirements | undefined)[] {
  if (spec?.resources !== undefined) return [spec.resources];
  return [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].map(({ resources }) => resources);
}

function positive(list: ResourceList | undefined): ResourceList {
  const entries = Object.entries(list ?? {}).filter(
    ([name, amount]) => counted.includes(name) && compareQuantities(parseQuantity(amount), zero) > 0,
  );
  return Object.fromEntries(entries);
}
