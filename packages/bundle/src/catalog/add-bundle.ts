/** Adds a bundle to a channel of a catalog. */
import { quote } from "@capstan/model";
import type { BundleBlob, ChannelBlob } from "./blobs.ts";
import type { CatalogConfig } from "./config.ts";
import { displayOf } from "./operator-folder.ts";
import { CatalogError } from "./errors.ts";
import type { DescribedBundle } from "./describe-bundle.ts";
import { headOf } from "./graph.ts";
import type { ChannelEntry } from "./model.ts";

/** Where a bundle goes, and its edges. */
export interface NewEntry {
  readonly channel: string;
  /** The entry that it replaces. Default: the head of the channel. Empty: none. */
  readonly replaces?: string;
  readonly skips: readonly string[];
  readonly skipRange?: string;
}

/** The catalog with the bundle. A package or a channel that does not exist yet is made. */
export function addBundle(config: CatalogConfig, bundle: DescribedBundle, entry: NewEntry): CatalogConfig {
  const { blob } = bundle;
  const known = config.packages.some(({ name }) => name === blob.package);
  const fresh = { name: blob.package, defaultChannel: entry.channel, ...displayOf(bundle.csv), properties: [] };
  return {
    ...config,
    packages: known ? config.packages : [...config.packages, fresh],
    channels: withEntry(config.channels, blob, entry),
    bundles: withBundle(config.bundles, blob),
  };
}

/** A bundle may be in several channels; another image under its name is a mistake. */
function withBundle(bundles: readonly BundleBlob[], blob: BundleBlob): readonly BundleBlob[] {
  const found = bundles.find(({ name, package: of }) => name === blob.name && of === blob.package);
  if (found === undefined) return [...bundles, blob];
  if (found.image === blob.image) return bundles;
  throw new CatalogError(
    "Invalid",
    `the catalog has ${quote(blob.name)} with the image ${found.image}; give the bundle of ${blob.image} another version`,
  );
}

function withEntry(channels: readonly ChannelBlob[], blob: BundleBlob, wanted: NewEntry): readonly ChannelBlob[] {
  const found = channels.find(({ name, package: of }) => name === wanted.channel && of === blob.package);
  const entries = found?.entries ?? [];
  if (entries.some(({ name }) => name === blob.name))
    throw new CatalogError("Invalid", `the channel ${quote(wanted.channel)} has ${quote(blob.name)} already`);
  const replaces = wanted.replaces ?? headName(entries, wanted.channel);
  const entry: ChannelEntry = {
    name: blob.name,
    ...(replaces === "" ? {} : { replaces }),
    skips: wanted.skips,
    ...(wanted.skipRange === undefined ? {} : { skipRange: wanted.skipRange }),
  };
  const channel = {
    properties: [],
    ...found,
    name: wanted.channel,
    package: blob.package,
    entries: [...entries, entry],
  };
  return found === undefined ? [...channels, channel] : channels.map((one) => (one === found ? channel : one));
}

function headName(entries: readonly ChannelEntry[], channel: string): string {
  if (entries.length === 0) return "";
  const head = headOf({ entries: new Map(entries.map((entry) => [entry.name, entry])) });
  if ("entry" in head) return head.entry.name;
  throw new CatalogError("Invalid", `channel ${quote(channel)}: ${head.problem}; name the entry to replace`);
}
