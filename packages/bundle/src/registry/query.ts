/** The questions of the registry API, answered from a catalog. */
import { quote } from "@capstan/model";
import { compareText } from "../decode/json.ts";
import { headOf } from "../catalog/graph.ts";
import type { Catalog, CatalogPackage, Channel, ChannelEntry } from "../catalog/model.ts";
import { type BundlePlace, kindsOf } from "./api-bundle.ts";

/** The message api.ChannelEntry. */
export interface ApiChannelEntry {
  readonly packageName: string;
  readonly channelName: string;
  readonly bundleName: string;
  readonly replaces: string;
}

/** The message api.Package. */
export interface ApiPackage {
  readonly name: string;
  readonly channels: readonly {
    readonly name: string;
    readonly csvName: string;
    readonly deprecation?: { readonly message: string };
  }[];
  readonly defaultChannelName: string;
  readonly deprecation?: { readonly message: string };
}

/** What the catalog does not have. The texts are those of `opm serve`. */
export class NotInCatalogError extends Error {
  override readonly name = "NotInCatalogError";
  readonly code = "NotFound";
}

/** A package with the head of each channel. */
export function findPackage(catalog: Catalog, name: string): ApiPackage {
  const found = packageAt(catalog, name);
  const channels = [...found.channels.values()].sort((a, b) => compareText(a.name, b.name));
  return {
    name,
    channels: channels.map((channel) => ({
      name: channel.name,
      csvName: headName(channel),
      ...deprecated(channel.deprecation),
    })),
    defaultChannelName: found.defaultChannel,
    ...deprecated(found.deprecation),
  };
}

function deprecated(message: string | undefined): { readonly deprecation?: { readonly message: string } } {
  return message === undefined ? {} : { deprecation: { message } };
}

function headName(channel: Channel): string {
  const head = headOf(channel);
  return "entry" in head ? head.entry.name : "";
}

function packageAt(catalog: Catalog, name: string): CatalogPackage {
  const found = catalog.packages.get(name);
  if (found === undefined) throw new NotInCatalogError(`package ${quote(name)} not found`);
  return found;
}

interface ChannelName {
  readonly pkgName: string;
  readonly channelName: string;
}

interface BundleName extends ChannelName {
  readonly csvName: string;
}

function channelAt(catalog: Catalog, { pkgName, channelName }: ChannelName): Omit<BundlePlace, "bundle"> {
  const found = packageAt(catalog, pkgName);
  const channel = found.channels.get(channelName);
  if (channel === undefined)
    throw new NotInCatalogError(`package ${quote(pkgName)}, channel ${quote(channelName)} not found`);
  return { package: found, channel };
}

/** A bundle of a channel. */
export function findBundle(catalog: Catalog, { csvName, ...name }: BundleName): BundlePlace {
  const place = channelAt(catalog, name);
  const bundle = place.channel.entries.has(csvName) ? place.package.bundles.get(csvName) : undefined;
  if (bundle === undefined)
    throw new NotInCatalogError(
      `package ${quote(name.pkgName)}, channel ${quote(name.channelName)}, bundle ${quote(csvName)} not found`,
    );
  return { ...place, bundle };
}

/** The head of a channel. */
export function findHead(catalog: Catalog, name: ChannelName): BundlePlace {
  return findBundle(catalog, { ...name, csvName: headName(channelAt(catalog, name).channel) });
}

/** The first bundle of a channel that replaces or skips another one. */
export function findReplacement(catalog: Catalog, { csvName, ...name }: BundleName): BundlePlace {
  if (!catalog.packages.has(name.pkgName)) throw new NotInCatalogError(`package ${name.pkgName} not found`);
  const { channel } = channelAt(catalog, name);
  const found = [...channel.entries.values()].find((entry) => replacedBy(entry).includes(csvName));
  if (found === undefined)
    throw new NotInCatalogError(
      `no entry found for package ${quote(name.pkgName)}, channel ${quote(name.channelName)}`,
    );
  return findBundle(catalog, { ...name, csvName: found.name });
}

function replacedBy({ replaces = "", skips }: ChannelEntry): string[] {
  return [replaces, ...skips];
}

/** Every bundle in every channel. */
export function* allBundles(catalog: Catalog): Generator<BundlePlace> {
  for (const found of catalog.packages.values())
    for (const channel of found.channels.values())
      for (const name of channel.entries.keys()) {
        const bundle = found.bundles.get(name);
        if (bundle !== undefined) yield { package: found, channel, bundle };
      }
}

/** The entries that replace or skip a bundle, in all packages. */
export function entriesThatReplace(catalog: Catalog, csvName: string): ApiChannelEntry[] {
  const found = [...allBundles(catalog)].flatMap(({ channel, bundle }) => {
    const entry = channel.entries.get(bundle.name);
    const edges = entry === undefined ? [] : [...new Set(replacedBy(entry))].filter((name) => name === csvName);
    return edges.map(() => entryMessage(channel, bundle.name, entry?.replaces ?? ""));
  });
  if (found.length === 0) throw new NotInCatalogError(`no channel entries found that replace ${csvName}`);
  return found;
}

function entryMessage(channel: Channel, bundleName: string, replaces: string): ApiChannelEntry {
  return { packageName: channel.package, channelName: channel.name, bundleName, replaces };
}

/** A kind as a request names it. */
export interface KindName {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

function provides({ bundle }: BundlePlace, { group, version, kind }: KindName): boolean {
  return kindsOf(bundle.properties, "olm.gvk").some(
    (one) => one.group === group && one.version === version && one.kind === kind,
  );
}

/** The entries whose bundles provide a kind: all of them, or only heads of channels. */
export function entriesThatProvide(catalog: Catalog, kind: KindName, which: "all" | "heads"): ApiChannelEntry[] {
  const found = [...allBundles(catalog)]
    .filter((place) => which === "all" || headName(place.channel) === place.bundle.name)
    .filter((place) => provides(place, kind))
    .flatMap((place) => edgesOf(place, which));
  if (found.length === 0) throw new NotInCatalogError(`no channel entries found that provide ${formatKind(kind)}`);
  return found;
}

function formatKind({ group, version, kind }: KindName): string {
  return `group:${quote(group)} version:${quote(version)} kind:${quote(kind)}`;
}

function edgesOf({ channel, bundle }: BundlePlace, which: "all" | "heads"): ApiChannelEntry[] {
  const { replaces = "", skips = [] } = channel.entries.get(bundle.name) ?? {};
  const skipped = skips.filter((skip) => skip !== replaces && (which === "all" || channel.entries.has(skip)));
  return [replaces, ...skipped].map((edge) => entryMessage(channel, bundle.name, edge));
}

/** The head of the default channel of the first package that provides a kind there. */
export function findDefaultProvider(catalog: Catalog, kind: KindName): BundlePlace {
  const entries = entriesThatProvide(catalog, kind, "heads").sort((a, b) => compareText(a.packageName, b.packageName));
  const found = entries.find(
    ({ packageName, channelName }) => catalog.packages.get(packageName)?.defaultChannel === channelName,
  );
  if (found === undefined) throw new NotInCatalogError(`no entry found that provides ${formatKind(kind)}`);
  const { packageName: pkgName, channelName, bundleName: csvName } = found;
  return findBundle(catalog, { pkgName, channelName, csvName });
}
