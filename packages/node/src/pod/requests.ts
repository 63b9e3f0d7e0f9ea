/** The total resource requests of a pod: CPU in millicores, everything else in whole units. Pure. */
import { parseQuantity, podRequests, quantityToInteger } from "@capstan/model";
import type { Quantity } from "@capstan/model";
import type { PodSpec } from "@capstan/kinds/v1";

/** A quantity as a number; a missing quantity is 0. */
export function toAmount(quantity: string | undefined, name: string): bigint {
  return quantity === undefined ? 0n : amountOf(parseQuantity(quantity), name);
}

function amountOf(quantity: Quantity, name: string): bigint {
  return quantityToInteger(quantity, name === "cpu" ? -3 : 0);
}

/** The request of a pod for one resource. */
export function requestOf(spec: PodSpec, name: string): bigint {
  const quantity = podRequests(spec).get(name);
  return quantity === undefined ? 0n : amountOf(quantity, name);
}

/** The resources that a pod requests. */
export function requestedResources(spec: PodSpec): ReadonlySet<string> {
  return new Set(podRequests(spec).keys());
}
