/** Whether the cache settings of a kind exclude an object: an excluded object can be neither repaired nor pruned. */
import { matchesFields, matchesLabels, parseFieldSelector, parseLabelSelector } from "@capstan/model";
import type { StoredObject } from "@capstan/model";
import { meantNamespaces } from "./every-namespace.ts";
import type { CacheSettings, Selection } from "./settings.ts";

/** The setting that excludes all objects of a namespace, or most of their fields, whatever their labels. */
export function namespaceExclusion(settings: CacheSettings, namespace: string | undefined): string | undefined {
  const selection = namespace === undefined ? settings : selectionIn(settings, namespace);
  if (selection === undefined) return "namespaces";
  return selection.metadataOnly === true ? "metadataOnly" : undefined;
}

/** The setting that excludes an object, or most of its fields; undefined if the cache shows it completely. */
export function exclusionOf(settings: CacheSettings, { metadata }: StoredObject): string | undefined {
  const { namespace } = metadata;
  const anyway = namespaceExclusion(settings, namespace);
  if (anyway !== undefined) return anyway;
  const { labelSelector, fieldSelector } =
    (namespace === undefined ? settings : selectionIn(settings, namespace)) ?? {};
  if (labelSelector !== undefined && !matchesLabels(parseLabelSelector(labelSelector), metadata.labels)) {
    return `labelSelector: "${labelSelector}"`;
  }
  return fieldSelector === undefined || isNamed(fieldSelector, metadata)
    ? undefined
    : `fieldSelector: "${fieldSelector}"`;
}

/** The selection for a namespace, if it is watched. */
function selectionIn(settings: CacheSettings, namespace: string): Selection | undefined {
  const { namespaces } = settings;
  if (namespaces === undefined) return settings;
  if (isList(namespaces)) {
    const meant = meantNamespaces(namespaces);
    return meant.length === 0 || meant.includes(namespace) ? settings : undefined;
  }
  const own = namespaces[namespace];
  return own && { ...settings, ...own };
}

function isList(stated: NonNullable<CacheSettings["namespaces"]>): stated is readonly string[] {
  return Array.isArray(stated);
}

/** Every object has a name and most have a namespace; only the server can evaluate other field selectors. */
function isNamed(fieldSelector: string, { name, namespace = "" }: StoredObject["metadata"]): boolean {
  const known: { readonly [field: string]: string } = { "metadata.name": name, "metadata.namespace": namespace };
  const selector = parseFieldSelector(fieldSelector).filter(({ field }) => field in known);
  return matchesFields(selector, (field) => known[field]);
}
