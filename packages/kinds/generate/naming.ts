/** From the long names of definitions to files and short names. */
import type { Documents, Fields } from "./documents.ts";

/** The location of a definition: the module (`apps/v1`, `v1`, `meta/v1`) and its name there. */
export interface Place {
  readonly module: string;
  readonly name: string;
}

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";

/** Finds the module of every definition: those of a package go where the kinds of that package are served. */
export function placeDefinitions(
  documents: Documents,
  definitions: Readonly<Record<string, Fields>>,
): Map<string, Place> {
  const served = new Set(documents.groupVersions.map(({ group, version }) => `${group}/${version}`));
  const modules = new Map([[meta, "meta/v1"]]);
  for (const [name, definition] of Object.entries(definitions)) {
    const kinds = (definition["x-kubernetes-group-version-kind"] ?? []) as { group: string; version: string }[];
    const [kind] = kinds;
    if (kind === undefined || name.startsWith("io.k8s.apimachinery.")) continue;
    const key = `${kind.group}/${kind.version}`;
    if (served.has(key)) modules.set(packageOf(name), key.replace(/^\//, ""));
  }
  const places = new Map<string, Place>();
  for (const name of Object.keys(definitions)) {
    const module = modules.get(packageOf(name));
    if (module !== undefined) places.set(name, { module, name: name.slice(name.lastIndexOf(".") + 1) });
  }
  return places;
}

function packageOf(name: string): string {
  return name.slice(0, name.lastIndexOf("."));
}
