/** The total resource requests of a pod: CPU in millicores, everything else in whole units. Pure. */
import { parseQuantity, quantityToInteger } from "@capstan/model";
import type { PodSpec, ResourceRequirements } from "@capstan/kinds/v1";

/** A quantity as a number; a missing quantity is 0. */
export function toAmount(quantity: string | undefined, name: string): bigint {
  return quantity === undefined ? 0n : quantityToInteger(parseQuantity(quantity), name === "cpu" ? -3 : 0);
}

/** Containers and sidecars run together; an init container runs with the sidecars before it: the larger of the two sums counts. */
export function requestOf({ containers, initContainers = [], resources, overhead }: PodSpec, name: string): bigint {
  const own = (one: { readonly resources?: ResourceRequirements }): bigint =>
    toAmount(one.resources?.requests?.[name], name);
  let sidecars = 0n;
  let highest = 0n;
  for (const one of initContainers) {
    if (one.restartPolicy === "Always") sidecars += own(one);
    const here = one.restartPolicy === "Always" ? sidecars : sidecars + own(one);
    if (here > highest) highest = here;
  }
  const together = containers.reduce((sum, one) => sum + own(one), sidecars);
  const ofContainers = together > highest ? together : highest;
  const declared = resources?.requests?.[name];
  return (declared === undefined ? ofContainers : toAmount(declared, name)) + toAmount(overhead?.[name], name);
}

/** The resources that any container of a pod requests. */
export function requestedResources({ containers, initContainers = [], resources }: PodSpec): ReadonlySet<string> {
  const all = [resources, ...[...containers, ...initContainers].map((one) => one.resources)];
  return new Set(all.flatMap((one) => Object.keys(one?.requests ?? {})));
}
