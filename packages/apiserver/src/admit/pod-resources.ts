/** Requests and limits of a whole pod, computed from its containers. */
import type { Container, Pod } from "@capstan/kinds/v1";
import { addQuantities, type Quantity } from "@capstan/model";
import { addInto, maxInto, type ResourceList } from "../builtin/meta/resource-list.ts";
import { parseQuantity } from "@capstan/model";

/** Requests or limits. */
export type ResourceHalf = "requests" | "limits";

/**
 * The sum of the containers that run together, or the maximum of an init container plus the sidecars started before it. Pod-level
 * resources (cpu, memory, huge pages) replace the sum.
 */
export function podResources(pod: Pod, half: ResourceHalf): Map<string, Quantity> {
  const { containers = [], initContainers = [], resources } = pod.spec ?? {};
  const total = new Map<string, Quantity>();
  for (const container of containers) addInto(total, listOf(container, half));
  const sidecars = new Map<string, Quantity>();
  const most = new Map<string, Quantity>();
  for (const container of initContainers) {
    const own = listOf(container, half);
    if (container.restartPolicy === "Always") {
      addInto(total, own);
      addInto(sidecars, own);
      maxInto(most, sidecars);
    } else maxInto(most, sumOf(sidecars, own));
  }
  maxInto(total, most);
  for (const [name, amount] of Object.entries(resources?.[half] ?? {})) {
    if (isPodLevel(name)) total.set(name, parseQuantity(amount));
  }
  return total;
}

function listOf(container: Container, half: ResourceHalf): ResourceList | undefined {
  return container.resources?.[half];
}

function sumOf(base: ReadonlyMap<string, Quantity>, list: ResourceList | undefined): Map<string, Quantity> {
  const sum = new Map(base);
  addInto(sum, list);
  return sum;
}

function isPodLevel(name: string): boolean {
  return name === "cpu" || name === "memory";
}

/** Adds the overhead of the runtime class. */
export function addOverhead(total: Map<string, Quantity>, overhead: ResourceList | undefined): void {
  for (const [name, amount] of Object.entries(overhead ?? {})) {
    const present = total.get(name);
    if (present !== undefined) total.set(name, addQuantities(present, parseQuantity(amount)));
  }
}
