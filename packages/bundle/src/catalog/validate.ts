/** The checks of a whole package: its channels, their graphs and their bundles. */
import { quote } from "@capstan/model";
import { compareText } from "../decode/json.ts";
import { readRange } from "../semver-range.ts";
import { parseVersion } from "../semver.ts";
import { type ProblemTree, treeOf } from "./errors.ts";
import { graphProblem } from "./graph.ts";
import type { CatalogBundle, CatalogPackage, Channel, ChannelEntry } from "./model.ts";

/** All that is wrong with a package. */
export function packageProblems(of: CatalogPackage): ProblemTree | undefined {
  return treeOf(`invalid package ${quote(of.name)}`, [
    of.defaultChannel === "" ? "default channel must be set" : undefined,
    of.channels.size === 0 ? "package must contain at least one channel" : undefined,
    ...[...of.channels.values()].map((channel) => channelProblems(channel, of)),
    duplicateVersions(of),
    deprecationProblem(of.deprecation),
  ]);
}

function deprecationProblem(message: string | undefined): string | undefined {
  return message === "" ? "invalid deprecation: message must be set" : undefined;
}

function channelProblems(channel: Channel, of: CatalogPackage): ProblemTree | undefined {
  const isEmpty = channel.entries.size === 0;
  return treeOf(`invalid channel ${quote(channel.name)}`, [
    isEmpty ? "channel must contain at least one bundle" : graphProblem(channel),
    ...[...channel.entries.values()].map((entry) => entryProblems(entry, of)),
    deprecationProblem(channel.deprecation),
  ]);
}

/** The problems of an entry with its bundle. An entry without one has neither image nor version. */
function entryProblems(entry: ChannelEntry, of: CatalogPackage): ProblemTree | undefined {
  const bundle = of.bundles.get(entry.name);
  return treeOf(`invalid bundle ${quote(entry.name)}`, [
    entry.name === "" ? "name must be set" : undefined,
    nameProblem(bundle),
    ...entry.skips.map((skip, at) => (skip === "" ? `skip[${at}] is empty` : undefined)),
    rangeProblem(entry.skipRange),
    bundle === undefined ? `must be exactly one property with type "olm.package"` : undefined,
    (bundle?.image ?? "") === "" && bundle?.hasObjects !== true ? "bundle image must be set" : undefined,
    deprecationProblem(bundle?.deprecation),
    hasBuild(bundle) && bundle?.release !== undefined
      ? "cannot use build metadata in version with a release version"
      : undefined,
  ]);
}

function hasBuild(bundle: CatalogBundle | undefined): boolean {
  return (parseVersion(bundle?.version ?? "")?.build.length ?? 0) > 0;
}

/** A bundle with a release has both in its name. */
function nameProblem(bundle: CatalogBundle | undefined): string | undefined {
  if (bundle?.release === undefined) return undefined;
  const wanted = `${bundle.package}-v${bundle.version}-${bundle.release}`;
  return bundle.name === wanted
    ? undefined
    : `name ${quote(bundle.name)} does not match normalized name ${quote(wanted)}`;
}

function rangeProblem(range: string | undefined): string | undefined {
  const read = range === undefined ? undefined : readRange(range);
  return read !== undefined && "problem" in read
    ? `invalid skipRange ${quote(range ?? "")}: ${read.problem}`
    : undefined;
}

/** Versions that several bundles have. */
function duplicateVersions({ channels, bundles }: CatalogPackage): string | undefined {
  const names = new Set([...channels.values()].flatMap(({ entries }) => [...entries.keys()]));
  const versions = Map.groupBy([...names], (name) => versionOf(bundles.get(name)));
  const doubled = [...versions]
    .filter(([, found]) => found.length > 1)
    .sort(([a], [b]) => compareText(a, b))
    .map(([version, found]) => `{${version}: [${found.sort(compareText).join(", ")}]}`);
  return doubled.length === 0 ? undefined : `duplicate versions found in bundles: [${doubled.join(" ")}]`;
}

/** An entry without a bundle has the zero version. */
function versionOf(bundle: CatalogBundle | undefined): string {
  if (bundle === undefined) return "0.0.0";
  return bundle.release === undefined ? bundle.version : `${bundle.version}-${bundle.release}`;
}
