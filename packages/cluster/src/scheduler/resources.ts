/** The resource requests of pods as integers: milli-CPUs, bytes, units. Pure. */
import type { Container, Node, Pod } from "@capstan/kinds/v1";
import { parseQuantity, quantityToInteger } from "@capstan/model";

/** Amounts by resource. */
export type ResourceAmounts = ReadonlyMap<string, number>;

type ResourceList = { readonly [name: string]: string } | undefined;

/** A quantity as an integer: CPU in thousandths, others in units. */
export function amountOf(name: string, text: string): number {
  return Number(quantityToInteger(parseQuantity(text), name === "cpu" ? -3 : 0));
}

function toAmounts(list: ResourceList): Map<string, number> {
  return new Map(Object.entries(list ?? {}).map(([name, text]) => [name, amountOf(name, text)]));
}

function add(sum: Map<string, number>, more: ResourceAmounts): Map<string, number> {
  for (const [name, amount] of more) sum.set(name, (sum.get(name) ?? 0) + amount);
  return sum;
}

function takeMax(sum: Map<string, number>, other: ResourceAmounts): Map<string, number> {
  for (const [name, amount] of other) sum.set(name, Math.max(sum.get(name) ?? 0, amount));
  return sum;
}

function requestsOfContainer({ resources }: Pick<Container, "resources">): Map<string, number> {
  return toAmounts(resources?.requests as ResourceList);
}

/**
 * The requests of a pod: all containers and sidecars together, or the largest init container with the sidecars started before it, plus
 * the overhead.
 */
export function requestsOf({ spec }: Pod): ResourceAmounts {
  const running = new Map<string, number>();
  for (const container of spec?.containers ?? []) add(running, requestsOfContainer(container));
  const sidecars = new Map<string, number>();
  const starting = new Map<string, number>();
  for (const container of spec?.initContainers ?? []) {
    const own = requestsOfContainer(container);
    if (container.restartPolicy === "Always") {
      add(running, own);
      takeMax(starting, add(sidecars, own));
    } else takeMax(starting, add(new Map(sidecars), own));
  }
  const total = takeMax(running, starting);
  const whole = spec?.resources?.requests as ResourceList;
  for (const [name, amount] of toAmounts(whole)) total.set(name, amount);
  return add(total, toAmounts(spec?.overhead as ResourceList));
}

/** The allocatable resources of a node. */
export function allocatableOf({ status }: Node): ResourceAmounts {
  return toAmounts((status?.allocatable ?? status?.capacity) as ResourceList);
}
