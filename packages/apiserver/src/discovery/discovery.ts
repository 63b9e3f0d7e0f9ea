/** Discovery documents: per group, and aggregated. */
import type { Json } from "@capstan/model";
import { compareVersions } from "./version-priority.ts";
import type { RemoteVersion } from "../aggregate/aggregation.ts";
import { remoteResources } from "../aggregate/discovery.ts";
import type { Registry } from "../resources/registry.ts";
import type { ServedResource, ServedSubresource } from "../resources/resource.ts";

/** A group with its versions, the preferred one first. */
export interface DiscoveredGroup {
  readonly name: string;
  readonly versions: readonly DiscoveredVersion[];
}

export interface NamedGroup {
  readonly name: string;
  readonly versions: readonly Pick<DiscoveredVersion, "version">[];
}

export interface DiscoveredVersion {
  readonly version: string;
  readonly resources: readonly ServedResource[];
  /** The discovery of another server, for a version that it serves. */
  readonly remote?: RemoteVersion;
}

/** The served groups in the order of registration, the core group (named "") first. */
export function discover(registry: Registry, remote: readonly RemoteVersion[] = []): readonly DiscoveredGroup[] {
  const groups = new Map<string, DiscoveredVersion[]>();
  for (const { group, version, resources } of registry.groupVersions()) {
    let versions = groups.get(group);
    if (versions === undefined) groups.set(group, (versions = []));
    versions.push({ version, resources: [...resources.values()] });
  }
  for (const one of remote) {
    const versions = groups.get(one.group) ?? [];
    if (versions.some(({ version }) => version === one.version)) continue;
    groups.set(one.group, [...versions, { version: one.version, resources: [], remote: one }]);
  }
  return [...groups].map(([name, versions]) => ({
    name,
    versions: versions.sort((a, b) => compareVersions(a.version, b.version)),
  }));
}

/** `/api`. */
export function apiVersions(serverAddress: string): Json {
  const serverAddressByClientCIDRs = [{ clientCIDR: "0.0.0.0/0", serverAddress }];
  return { kind: "APIVersions", versions: ["v1"], serverAddressByClientCIDRs };
}

/** `/apis`. */
export function groupList(groups: readonly DiscoveredGroup[]): Json {
  const named = groups.filter(({ name }) => name !== "");
  return { kind: "APIGroupList", apiVersion: "v1", groups: named.map(groupFacts) };
}

/** `/apis/<group>`. */
export function groupDocument(group: NamedGroup): Json {
  return { kind: "APIGroup", apiVersion: "v1", ...groupFacts(group) };
}

function groupFacts({ name, versions }: NamedGroup): { [key: string]: Json } {
  const all = versions.map(({ version }) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: all, preferredVersion: all[0] ?? null };
}

/** `/api/v1` and `/apis/<group>/<version>`. */
export function resourceList(groupVersion: string, resources: readonly ServedResource[]): Json {
  return {
    kind: "APIResourceList",
    ...(groupVersion === "v1" ? {} : { apiVersion: "v1" }),
    groupVersion,
    resources: resources.flatMap((resource) => [
      resourceFacts(resource),
      ...[...resource.subresources.values()].map((one) => subresourceFacts(resource, one)),
    ]),
  };
}

function resourceFacts(resource: ServedResource): Json {
  const { shortNames, categories, storageVersionHash } = resource;
  return {
    name: resource.resource,
    singularName: resource.singular,
    namespaced: resource.namespaced,
    kind: resource.kind,
    verbs: resource.verbs,
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(storageVersionHash === undefined ? {} : { storageVersionHash }),
  };
}

function subresourceFacts(resource: ServedResource, { name, kind, verbs }: ServedSubresource): Json {
  const isOther = kind.group !== resource.group || kind.version !== resource.version;
  return {
    name: `${resource.resource}/${name}`,
    singularName: "",
    namespaced: resource.namespaced,
    ...(isOther ? { group: kind.group, version: kind.version } : {}),
    kind: kind.kind,
    verbs,
  };
}

/** The aggregated document. Its content determines its ETag, whatever the media type. */
export interface Aggregated {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: Json;
  readonly items: readonly Json[];
}

/** All groups in one document of `apidiscovery.k8s.io`. */
export function aggregated(groups: readonly DiscoveredGroup[]): Aggregated {
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: "apidiscovery.k8s.io/v2",
    metadata: {},
    items: groups.map(({ name, versions }) => ({
      metadata: name === "" ? {} : { name },
      versions: versions.map((one) => ({
        version: one.version,
        resources: one.remote === undefined ? one.resources.map(aggregatedResource) : remoteResources(one.remote),
        freshness: one.remote?.isAvailable === false ? "Stale" : "Current",
      })),
    })),
  };
}

function aggregatedResource(resource: ServedResource): Json {
  const { shortNames, categories, subresources } = resource;
  return {
    resource: resource.resource,
    responseKind: responseKind(resource, { ...resource }),
    scope: resource.namespaced ? "Namespaced" : "Cluster",
    singularResource: resource.singular,
    verbs: resource.verbs,
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(subresources.size === 0
      ? {}
      : {
          subresources: [...subresources.values()].map(({ name, kind, verbs }) => ({
            subresource: name,
            responseKind: responseKind(resource, kind),
            verbs,
          })),
        }),
  };
}

/** Group and version are empty if they equal those of the list; custom kinds always have them. */
function responseKind(
  { group, version, isCustom }: ServedResource,
  kind: { readonly group: string; readonly version: string; readonly kind: string },
): Json {
  const isOwn = kind.group === group && kind.version === version && !isCustom;
  return isOwn
    ? { group: "", version: "", kind: kind.kind }
    : { group: kind.group, version: kind.version, kind: kind.kind };
}
