/** Which kinds were made with `defineResource`, and so bring a schema, hooks, conversions and a CRD along. */
import type { Resource } from "@capstan/schema";

/** Whether a kind is a resource of the operator's own making. */
export function isResource(kind: object): kind is Resource {
  return "toCrd" in kind && typeof kind.toCrd === "function" && "versions" in kind && "hooks" in kind;
}

/** The resources among some kinds, each once however many controllers it has. */
export function resourcesAmong(kinds: readonly object[]): readonly Resource[] {
  const resources = kinds.filter(isResource);
  return [...new Map(resources.map((resource) => [crdName(resource), resource])).values()];
}

/** The name of a resource that is unique in a cluster, which is that of its CRD: `widgets.example.com`. */
export function crdName({ plural, group }: { readonly plural: string; readonly group: string }): string {
  return `${plural}.${group}`;
}

/** The version in which the cluster stores objects; hooks are written against it. */
export function storageVersion(resource: Resource): string {
  return Object.values(resource.versions).find(({ storage }) => storage)?.name ?? resource.version;
}
