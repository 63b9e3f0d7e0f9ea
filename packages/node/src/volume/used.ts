/** Which volumes of a pod anybody needs. Pure. */
import type { PodSpec } from "@capstan/kinds/v1";
import { containersOf } from "../pod/containers.ts";

/** The names of the volumes that a container shows; no pod waits for another one. */
export function usedVolumes(spec: PodSpec): ReadonlySet<string> {
  return new Set(
    containersOf(spec).flatMap(({ spec: { volumeMounts = [], volumeDevices = [] } }) =>
      [...volumeMounts, ...volumeDevices].map(({ name }) => name),
    ),
  );
}
