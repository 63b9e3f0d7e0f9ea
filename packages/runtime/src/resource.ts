/** Kinds that were created with `defineResource` have a schema, webhooks, conversions and a CRD. */
import type { Resource } from "@capstan/schema";

/** Whether a kind was created with `defineResource`. */
export function isResource(kind: object): kind is Resource {
  return "toCrd" in kind && typeof kind.toCrd === "function" && "versions" in kind && "hooks" in kind;
}

/** The resources among some kinds, without duplicates. */
export function resourcesAmong(kinds: readonly object[]): readonly Resource[] {
  const resources = kinds.filter(isResource);
  return [...new Map(resources.map((resource) => [crdName(resource), resource])).values()];
}

/** The name of a resource's CRD, which is unique in a cluster: `widgets.example.com`. */
export function crdName({ plural, group }: { readonly plural: string; readonly group: string }): string {
  return `${plural}.${group}`;
}

/** The storage version; webhooks are written for it. */
export function storageVersion(resource: Resource): string {
  return Object.values(resource.versions).find(({ storage }) => storage)?.name ?? resource.version;
}
