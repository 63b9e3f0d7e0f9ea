/** What a whole pod asks for and is limited to, from what its containers say. */
import type { Container, Pod } from "@capstan/kinds/v1";
import { addQuantities, type Quantity } from "@capstan/model";
import { addInto, maxInto, type ResourceList } from "../builtin/meta/resource-list.ts";
import { parseQuantity } from "@capstan/model";

/** Which half of the resources of a container is meant. */
export type ResourceHalf = "requests" | "limits";

/**
 * The sum over the containers that run together, or the most that one of the earlier containers needs on top of the sidecars that are
 * started before it. What the pod itself states for processor, memory and huge pages replaces the sum.
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

/** Adds what the runtime itself needs for the pod. */
export function addOverhead(total: Map<string, Quantity>, overhead: ResourceList | undefined): void {
  for (const [name, amount] of Object.entries(overhead ?? {})) {
    const present = total.get(name);
    if (present !== undefined) total.set(name, addQuantities(present, parseQuantity(amount)));
  }
}
