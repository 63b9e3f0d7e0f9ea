/** A PackageManifest: a package of a catalog as users and consoles see it, in the order of OLM's type. */
import { type CatalogPackage, type Channel, compareVersions, headOf, parseVersion } from "@capstan/bundle";
import type { CatalogSource } from "../kinds/catalog-source.ts";
import type { ClusterServiceVersion } from "../kinds/csv.ts";
import { type CsvDescription, describeCsv } from "./description.ts";

interface Deprecation {
  readonly message: string;
}

/** A channel of a package with its head and its versions, newest first. */
export interface ManifestChannel {
  readonly name: string;
  readonly currentCSV: string;
  readonly currentCSVDesc: CsvDescription;
  readonly deprecation?: Deprecation;
  readonly entries: readonly { readonly name: string; readonly version?: string }[] | null;
}

/** The manifest without its type. */
export interface PackageManifest {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly creationTimestamp: string;
    readonly labels: { readonly [label: string]: string };
  };
  readonly spec: object;
  readonly status: {
    readonly catalogSourceDisplayName: string;
    readonly channels: readonly ManifestChannel[];
    readonly defaultChannel: string;
    readonly [field: string]: unknown;
  };
}

/** A package with what is read from its catalog. */
export interface FoundPackage {
  readonly source: CatalogSource;
  readonly package: CatalogPackage;
  /** The ClusterServiceVersions at the heads of the channels. A channel whose head cannot be read is left out. */
  readonly heads: ReadonlyMap<string, ClusterServiceVersion>;
}

/** The channels of a package by name, with the bundle at the head of each. */
export function channelHeads(of: CatalogPackage): readonly { readonly channel: Channel; readonly head: string }[] {
  return [...of.channels.values()]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((channel) => {
      const found = headOf(channel);
      return "problem" in found ? [] : [{ channel, head: found.entry.name }];
    });
}

/** The manifest; undefined for a package without a channel that can be shown. */
export function toPackageManifest({ source, package: of, heads }: FoundPackage): PackageManifest | undefined {
  const shown = channelHeads(of).flatMap(({ channel }) => {
    const csv = heads.get(channel.name);
    return csv === undefined ? [] : [{ channel, csv }];
  });
  const [first] = shown;
  if (first === undefined) return undefined;
  const main = shown.find(({ channel }) => channel.name === of.defaultChannel) ?? first;
  const hasLostDefault = of.channels.has(of.defaultChannel) && main.channel.name !== of.defaultChannel;
  const { name, namespace = "", labels = {}, creationTimestamp } = source.metadata;
  const provider = describeCsv(main.csv).provider;
  const all = {
    ...labels,
    catalog: name,
    "catalog-namespace": namespace,
    provider: provider.name ?? "",
    "provider-url": provider.url ?? "",
    ...main.csv.metadata.labels,
  };
  return {
    metadata: { name: of.name, namespace, creationTimestamp, labels: sorted({ ...all, ...platformLabels(all) }) },
    spec: {},
    status: {
      catalogSource: name,
      catalogSourceDisplayName: source.spec.displayName ?? "",
      catalogSourcePublisher: source.spec.publisher ?? "",
      catalogSourceNamespace: namespace,
      provider,
      packageName: of.name,
      ...deprecated(of.deprecation),
      channels: shown.map(({ channel, csv }) => ({
        name: channel.name,
        currentCSV: csv.metadata.name,
        currentCSVDesc: describeCsv(csv),
        ...deprecated(channel.deprecation),
        entries: entriesOf(channel, of),
      })),
      defaultChannel: hasLostDefault ? first.channel.name : of.defaultChannel,
    },
  };
}

function deprecated(message: string | undefined): { readonly deprecation?: Deprecation } {
  return message === undefined ? {} : { deprecation: { message } };
}

function sorted(labels: { readonly [label: string]: string }): { readonly [label: string]: string } {
  return Object.fromEntries(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** An operator that names no platform runs on Linux with amd64. */
function platformLabels(labels: object): { readonly [label: string]: string } {
  const has = (prefix: string): boolean => Object.keys(labels).some((label) => label.startsWith(prefix));
  return {
    ...(has("operatorframework.io/os") ? {} : { "operatorframework.io/os.linux": "supported" }),
    ...(has("operatorframework.io/arch") ? {} : { "operatorframework.io/arch.amd64": "supported" }),
  };
}

/** The versions of a channel, newest first, without those that the catalog withdrew. */
function entriesOf(channel: Channel, { bundles }: CatalogPackage): ManifestChannel["entries"] {
  const found = [...channel.entries.keys()].flatMap((name) => {
    const bundle = bundles.get(name);
    const isWithdrawn = bundle?.properties.some(({ type }) => type === "olm.deprecated") === true;
    return bundle === undefined || isWithdrawn ? [] : [bundle];
  });
  if (found.length === 0) return null;
  const order = found.toSorted((a, b) => compareVersions(versionOf(b.version), versionOf(a.version)));
  return order.map(({ name, version, deprecation }) => ({
    name,
    ...(version === "" ? {} : { version }),
    ...deprecated(deprecation),
  }));
}

function versionOf(text: string): NonNullable<ReturnType<typeof parseVersion>> {
  return parseVersion(text) ?? NO_VERSION;
}

const NO_VERSION = parseVersion("0.0.0") as NonNullable<ReturnType<typeof parseVersion>>;
