/** Resolves a ClusterExtension: the bundle that the catalogs offer for its package, version range and channels. */
import {
  comparePre,
  compareVersions,
  parseRange,
  parseVersion,
  type Catalog,
  type CatalogBundle,
  type CatalogPackage,
  type Version,
} from "@capstan/bundle";
import { quote } from "@capstan/model";
import { readVersionRange } from "./version-range.ts";

/** What `spec.source.catalog` of a ClusterExtension asks for. */
export interface ExtensionRequest {
  readonly package: string;
  readonly version?: string;
  readonly channels?: readonly string[];
  /** SelfCertified allows every version, also lower ones. */
  readonly upgradeConstraintPolicy?: "CatalogProvided" | "SelfCertified";
}

/** A ClusterCatalog that is enabled and that the selector of the ClusterExtension matches. */
export type SelectedCatalog = { readonly name: string; readonly priority: number } & (
  | { readonly state: "ready"; readonly catalog: Catalog }
  | { readonly state: "failed"; readonly error: string }
);

/** The name and version of an installed bundle, as in `status.install.bundle`. */
export interface InstalledBundle {
  readonly name: string;
  readonly version: string;
}

/** The bundle to install, with its package for the deprecations; or why there is none. */
export type ExtensionResolution =
  | {
      readonly type: "resolved";
      readonly bundle: CatalogBundle;
      readonly from: CatalogPackage;
      readonly catalog: string;
    }
  | { readonly type: "failed"; readonly message: string };

interface Found {
  readonly bundle: CatalogBundle;
  readonly from: CatalogPackage;
  readonly catalog: string;
  readonly priority: number;
}

/** Selects a bundle: what is not deprecated first, then by the priority of the catalog, then the highest version. */
export function resolveExtension(
  request: ExtensionRequest,
  catalogs: readonly SelectedCatalog[],
  installed?: InstalledBundle,
): ExtensionResolution {
  const reading =
    request.version === undefined || request.version === "" ? undefined : readVersionRange(request.version);
  if (reading !== undefined && "problem" in reading)
    return failed(`desired version range ${quote(request.version ?? "")} is invalid: ${reading.problem}`);
  const installedVersion = installed && releaseOf(installed.version);
  if (installed && installedVersion === undefined)
    return failed(
      `failed to get version and release of installed bundle: ${quote(installed.version)} is not a version`,
    );
  const broken = catalogs.find((one) => one.state === "failed");
  if (broken?.state === "failed")
    return failed(
      `error walking catalogs: error getting package ${quote(request.package)} from catalog ${quote(broken.name)}: ${broken.error}`,
    );
  const accepts = (bundle: CatalogBundle, from: CatalogPackage): boolean =>
    isInChannels(bundle, from, request) &&
    isInRange(bundle, reading?.range) &&
    (installed === undefined ||
      request.upgradeConstraintPolicy === "SelfCertified" ||
      isSuccessor(bundle, from, { request, installed }));
  const found = withoutDeprecated(catalogs.flatMap((one) => bestOf(one, request.package, accepts)));
  return select(found, { request, ...(installed && { installed }) });
}

function failed(message: string): ExtensionResolution {
  return { type: "failed", message };
}

function bestOf(
  source: SelectedCatalog,
  name: string,
  accepts: (bundle: CatalogBundle, from: CatalogPackage) => boolean,
): Found[] {
  const from = source.state === "ready" ? source.catalog.packages.get(name) : undefined;
  if (from === undefined) return [];
  const [bundle] = [...from.bundles.values()].filter((one) => accepts(one, from)).toSorted(compareBundles);
  return bundle === undefined ? [] : [{ bundle, from, catalog: source.name, priority: source.priority }];
}

/** Bundles that are not deprecated first, then the highest version, then the highest release. */
function compareBundles(a: CatalogBundle, b: CatalogBundle): number {
  const deprecated = Number(a.deprecation !== undefined) - Number(b.deprecation !== undefined);
  if (deprecated !== 0) return deprecated;
  const [left, right] = [releaseOf(a.version), releaseOf(b.version)];
  if (left === undefined || right === undefined) return Number(left === undefined) - Number(right === undefined);
  return compareReleases(right, left);
}

