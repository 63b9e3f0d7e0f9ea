/** The QoS class of a pod. */
import type { Pod, ResourceRequirements } from "@capstan/kinds/v1";
import { compareQuantities, parseQuantity, toQuantity, type Quantity } from "@capstan/model";
import { addInto } from "../meta/resource-list.ts";

export type QosClass = "Guaranteed" | "Burstable" | "BestEffort";

const counted = ["cpu", "memory"];
const zero = toQuantity(0);

/** BestEffort without requests and limits, Guaranteed if requests equal limits, otherwise Burstable. */
export function qosClassOf({ spec }: Pod): QosClass {
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
function askedBy(spec: Pod["spec"]): readonly (ResourceRequirements | undefined)[] {
  if (spec?.resources !== undefined) return [spec.resources];
  return [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].map(({ resources }) => resources);
}

function positive(list: { readonly [name: string]: string } | undefined): { [name: string]: string } {
  const entries = Object.entries(list ?? {}).filter(
    ([name, amount]) => counted.includes(name) && compareQuantities(parseQuantity(amount), zero) > 0,
  );
  return Object.fromEntries(entries);
}
