/** Iterates over all containers of a pod. */
import type { Container, PodSpec } from "@capstan/kinds/v1";

/** Every container with its path: init, regular and ephemeral ones, in this order. */
export function allContainers(spec: PodSpec, path: string): readonly (readonly [Container, string])[] {
  const { initContainers = [], containers, ephemeralContainers = [] } = spec;
  const found: (readonly [Container, string])[] = [];
  initContainers.forEach((one, index) => found.push([one, `${path}.initContainers[${index}]`]));
  // A missing list is null where Go always encodes the field.
  (containers ?? []).forEach((one, index) => found.push([one, `${path}.containers[${index}]`]));
  ephemeralContainers.forEach((one, index) => found.push([one, `${path}.ephemeralContainers[${index}]`]));
  return found;
}

/** Whether an init container keeps running next to the regular ones. */
export function isSidecar({ restartPolicy }: Container): boolean {
  return restartPolicy === "Always";
}
