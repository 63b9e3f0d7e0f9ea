/** What a server says about a kind that it serves, in whichever of its two dialects. */
import type { Kind, Scope } from "@capstan/model";

/** A kind as a server serves it. */
export interface DiscoveredKind extends Kind {
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly string[];
}

/** The aggregated dialect: everything in one answer (apidiscovery.k8s.io/v2). */
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

/** The kinds of an aggregated answer; of each group, the preferred version comes first. */
export function fromAggregated(list: AggregatedDiscovery): DiscoveredKind[] {
  return (list.items ?? []).flatMap(({ metadata, versions }) =>
    (versions ?? []).flatMap(({ version, resources }) =>
      (resources ?? [])
        // A resource whose kind the server could not find out has none.
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

/** The dialect of old: one answer per group and version. */
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

/** The kinds of a legacy answer; subresources stand among the resources as `pods/log`. */
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
