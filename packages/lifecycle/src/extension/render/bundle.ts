/** The objects of a bundle by their part in it: the ClusterServiceVersion, the CRDs and the others. */
import type { CustomResourceDefinition } from "@capstan/kinds/apiextensions.k8s.io/v1";
import type { Manifest } from "../../csv/permissions.ts";
import type { ClusterServiceVersion } from "../../kinds/csv.ts";
import { ExtensionError } from "../errors.ts";

/** A bundle of the format registry+v1. */
export interface RegistryBundle {
  readonly packageName: string;
  readonly csv: ClusterServiceVersion;
  readonly crds: readonly CustomResourceDefinition[];
  readonly others: readonly Manifest[];
}

/** Sorts the objects of a bundle. */
export function toRegistryBundle(packageName: string, objects: readonly Manifest[]): RegistryBundle {
  const csv = objects.find(({ kind }) => kind === "ClusterServiceVersion");
  if (csv === undefined) throw new ExtensionError("InvalidBundle", "bundle has no ClusterServiceVersion");
  const crds = objects.filter(({ kind }) => kind === "CustomResourceDefinition");
  const known = new Set<Manifest>([csv, ...crds]);
  return {
    packageName,
    // The manifests of a bundle have the shapes of their kinds; the server checks them again.
    csv: csv as unknown as ClusterServiceVersion,
    crds: crds as unknown as readonly CustomResourceDefinition[],
    others: objects.filter((object) => !known.has(object)),
  };
}

/** The kinds that a bundle may contain, and whether they are namespaced. */
const supported: ReadonlyMap<string, boolean> = new Map([
  ["ClusterServiceVersion", true],
  ["CustomResourceDefinition", false],
  ["Secret", true],
  ["ClusterRole", false],
  ["ClusterRoleBinding", false],
  ["ConfigMap", true],
  ["ServiceAccount", true],
  ["Service", true],
  ["Role", true],
  ["RoleBinding", true],
  ["PrometheusRule", true],
  ["ServiceMonitor", true],
  ["PodMonitor", true],
  ["PodDisruptionBudget", true],
  ["PriorityClass", false],
  ["VerticalPodAutoscaler", true],
  ["ConsoleYAMLSample", false],
  ["ConsoleQuickStart", false],
  ["ConsoleCLIDownload", false],
  ["ConsoleLink", false],
  ["ConsolePlugin", false],
  ["NetworkPolicy", true],
]);

/** Whether a kind is namespaced; undefined if a bundle may not contain it. */
export function isNamespaced(kind: string): boolean | undefined {
  return supported.get(kind);
}

/** The install modes that an operator supports, sorted. */
export function supportedModes({ csv }: RegistryBundle): readonly string[] {
  return (csv.spec.installModes ?? [])
    .filter(({ supported: isSupported }) => isSupported)
    .map(({ type }) => type)
    .toSorted();
}
