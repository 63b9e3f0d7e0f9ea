/** The channels of a package whose bundles say what they replace, or whose order follows from the versions alone. */
import { quote } from "@capstan/model";
import { compareText } from "../decode/json.ts";
import { compareVersions, parseVersion, type Version } from "../semver.ts";
import type { ChannelBlob } from "./blobs.ts";
import { CatalogError } from "./errors.ts";
import type { DescribedBundle } from "./describe-bundle.ts";
import type { ChannelEntry } from "./model.ts";

/** How the edges come about: from the bundles, from the versions, or from the versions with newer patches that skip older ones. */
export type UpdateGraph = "replaces-mode" | "semver-mode" | "semver-skippatch-mode";

/** The channels of the bundles of one package, by name. */
export function channelsOf(bundles: readonly DescribedBundle[], graph: UpdateGraph): ChannelBlob[] {
  const names = [...new Set(bundles.flatMap(({ channels }) => channels))].sort(compareText);
  return names.map((name) => {
    const members = bundles.filter(({ channels }) => channels.includes(name));
    const all = graph === "replaces-mode" ? withAncestors(members, bundles) : members;
    const sorted = sortByVersion(all);
    const entries = sorted.map(({ bundle }, at) => {
      const entry = declaredEntry(bundle);
      return graph === "replaces-mode" ? entry : orderedEntry({ entry, sorted, at, graph });
    });
    return { name, package: bundles[0]?.blob.package ?? "", entries, properties: [] };
  });
}

/** A channel contains what its bundles replace, down to the oldest. */
function withAncestors(members: readonly DescribedBundle[], bundles: readonly DescribedBundle[]): DescribedBundle[] {
  const byName = new Map(bundles.map((bundle) => [bundle.blob.name, bundle]));
  const found = new Map<string, DescribedBundle>();
  for (const member of members)
    for (
      let bundle: DescribedBundle | undefined = member;
      bundle !== undefined && !found.has(bundle.blob.name);
      bundle = byName.get(bundle.replaces)
    )
      found.set(bundle.blob.name, bundle);
  return [...found.values()];
}

function declaredEntry({ blob, replaces, skips, skipRange }: DescribedBundle): ChannelEntry {
  return {
    name: blob.name,
    ...(replaces === "" ? {} : { replaces }),
    skips,
    ...(skipRange === "" ? {} : { skipRange }),
  };
}

interface Versioned {
  readonly bundle: DescribedBundle;
  readonly version: Version;
}

/** Bundles in ascending order of their versions. */
export function sortByVersion(bundles: readonly DescribedBundle[]): Versioned[] {
  return bundles
    .map((bundle) => {
      const version = parseVersion(bundle.version);
      if (version === undefined)
        throw new CatalogError(
          "Invalid",
          `Bundle version ${quote(bundle.version)} of ${quote(bundle.blob.name)} is not valid`,
        );
      return { bundle, version };
    })
    .sort((a, b) => compareVersions(a.version, b.version) || compareText(a.bundle.blob.name, b.bundle.blob.name));
}

interface Ordered {
  readonly entry: ChannelEntry;
  readonly sorted: readonly Versioned[];
  readonly at: number;
  readonly graph: "semver-mode" | "semver-skippatch-mode";
}

/** The edges that follow from the versions. The newest patch replaces what its oldest patch would, and skips the patches between. */
function orderedEntry({ entry, sorted, at, graph }: Ordered): ChannelEntry {
  const isNewestPatch = !isSameMinor(sorted[at], sorted[at + 1]);
  let below = at - 1;
  const skipped: string[] = [];
  if (graph === "semver-skippatch-mode" && isNewestPatch)
    for (; below >= 0 && isSameMinor(sorted[at], sorted[below]); below--) skipped.push(nameOf(sorted[below]));
  const replaces = below >= 0 ? nameOf(sorted[below]) : "";
  const { replaces: _declared, ...rest } = entry;
  const skips = [...new Set([...entry.skips, ...skipped.toReversed()])].filter((name) => name !== replaces);
  return { ...rest, ...(replaces === "" ? {} : { replaces }), skips };
}

function nameOf(versioned: Versioned | undefined): string {
  return versioned?.bundle.blob.name ?? "";
}

function isSameMinor(a: Versioned | undefined, b: Versioned | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  return a.version.major === b.version.major && a.version.minor === b.version.minor;
}
