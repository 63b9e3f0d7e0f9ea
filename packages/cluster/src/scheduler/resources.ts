/** The resource requests of pods as integers: milli-CPUs, bytes, units. Pure. */
import type { Node, Pod } from "@capstan/kinds/v1";
import { parseQuantity, podRequests, quantityToInteger } from "@capstan/model";
import type { Quantity } from "@capstan/model";

/** Amounts by resource. */
export type ResourceAmounts = ReadonlyMap<string, number>;

type ResourceList = { readonly [name: string]: string } | undefined;

/** A quantity as an integer: CPU in thousandths, others in units. */
function integerOf(name: string, quantity: Quantity): number {
  return Number(quantityToInteger(quantity, name === "cpu" ? -3 : 0));
}

function toAmounts(list: ResourceList): Map<string, number> {
  return new Map(Object.entries(list ?? {}).map(([name, text]) => [name, integerOf(name, parseQuantity(text))]));
}

/** The requests of a pod. */
export function requestsOf({ spec }: Pod): ResourceAmounts {
  return new Map([...podRequests(spec ?? {})].map(([name, quantity]) => [name, integerOf(name, quantity)]));
}

/** The allocatable resources of a node. */
export function allocatableOf({ status }: Node): ResourceAmounts {
  return toAmounts((status?.allocatable ?? status?.capacity) as ResourceList);
}
