/** Checks of a pod spec that updates skip: an object that is already stored must stay writable. */
import type { PodSpec } from "@capstan/kinds/v1";
import { hasInvalidValue } from "../selector/label-selector.ts";
import { hasInvalidNodeValue } from "../selector/node-selector.ts";
import { checkLabelSelector } from "../selector/label-selector.ts";
import { allContainers } from "./containers.ts";
import { isHostSysctl } from "./sysctls.ts";

/** The kind of spec, and the checks to skip. */
export interface PodLeniency {
  /** Whether this is a pod, not a template. */
  readonly isPod?: boolean;
  readonly badDeletionCost?: boolean;
  readonly badAffinityValues?: boolean;
  readonly badNodeAffinityValues?: boolean;
  readonly badSpreadSelectors?: boolean;
  readonly oddHugePages?: boolean;
  readonly hostSysctls?: boolean;
  readonly farTokenPaths?: boolean;
  readonly restartingInitResize?: boolean;
  readonly devicesInUserNamespace?: boolean;
}

/** The checks that the next spec may fail because the stored one does. */
export function leniencyAfter(old: PodSpec | undefined): PodLeniency {
  if (old === undefined) return {};
  return {
    badAffinityValues: affinitySelectors(old).some(hasInvalidValue),
    badNodeAffinityValues: hasInvalidNodeValue(
      old.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution,
    ),
    badSpreadSelectors: (old.topologySpreadConstraints ?? []).some(
      ({ labelSelector }) => checkLabelSelector(labelSelector, "").length > 0,
    ),
    hostSysctls: (old.securityContext?.sysctls ?? []).some(({ name }) => isHostSysctl(name, old)),
    farTokenPaths: hasFarTokenPath(old),
    restartingInitResize: (old.initContainers ?? []).some(
      ({ restartPolicy, resizePolicy = [] }) =>
        restartPolicy !== "Always" && resizePolicy.some((policy) => policy.restartPolicy === "RestartContainer"),
    ),
    devicesInUserNamespace:
      old.hostUsers === false && allContainers(old, "").some(([{ volumeDevices = [] }]) => volumeDevices.length > 0),
  };
}

function affinitySelectors({ affinity }: PodSpec): readonly Parameters<typeof hasInvalidValue>[0][] {
  return [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap((one) => [
    ...(one?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map(({ labelSelector }) => labelSelector),
    ...(one?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(
      ({ podAffinityTerm }) => podAffinityTerm.labelSelector,
    ),
  ]);
}

function hasFarTokenPath({ volumes = [] }: PodSpec): boolean {
  return volumes
    .flatMap(({ projected }) => projected?.sources ?? [])
    .some(({ serviceAccountToken }) => {
      const path = serviceAccountToken?.path ?? "";
      return path.startsWith("/") || path.split("/").includes("..") || path.startsWith("..");
    });
}
