/** Turns the blobs of a catalog into its model, with the checks and the messages of `opm validate`. */
import { checkDns1123Label, quote } from "@capstan/model";
import { isObject } from "../decode/json.ts";
import { preProblem, readVersion } from "../semver.ts";
import { referenceProblem } from "../validate/image-reference.ts";
import { type BundleBlob, type DeprecationsBlob, schemas } from "./blobs.ts";
import type { CatalogConfig } from "./config.ts";
import { CatalogError, formatProblems, treeOf } from "./errors.ts";
import type { Catalog, CatalogBundle, CatalogPackage, Channel, Property } from "./model.ts";
import { packageProblems } from "./validate.ts";

/** A package that is being put together. */
export interface PackageDraft extends CatalogPackage {
  readonly channels: Map<string, Channel>;
  readonly bundles: Map<string, CatalogBundle>;
  deprecation?: string;
}

/** The model of a catalog; an invalid catalog fails with all that is wrong. */
export function toCatalog(config: CatalogConfig): Catalog {
  const packages = toDrafts(config);
  const problems = treeOf(
    "invalid index",
    [...packages.values()].map((draft) => packageProblems(draft)),
  );
  if (problems !== undefined) throw new CatalogError("Invalid", formatProblems(problems));
  return { packages };
}

/** The valid packages of a catalog, and the problems of each other one. */
export interface PartialCatalog extends Catalog {
  readonly problems: ReadonlyMap<string, string>;
}

/** Like `toCatalog`, but a defect takes out only its own package. */
export function toPartialCatalog(config: CatalogConfig): PartialCatalog {
  const packages = new Map<string, CatalogPackage>();
  const problems = new Map<string, string>();
  for (const [name, part] of byPackage(config)) {
    try {
      for (const [key, found] of toCatalog(part).packages) packages.set(key, found);
    } catch (error) {
      if (!(error instanceof CatalogError)) throw error;
      problems.set(name, error.message);
    }
  }
  return { packages, problems };
}

/** The blobs of each package. */
export function byPackage(config: CatalogConfig): Map<string, CatalogConfig> {
  const found = new Map<string, { [K in keyof CatalogConfig]: CatalogConfig[K][number][] }>();
  const at = (name: string) => {
    const part = found.get(name) ?? { packages: [], channels: [], bundles: [], deprecations: [], others: [] };
    found.set(name, part);
    return part;
  };
  for (const blob of config.packages) at(blob.name).packages.push(blob);
  for (const blob of config.channels) at(blob.package).channels.push(blob);
  for (const blob of config.bundles) at(blob.package).bundles.push(blob);
  for (const blob of config.deprecations) at(blob.package).deprecations.push(blob);
  for (const blob of config.others) if (blob.package !== "") at(blob.package).others.push(blob);
  return found;
}

function toDrafts(config: CatalogConfig): Map<string, PackageDraft> {
  const drafts = new Map<string, PackageDraft>();
  addPackages(drafts, config);
  const undefinedEntries = addChannels(drafts, config);
  addBundles(drafts, { config, undefinedEntries });
  for (const [name, entries] of undefinedEntries)
    if (entries.size > 0)
      throw invalid(
        `no olm.bundle blobs found in package ${quote(name)} for olm.channel entries [${[...entries].sort().join(" ")}]`,
      );
  for (const draft of drafts.values()) addDefaultChannel(draft);
  addDeprecations(drafts, config.deprecations);
  return drafts;
}

function invalid(problem: string): CatalogError {
  return new CatalogError("Invalid", problem);
}

function addPackages(drafts: Map<string, PackageDraft>, { packages }: CatalogConfig): void {
  for (const { name, defaultChannel, icon, description, properties } of packages) {
    if (name === "") throw invalid("config contains package with no name");
    if (drafts.has(name)) throw invalid(`duplicate package ${quote(name)}`);
    const problems = checkDns1123Label(name);
    if (problems.length > 0) throw invalid(`invalid package name ${quote(name)}: [${problems.join(" ")}]`);
    drafts.set(name, {
      name,
      defaultChannel,
      ...(description === undefined ? {} : { description }),
      ...(icon === undefined ? {} : { icon: { data: icon.base64data, mediaType: icon.mediatype } }),
      channels: new Map(),
      bundles: new Map(),
      properties,
    });
  }
}

