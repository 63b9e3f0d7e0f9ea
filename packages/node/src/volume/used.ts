/** Which volumes of a pod are mounted. Pure. */
import type { PodSpec } from "@capstan/kinds/v1";
import { containersOf } from "../pod/containers.ts";

/** The names of the volumes that a container mounts; a pod does not wait for the others. */
export function usedVolumes(spec: PodSpec): ReadonlySet<string> {
  return new Set(
    containersOf(spec).flatMap(({ spec: { volumeMounts = [], volumeDevices = [] } }) =>
      [...volumeMounts, ...volumeDevices].map(({ name }) => name),
    ),
  );
}
