/** The APIs that an operator provides: their keys, their hashes, and their form in annotations. */
import { fnv1a64 } from "../cluster/hash.ts";
import type { ClusterServiceVersion, CsvSpec } from "../kinds/csv.ts";

/** APIs as `Kind.version.group`. */
export type ApiSet = ReadonlySet<string>;

/** The group of a CRD by its name, `plural.group`; undefined if the name has no group. */
export function crdGroup(name: string): string | undefined {
  const dot = name.indexOf(".");
  return dot < 0 ? undefined : name.slice(dot + 1);
}

function keysOf(
  crds: readonly { readonly name: string; readonly kind: string; readonly version: string }[] = [],
  services: readonly { readonly group: string; readonly kind: string; readonly version: string }[] = [],
): ApiSet {
  return new Set([
    ...crds.map(({ name, kind, version }) => `${kind}.${version}.${crdGroup(name) ?? ""}`),
    ...services.map(({ group, kind, version }) => `${kind}.${version}.${group}`),
  ]);
}

/** The APIs that an operator provides: its owned CRDs and APIServices. */
export function providedApis({ customresourcedefinitions: crds, apiservicedefinitions: services }: CsvSpec): ApiSet {
  return keysOf(crds?.owned, services?.owned);
}

/** Whether every CRD name of a ClusterServiceVersion has a group. */
export function hasReadableApis({ spec: { customresourcedefinitions: crds } }: ClusterServiceVersion): boolean {
  return [...(crds?.owned ?? []), ...(crds?.required ?? [])].every(({ name }) => crdGroup(name) !== undefined);
}

/** The hash of an API in labels. */
export function apiHash(api: string): string {
  return fnv1a64(api);
}

/** APIs in an annotation: sorted, with commas. */
export function formatApis(apis: ApiSet): string {
  return [...apis].sort().join(",");
}

/** Reads such an annotation. Entries that are not `Kind.version.group` are dropped. */
export function parseApis(text: string | undefined): ApiSet {
  return new Set((text ?? "").split(",").filter((api) => api.split(".").length >= 3));
}
