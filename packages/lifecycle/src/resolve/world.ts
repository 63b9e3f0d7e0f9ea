/** What a resolution can choose from: the sources of entries in their order of preference, with lookups. */
import type { CatalogBundle } from "@capstan/bundle";
import { sortChannel } from "./channel.ts";
import type { Entry } from "./entry.ts";
import type { Requirement } from "./requirement.ts";
import type { CatalogReference, CatalogSnapshot, ResolutionInput } from "./resolution.ts";
import { toCatalogSource, toInstalledSource, type Source } from "./source.ts";

/** The installed operators and the catalogs that a namespace sees. */
export interface World {
  readonly namespace: string;
  readonly installed: Source;
  readonly catalogs: readonly Source[];
}

/** The world of a namespace, and the catalogs in it that cannot be read. */
export function toWorld(input: ResolutionInput): { readonly world: World; readonly errors: readonly string[] } {
  const { namespace, globalNamespace, excludesGlobalCatalogs = false } = input;
  const visible = input.catalogs.filter(
    (one) => one.namespace === namespace || (one.namespace === globalNamespace && !excludesGlobalCatalogs),
  );
  const catalogs = visible.flatMap((one) => (one.state === "ready" ? [toCatalogSource(one.catalog, one)] : []));
  const errors = visible.flatMap((one) => (one.state === "failed" ? [errorText(one)] : []));
  return { world: { namespace, installed: toInstalledSource(input.installed, namespace), catalogs }, errors };
}

function errorText({ namespace, name, error }: CatalogSnapshot & { readonly error: string }): string {
  return `error using catalogsource ${namespace}/${name}: ${error}`;
}

/** The catalog of a name, or none. */
export function findCatalog({ catalogs }: World, { name, namespace }: CatalogReference): Source | undefined {
  return catalogs.find(({ reference }) => reference.name === name && reference.namespace === namespace);
}

/**
 * The entries that meet a requirement, the preferred ones first: installed ones, then the catalog of the dependent,
 * then catalogs by priority, then those of the namespace before global ones, then by name. Within a catalog: default
 * channels first, then by package and channel, from the head down.
 */
export function candidatesFor(world: World, requirement: Requirement, preferred: CatalogReference): Entry[] {
  const catalogs = world.catalogs.toSorted((a, b) => compareCatalogs(a, b, { preferred, namespace: world.namespace }));
  return [world.installed, ...catalogs].flatMap((source) => candidatesIn(source, requirement));
}

/** The bundles of a name in the catalogs of an input. */
export function findBundles({ catalogs }: ResolutionInput, name: string): CatalogBundle[] {
  const ready = catalogs.flatMap((one) => (one.state === "ready" ? [...one.catalog.packages.values()] : []));
  return ready.flatMap(({ bundles }) => bundles.get(name) ?? []);
}

function compareCatalogs(
  a: Source,
  b: Source,
  { preferred, namespace }: { readonly preferred: CatalogReference; readonly namespace: string },
): number {
  const isPreferred = ({ reference }: Source): boolean =>
    reference.name === preferred.name && reference.namespace === preferred.namespace;
  return (
    Number(isPreferred(b)) - Number(isPreferred(a)) ||
    b.priority - a.priority ||
    Number(b.reference.namespace === namespace) - Number(a.reference.namespace === namespace) ||
    compareText(a.reference.name, b.reference.name)
  );
}

/** The order of names: by their bytes, not by a language. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function candidatesIn(source: Source, requirement: Requirement): Entry[] {
  const meeting = narrowed(source, requirement).filter((entry) => requirement.isMetBy(entry));
  // Installed operators have no channels, so there is no order of replacement between them.
  if (source.isInstalled) return meeting.toSorted((a, b) => compareText(a.name, b.name));
  const channels = new Map(meeting.map((entry) => [`${entry.package}/${entry.channel}`, entry]));
  const wanted = new Set(meeting);
  return [...channels.values()]
    .toSorted(compareChannels)
    .flatMap((entry) => channelOf(source, entry))
    .filter((entry) => wanted.has(entry));
}

function narrowed({ entries, byApi, byPackage }: Source, { narrowing }: Requirement): readonly Entry[] {
  if (narrowing === undefined) return entries;
  return (narrowing.type === "api" ? byApi : byPackage).get(narrowing.key) ?? [];
}

function compareChannels(a: Entry, b: Entry): number {
  return (
    Number(b.isDefaultChannel) - Number(a.isDefaultChannel) ||
    compareText(a.package, b.package) ||
    compareText(a.channel, b.channel)
  );
}

/** The whole channel of an entry in order: the order needs the entries that do not meet the requirement, too. */
function channelOf({ byPackage }: Source, { package: name, channel }: Entry): Entry[] {
  return sortChannel((byPackage.get(name) ?? []).filter((one) => one.package === name && one.channel === channel));
}