/** Adds the channels; the result is the entries of each package's last channel, as the original checks only these for bundles. */
function addChannels(drafts: Map<string, PackageDraft>, { channels }: CatalogConfig): Map<string, Set<string>> {
  const entriesOf = new Map<string, Set<string>>();
  for (const { name, package: packageName, entries, properties } of channels) {
    const draft = drafts.get(packageName);
    if (draft === undefined) throw invalid(`unknown package ${quote(packageName)} for channel ${quote(name)}`);
    if (name === "") throw invalid(`package ${quote(packageName)} contains channel with no name`);
    if (draft.channels.has(name)) throw invalid(`package ${quote(packageName)} has duplicate channel ${quote(name)}`);
    const found = new Map<string, (typeof entries)[number]>();
    for (const entry of entries) {
      if (found.has(entry.name))
        throw invalid(
          `invalid package ${quote(packageName)}, channel ${quote(name)}: duplicate entry ${quote(entry.name)}`,
        );
      found.set(entry.name, entry);
    }
    draft.channels.set(name, { name, package: packageName, entries: found, properties });
    entriesOf.set(packageName, new Set(found.keys()));
  }
  return entriesOf;
}

interface BundleInput {
  readonly config: CatalogConfig;
  readonly undefinedEntries: ReadonlyMap<string, Set<string>>;
}

function addBundles(drafts: Map<string, PackageDraft>, { config, undefinedEntries }: BundleInput): void {
  for (const blob of config.bundles) {
    if (blob.package === "") throw invalid(`package name must be set for bundle ${quote(blob.name)}`);
    const draft = drafts.get(blob.package);
    if (draft === undefined) throw invalid(`unknown package ${quote(blob.package)} for bundle ${quote(blob.name)}`);
    if (draft.bundles.has(blob.name))
      throw invalid(`package ${quote(blob.package)} has duplicate bundle ${quote(blob.name)}`);
    const bundle = toBundle(blob);
    undefinedEntries.get(blob.package)?.delete(blob.name);
    if (![...draft.channels.values()].some(({ entries }) => entries.has(blob.name)))
      throw invalid(`package ${quote(blob.package)}, bundle ${quote(blob.name)} not found in any channel entries`);
    draft.bundles.set(blob.name, bundle);
  }
}

/** The package property of a bundle: what it is called and which version it has. */
export interface PackageProperty {
  readonly packageName: string;
  readonly version: string;
  readonly release: string;
}

/** The package properties among properties. */
export function packageProperties(properties: readonly Property[]): PackageProperty[] {
  return properties
    .filter(({ type }) => type === schemas.package)
    .map(({ value }) => {
      const found = isObject(value) ? value : {};
      const textOf = (key: string): string => (typeof found[key] === "string" ? found[key] : "");
      return { packageName: textOf("packageName"), version: textOf("version"), release: textOf("release") };
    });
}

function toBundle(blob: BundleBlob): CatalogBundle {
  const { name, package: packageName, image, properties, relatedImages, readLarge } = blob;
  if (blob.propertyProblem !== undefined)
    throw invalid(`parse properties for bundle ${quote(name)}: ${blob.propertyProblem}`);
  const found = packageProperties(properties);
  const where = `package ${quote(packageName)} bundle ${quote(name)}`;
  const [property] = found;
  if (property === undefined || found.length !== 1)
    throw invalid(`${where} must have exactly 1 "olm.package" property, found ${found.length}`);
  if (property.packageName !== packageName)
    throw invalid(`package ${quote(packageName)} does not match "olm.package" property ${quote(property.packageName)}`);
  checkImage(image, `${where} image`);
  for (const [at, related] of relatedImages.entries()) checkImage(related.image, `${where} relatedImages[${at}].image`);
  const { version, release } = property;
  const reading = readVersion(version);
  if ("problem" in reading)
    throw invalid(`error parsing bundle ${quote(name)} version ${quote(version)}: ${reading.problem}`);
  const problem = releaseProblem(release);
  if (problem !== undefined)
    throw invalid(`error parsing bundle ${quote(name)} release version ${quote(release)}: ${problem}`);
  return {
    name,
    package: packageName,
    image,
    version,
    ...(release === "" ? {} : { release }),
    properties,
    readLarge,
    relatedImages,
    ...(blob.hasObjects ? { hasObjects: true } : {}),
  };
}

