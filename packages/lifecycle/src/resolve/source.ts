/** Where entries come from: a catalog, or the operators that are installed, with lookup tables. */
import {
  parseRange,
  parseTolerant,
  type Catalog,
  type CatalogBundle,
  type Channel,
  type Property,
  type Version,
} from "@capstan/bundle";
import { apiOf, factsOf, fieldsOf, textOf, type Entry, type Facts } from "./entry.ts";
import type { CatalogReference, InstalledOperator } from "./resolution.ts";

/** The entries of a catalog, by what requirements ask for. */
export interface Source {
  readonly reference: CatalogReference;
  readonly priority: number;
  readonly isInstalled: boolean;
  readonly entries: readonly Entry[];
  readonly byPackage: ReadonlyMap<string, readonly Entry[]>;
  readonly byApi: ReadonlyMap<string, readonly Entry[]>;
}

type Tables = Pick<Source, "entries" | "byPackage" | "byApi">;

const known = new WeakMap<Catalog, Map<string, Tables>>();

/** The name of the source of installed operators. */
export const installedName = "@existing";

/** The entries of a catalog. The same catalog object is read once. */
export function toCatalogSource(catalog: Catalog, reference: CatalogReference & { readonly priority: number }): Source {
  const { name, namespace, priority } = reference;
  const key = `${namespace}/${name}`;
  const tables = known.get(catalog)?.get(key) ?? tablesOf(catalogEntries(catalog, { name, namespace }));
  known.set(catalog, (known.get(catalog) ?? new Map<string, Tables>()).set(key, tables));
  return { reference: { name, namespace }, priority, isInstalled: false, ...tables };
}

/** The operators that are installed in a namespace. */
export function toInstalledSource(installed: readonly InstalledOperator[], namespace: string): Source {
  const reference = { name: installedName, namespace };
  const entries = installed.map((one) => installedEntry(one, reference));
  return { reference, priority: 0, isInstalled: true, ...tablesOf(entries) };
}

function tablesOf(entries: readonly Entry[]): Tables {
  const [byPackage, byApi] = [new Map<string, Entry[]>(), new Map<string, Entry[]>()];
  for (const entry of entries) {
    for (const name of entry.facts.packageNames) if (name !== entry.package) append(byPackage, name, entry);
    append(byPackage, entry.package, entry);
    for (const api of entry.facts.apis) append(byApi, api, entry);
  }
  return { entries, byPackage, byApi };
}

function append(table: Map<string, Entry[]>, key: string, entry: Entry): void {
  const list = table.get(key);
  if (list === undefined) table.set(key, [entry]);
  else list.push(entry);
}

function catalogEntries(catalog: Catalog, reference: CatalogReference): Entry[] {
  return [...catalog.packages.values()].flatMap((one) => {
    const facts = new Map([...one.bundles.values()].map((bundle) => [bundle.name, readBundle(bundle)]));
    return [...one.channels.values()].flatMap((channel) =>
      channelEntries(channel, { reference, facts, bundles: one.bundles, defaultChannel: one.defaultChannel }),
    );
  });
}

/** What the entries of a bundle in several channels have in common. */
interface ReadBundle {
  readonly facts: Facts;
  readonly version?: Version;
}

function readBundle(bundle: CatalogBundle): ReadBundle {
  const facts = factsOf(resolvedProperties(bundle));
  const version = facts.packages[0]?.version ?? parseTolerant(bundle.version);
  return { facts, ...(version && { version }) };
}

interface PackageContext {
  readonly reference: CatalogReference;
  readonly facts: ReadonlyMap<string, ReadBundle>;
  readonly bundles: ReadonlyMap<string, CatalogBundle>;
  readonly defaultChannel: string;
}

function channelEntries(channel: Channel, { reference, facts, bundles, defaultChannel }: PackageContext): Entry[] {
  return [...channel.entries.values()].flatMap((entry): Entry[] => {
    const [bundle, known] = [bundles.get(entry.name), facts.get(entry.name)];
    // An entry without a bundle is a defect that the validation of the catalog reports.
    if (bundle === undefined || known === undefined) return [];
    const skipRange = entry.skipRange === undefined ? undefined : parseRange(entry.skipRange);
    return [
      {
        name: entry.name,
        package: channel.package,
        channel: channel.name,
        isDefaultChannel: channel.name === defaultChannel,
        catalog: reference,
        isInstalled: false,
        ...(entry.replaces === undefined || entry.replaces === "" ? {} : { replaces: entry.replaces }),
        skips: entry.skips,
        ...(skipRange && { skipRange }),
        ...known,
        bundle,
      },
    ];
  });
}

const withContent = new Set(["olm.bundle.object", "olm.csv.metadata"]);

/**
 * The properties that a registry serves: without the content of the bundle. The requirements of APIs and packages are
 * there twice, because the registry also serves them as dependencies; expressions over `properties` can see that.
 */
function resolvedProperties({ properties }: CatalogBundle): Property[] {
  const served = properties.filter(({ type }) => !withContent.has(type));
  return [...served, ...served.flatMap(asDependency)];
}

function asDependency({ type, value }: Property): Property[] {
  const fields = fieldsOf(value);
  if (type === "olm.gvk.required") return [{ type, value: apiOf(fields) }];
  if (type !== "olm.package.required") return [];
  const [packageName, versionRange] = [textOf(fields, "packageName"), textOf(fields, "versionRange")];
  return [{ type, value: { packageName, versionRange } }];
}

function installedEntry(operator: InstalledOperator, catalog: CatalogReference): Entry {
  const facts = factsOf(operator.properties);
  const version = parseTolerant(operator.version === "" ? "0.0.0" : operator.version);
  return {
    name: operator.name,
    package: facts.packages.at(-1)?.name ?? "",
    channel: "",
    isDefaultChannel: false,
    catalog,
    isInstalled: true,
    skips: [],
    ...(version && { version }),
    facts,
  };
}
