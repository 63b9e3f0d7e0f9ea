/** Makes catalogs for tests from short descriptions. */
import type { Catalog, CatalogBundle, CatalogPackage, Channel, Property } from "@capstan/bundle";
import type { CatalogSnapshot, InstalledOperator, RequestedSubscription, ResolutionInput } from "../src/index.ts";

/** An entry of a channel: `a.v2` has the version 2.0.0 unless another one is given. */
export interface EntrySpec {
  readonly name: string;
  readonly version?: string;
  readonly replaces?: string;
  readonly skips?: readonly string[];
  readonly skipRange?: string;
  readonly properties?: readonly Property[];
}

/** Channels by name; the first one is the default. */
export type PackageSpec = Readonly<Record<string, readonly EntrySpec[]>>;

export function catalogOf(packages: Readonly<Record<string, PackageSpec>>): Catalog {
  return { packages: new Map(Object.entries(packages).map(([name, spec]) => [name, packageOf(name, spec)])) };
}

function packageOf(name: string, spec: PackageSpec): CatalogPackage {
  const channels = Object.entries(spec).map(
    ([channel, entries]) => [channel, channelOf(name, channel, entries)] as const,
  );
  const bundles = Object.values(spec).flatMap((entries) => entries.map((entry) => bundleOf(name, entry)));
  return {
    name,
    defaultChannel: Object.keys(spec)[0] ?? "",
    channels: new Map(channels),
    bundles: new Map(bundles.map((bundle) => [bundle.name, bundle])),
    properties: [],
  };
}

function channelOf(of: string, name: string, entries: readonly EntrySpec[]): Channel {
  const list = entries.map(({ name: entry, replaces, skips = [], skipRange }) => ({
    name: entry,
    skips,
    ...(replaces !== undefined && { replaces }),
    ...(skipRange !== undefined && { skipRange }),
  }));
  return { name, package: of, entries: new Map(list.map((entry) => [entry.name, entry])), properties: [] };
}

function bundleOf(of: string, { name, version = versionOf(name), properties = [] }: EntrySpec): CatalogBundle {
  const own = { type: "olm.package", value: { packageName: of, version } };
  return {
    name,
    package: of,
    version,
    image: `example.com/${name}:v${version}`,
    properties: [own, ...properties],
    relatedImages: [],
  };
}

export function versionOf(name: string): string {
  const [, found = "0"] = /v([0-9.]+)$/.exec(name) ?? [];
  return [...found.split("."), "0", "0"].slice(0, 3).join(".");
}

export function gvk(kind: string): Property {
  return { type: "olm.gvk", value: { group: "example.com", version: "v1", kind } };
}

export function needsGvk(kind: string): Property {
  return { type: "olm.gvk.required", value: { group: "example.com", version: "v1", kind } };
}

export function needsPackage(packageName: string, versionRange: string): Property {
  return { type: "olm.package.required", value: { packageName, versionRange } };
}

export function snapshotOf(
  name: string,
  catalog: Catalog,
  { namespace = "olm", priority = 0 }: { readonly namespace?: string; readonly priority?: number } = {},
): CatalogSnapshot {
  return { name, namespace, priority, state: "ready", catalog };
}

export function subscriptionOf(
  of: string,
  more: Partial<RequestedSubscription> & { readonly from?: string } = {},
): RequestedSubscription {
  const { from = "cat", ...fields } = more;
  return { name: `sub-${of}`, package: of, catalog: { name: from, namespace: "olm" }, ...fields };
}

export function installedOf(of: string, name: string, properties: readonly Property[] = []): InstalledOperator {
  const version = versionOf(name);
  return { name, version, properties: [{ type: "olm.package", value: { packageName: of, version } }, ...properties] };
}

export function inputOf(
  catalogs: readonly CatalogSnapshot[],
  subscriptions: readonly RequestedSubscription[],
  installed: readonly InstalledOperator[] = [],
): ResolutionInput {
  return { namespace: "ns", globalNamespace: "olm", catalogs, subscriptions, installed };
}
