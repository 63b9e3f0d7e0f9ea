/** The kinds in aggregated and legacy discovery responses. */
import type { Kind, Scope } from "@capstan/model";

/** A served kind. */
export interface DiscoveredKind extends Kind {
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly string[];
}

/** Aggregated discovery: everything in one response (apidiscovery.k8s.io/v2). */
export interface AggregatedDiscovery {
  readonly kind: "APIGroupDiscoveryList";
  readonly items?: readonly {
    readonly metadata?: { readonly name?: string };
    readonly versions?: readonly {
      readonly version: string;
      readonly resources?: readonly AggregatedResource[];
    }[];
  }[];
}

interface AggregatedResource {
  readonly resource: string;
  readonly responseKind?: { readonly kind: string };
  readonly scope: Scope;
  readonly singularResource?: string;
  readonly verbs?: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly { readonly subresource: string }[];
}

/** The kinds of an aggregated response; the preferred version of each group comes first. */
export function fromAggregated(list: AggregatedDiscovery): DiscoveredKind[] {
  return (list.items ?? []).flatMap(({ metadata, versions }) =>
    (versions ?? []).flatMap(({ version, resources }) =>
      (resources ?? [])
        // A resource with an unknown kind has an empty response kind.
        .filter(({ responseKind }) => responseKind !== undefined && responseKind.kind !== "")
        .map((resource) => fromAggregatedResource(resource, metadata?.name ?? "", version)),
    ),
  );
}

function fromAggregatedResource(resource: AggregatedResource, group: string, version: string): DiscoveredKind {
  return {
    group,
    version,
    kind: resource.responseKind?.kind ?? "",
    plural: resource.resource,
    scope: resource.scope,
    singular: resource.singularResource ?? "",
    shortNames: resource.shortNames ?? [],
    categories: resource.categories ?? [],
    verbs: resource.verbs ?? [],
    subresources: (resource.subresources ?? []).map(({ subresource }) => subresource),
  };
}

/** Legacy discovery: one response per group and version. */
export interface LegacyResourceList {
  readonly groupVersion: string;
  readonly resources?: readonly {
    readonly name: string;
    readonly singularName?: string;
    readonly namespaced: boolean;
    readonly kind: string;
    readonly verbs?: readonly string[];
    readonly shortNames?: readonly string[];
    readonly categories?: readonly string[];
  }[];
}

/** The kinds of a legacy response; subresources appear as `pods/log`. */
export function fromLegacy(list: LegacyResourceList): DiscoveredKind[] {
  const [version = "", group = ""] = list.groupVersion.split("/").reverse();
  const resources = list.resources ?? [];
  return resources
    .filter(({ name }) => !name.includes("/"))
    .map((resource) => ({
      group,
      version,
      kind: resource.kind,
      plural: resource.name,
      scope: resource.namespaced ? "Namespaced" : "Cluster",
      singular: resource.singularName ?? "",
      shortNames: resource.shortNames ?? [],
      categories: resource.categories ?? [],
      verbs: resource.verbs ?? [],
      subresources: resources
        .filter(({ name }) => name.startsWith(`${resource.name}/`))
        .map(({ name }) => name.slice(resource.name.length + 1)),
    }));
}