/** A version, and the release that its build metadata states: `1.0.0+2` is the release 2 of 1.0.0. */
interface VersionRelease {
  readonly version: Version;
  readonly release: Version["pre"];
}

function releaseOf(text: string): VersionRelease | undefined {
  const version = parseVersion(text);
  if (version === undefined) return undefined;
  const release = parseVersion(`0.0.0-${version.build.join(".")}`)?.pre;
  return release === undefined || version.build.length === 0
    ? { version, release: [] }
    : { version: { ...version, build: [] }, release };
}

function compareReleases(a: VersionRelease, b: VersionRelease): number {
  const order = compareVersions(a.version, b.version);
  if (order !== 0) return order;
  if (a.release.length === 0 || b.release.length === 0) return a.release.length - b.release.length;
  return comparePre(a.release, b.release);
}

function isInChannels({ name }: CatalogBundle, { channels }: CatalogPackage, request: ExtensionRequest): boolean {
  const wanted = request.channels ?? [];
  if (wanted.length === 0) return true;
  return wanted.some((channel) => channels.get(channel)?.entries.has(name) ?? false);
}

function isInRange({ version }: CatalogBundle, range?: (version: Version) => boolean): boolean {
  if (range === undefined) return true;
  const release = releaseOf(version);
  return release !== undefined && range(release.version);
}

interface Upgrade {
  readonly request: ExtensionRequest;
  readonly installed: InstalledBundle;
}

/** The installed version itself, or an entry that replaces or skips it in one of the channels. */
function isSuccessor(bundle: CatalogBundle, { channels }: CatalogPackage, { request, installed }: Upgrade): boolean {
  const [current, next] = [releaseOf(installed.version), releaseOf(bundle.version)];
  if (current !== undefined && next !== undefined && compareReleases(current, next) === 0) return true;
  const version = parseVersion(installed.version);
  const wanted = request.channels ?? [];
  return [...channels.values()]
    .filter(({ name }) => wanted.length === 0 || wanted.includes(name))
    .flatMap(({ entries }) => entries.get(bundle.name) ?? [])
    .some(({ replaces, skips, skipRange = "" }) => {
      const inRange = skipRange !== "" && version !== undefined && (parseRange(skipRange)?.(version) ?? false);
      return replaces === installed.name || skips.includes(installed.name) || inRange;
    });
}

/** A catalog whose best bundle is deprecated loses to one whose best bundle is not. */
function withoutDeprecated(found: readonly Found[]): readonly Found[] {
  const current = found.filter(({ bundle }) => bundle.deprecation === undefined);
  return current.length > 0 ? current : found;
}

interface Question {
  readonly request: ExtensionRequest;
  readonly installed?: InstalledBundle;
}

function select(found: readonly Found[], question: Question): ExtensionResolution {
  const highest = Math.max(...found.map(({ priority }) => priority));
  const best = found.filter(({ priority }) => priority === highest);
  const [only] = best;
  // The message names all catalogs with a bundle, also those of a lower priority, as in the original.
  if (only === undefined || best.length > 1) return failed(noSingleBundle(found, question));
  const { bundle, from, catalog } = only;
  const dependency = bundle.properties.find(({ type }) => unsupported.has(type));
  if (dependency === undefined) return { type: "resolved", bundle, from, catalog };
  return failed(
    `validating bundle ${quote(bundle.name)}: bundle ${quote(bundle.name)} has a dependency declared via property ` +
      `${quote(dependency.type)} which is currently not supported`,
  );
}

const unsupported = new Set(["olm.package.required", "olm.gvk.required", "olm.constraint"]);

function noSingleBundle(found: readonly Found[], { request, installed }: Question): string {
  const channels = request.channels ?? [];
  const catalogs = found.map(({ catalog }) => catalog).toSorted();
  return [
    ...(installed ? [`error upgrading from currently installed version ${quote(installed.version)}:`] : []),
    `${found.length > 1 ? "found bundles" : "no bundles found"} for package ${quote(request.package)}`,
    ...(request.version ? [`matching version ${quote(request.version)}`] : []),
    ...(channels.length > 0 ? [`in channels [${channels.join(" ")}]`] : []),
    ...(catalogs.length > 1 ? [`in multiple catalogs with the same priority [${catalogs.join(" ")}]`] : []),
  ].join(" ");
}