function checkImage(image: string, where: string): void {
  const problem = image === "" ? undefined : referenceProblem(image);
  if (problem !== undefined) throw invalid(`${where}: invalid image pull spec ${quote(image)}: ${problem}`);
}

const maxRelease = 20;

/** The problem of a release: dot-separated identifiers as of a pre-release. */
export function releaseProblem(release: string): string | undefined {
  if (release === "") return undefined;
  if (release.length > maxRelease)
    return `invalid release ${quote(release)}: exceeds maximum length of ${maxRelease} characters`;
  const problems = release.split(".").flatMap((segment, at) => {
    const problem = preProblem(segment);
    return problem === undefined ? [] : [`segment ${at}: ${problem}`];
  });
  return problems.length === 0 ? undefined : `invalid release ${quote(release)}: ${problems.join("\n")}`;
}

/** A default channel that does not exist counts as one without entries. */
function addDefaultChannel({ name, defaultChannel, channels }: PackageDraft): void {
  if (defaultChannel === "" || channels.has(defaultChannel)) return;
  channels.set(defaultChannel, { name: defaultChannel, package: name, entries: new Map(), properties: [] });
}

function addDeprecations(drafts: Map<string, PackageDraft>, deprecations: readonly DeprecationsBlob[]): void {
  const seen = new Set<string>();
  for (const [at, { package: name, entries }] of deprecations.entries()) {
    if (name === "") throw invalid(`package name must be set for deprecation item ${at}`);
    const draft = drafts.get(name);
    if (draft === undefined) throw invalid(`cannot apply deprecations to an unknown package ${quote(name)}`);
    if (seen.has(name)) throw invalid(`expected a maximum of one deprecation per package: ${quote(name)}`);
    seen.add(name);
    const references = new Set<string>();
    for (const [index, { reference, message }] of entries.entries()) {
      if (reference.schema === "")
        throw invalid(`schema must be set for deprecation entry [${index}] for package ${quote(name)}`);
      const key = formatDeprecated(reference);
      if (references.has(key)) throw invalid(`duplicate deprecation entry ${key} for package ${quote(name)}`);
      references.add(key);
      deprecate(draft, { reference, message, index });
    }
  }
}

function formatDeprecated({ schema, name }: { readonly schema: string; readonly name: string }): string {
  return `declcfg.PackageScopedReference{Schema:${quote(schema)}, Name:${quote(name)}}`;
}

type Deprecated = DeprecationsBlob["entries"][number] & { readonly index: number };

function deprecate(draft: PackageDraft, { reference, message, index }: Deprecated): void {
  const { schema, name } = reference;
  const inPackage = `for package ${quote(draft.name)}`;
  switch (schema) {
    case schemas.bundle: {
      const bundle = draft.bundles.get(name);
      if (bundle === undefined) throw invalid(`cannot deprecate bundle ${quote(name)} ${inPackage}: bundle not found`);
      draft.bundles.set(name, { ...bundle, deprecation: message });
      return;
    }
    case schemas.channel: {
      const channel = draft.channels.get(name);
      if (channel === undefined)
        throw invalid(`cannot deprecate channel ${quote(name)} ${inPackage}: channel not found`);
      draft.channels.set(name, { ...channel, deprecation: message });
      return;
    }
    case schemas.package:
      if (name !== "")
        throw invalid(
          `package name must be empty for deprecated package ${quote(draft.name)} (specified ${quote(name)})`,
        );
      draft.deprecation = message;
      return;
    default:
      throw invalid(
        `cannot deprecate object ${formatDeprecated(reference)} referenced by entry ${index} ${inPackage}: object schema unknown`,
      );
  }
}
