/** The resources of a pod: the totals of its containers, the resources of the pod itself, and the overhead. */
import { addQuantities, compareQuantities, parseQuantity } from "./quantity.ts";
import type { Quantity } from "./quantity.ts";

/** Quantities by the name of the resource, in requests, limits, capacities and quotas. */
export type ResourceList = { readonly [resource: string]: string };

/** Requests or limits. */
export type ResourceHalf = "requests" | "limits";

/** The requests and limits of a container or pod. */
export type Requirements = { readonly [half in ResourceHalf]?: ResourceList | undefined };

interface ContainerResources {
  readonly restartPolicy?: string | undefined;
  readonly resources?: Requirements | undefined;
}

/** The parts of a pod's spec that determine its resources. Go writes lists that were never set as null. */
export interface PodResources {
  readonly containers?: readonly ContainerResources[] | null | undefined;
  readonly initContainers?: readonly ContainerResources[] | null | undefined;
  readonly resources?: Requirements | undefined;
  readonly overhead?: ResourceList | undefined;
}

/** Adds a list to a sum, by name. */
export function addInto(sum: Map<string, Quantity>, list: ResourceList | undefined): void {
  for (const name in list) add(sum, name, parseQuantity(list[name] ?? "0"));
}

function add(sum: Map<string, Quantity>, name: string, amount: Quantity): void {
  const before = sum.get(name);
  sum.set(name, before === undefined ? amount : addQuantities(before, amount));
}

/** Raises each quantity to that of the other list if that is greater. */
export function maxInto(most: Map<string, Quantity>, list: ReadonlyMap<string, Quantity>): void {
  for (const [name, amount] of list) {
    const before = most.get(name);
    if (before === undefined || compareQuantities(amount, before) > 0) most.set(name, amount);
  }
}

/**
 * The total of all containers: regular ones and sidecars together, or an init container with the sidecars that started before it if that
 * is more.
 */
export function containerTotals(
  { containers, initContainers }: PodResources,
  half: ResourceHalf,
): Map<string, Quantity> {
  const total = new Map<string, Quantity>();
  for (const { resources } of containers ?? []) addInto(total, resources?.[half]);
  const sidecars = new Map<string, Quantity>();
  const most = new Map<string, Quantity>();
  for (const { resources, restartPolicy } of initContainers ?? []) {
    const own = resources?.[half];
    if (restartPolicy === "Always") {
      addInto(total, own);
      addInto(sidecars, own);
      maxInto(most, sidecars);
    } else {
      const together = new Map(sidecars);
      addInto(together, own);
      maxInto(most, together);
    }
  }
  maxInto(total, most);
  return total;
}

/** The same, where resources of the pod itself (cpu, memory, huge pages) replace the total of their name. */
export function podTotals(spec: PodResources, half: ResourceHalf): Map<string, Quantity> {
  const total = containerTotals(spec, half);
  for (const [name, amount] of Object.entries(spec.resources?.[half] ?? {})) {
    if (isPodLevel(name)) total.set(name, parseQuantity(amount));
  }
  return total;
}

/** The resources that a pod requests from a node and from a quota: with the overhead of its runtime class. */
export function podRequests(spec: PodResources): Map<string, Quantity> {
  const total = podTotals(spec, "requests");
  addInto(total, spec.overhead);
  return total;
}

/** The limits of a pod. The overhead counts only where there is a limit. */
export function podLimits(spec: PodResources): Map<string, Quantity> {
  const total = podTotals(spec, "limits");
  for (const [name, amount] of Object.entries(spec.overhead ?? {})) {
    if (total.has(name)) add(total, name, parseQuantity(amount));
  }
  return total;
}

function isPodLevel(name: string): boolean {
  return name === "cpu" || name === "memory" || name.startsWith("hugepages-");
}
