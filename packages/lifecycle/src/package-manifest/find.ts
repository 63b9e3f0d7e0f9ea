/** Finds the PackageManifests that a namespace sees: those of its own catalogs, and those of the global namespace. */
import { type CatalogPackage, openRegistryClient, type RegistryClient, toApiBundle } from "@capstan/bundle";
import { catalogKey } from "../catalog-source/store.ts";
import type { CatalogStore } from "../catalog-source/store.ts";
import type { CatalogSource } from "../kinds/catalog-source.ts";
import type { ClusterServiceVersion } from "../kinds/csv.ts";
import { channelHeads, type PackageManifest, toPackageManifest } from "./manifest.ts";

/** Where the packages come from. */
export interface PackageSources {
  readonly sources: () => Promise<readonly CatalogSource[]>;
  readonly catalogs: Pick<CatalogStore, "get">;
  readonly globalNamespace: string;
  /** Opens a connection to the registry at the address of a catalog, which holds the content of bundles that have images. */
  readonly openRegistry?: (address: string) => Promise<RegistryClient>;
}

/** What is asked for. Without a namespace, the packages of all; without a name, all packages. */
export interface PackageQuery {
  readonly namespace?: string;
  readonly name?: string;
}

/**
 * The manifests, one after the other, so that a list of hundreds of packages never stands in memory as a whole. The own catalogs of a
 * namespace come first, then those with the highest priority, so that a name that several catalogs have means the same one each time.
 */
export async function* findPackages(parts: PackageSources, query: PackageQuery): AsyncGenerator<PackageManifest> {
  const sources = visible(await parts.sources(), parts.globalNamespace, query.namespace);
  for (const source of sources) {
    const catalog = parts.catalogs.get(catalogKey(source.metadata))?.content?.catalog;
    if (catalog === undefined) continue;
    const packages = [...catalog.packages.values()]
      .filter(({ name }) => query.name === undefined || name === query.name)
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    if (packages.length === 0) continue;
    using heads = headReader(source, parts);
    for (const of of packages) {
      const manifest = toPackageManifest({ source, package: of, heads: await heads.read(of) });
      if (manifest === undefined) continue;
      // Clients expect objects of the namespace that they asked for.
      const namespace = query.namespace ?? manifest.metadata.namespace;
      yield { ...manifest, metadata: { ...manifest.metadata, namespace } };
    }
  }
}

function visible(
  sources: readonly CatalogSource[],
  globalNamespace: string,
  namespace: string | undefined,
): readonly CatalogSource[] {
  const rank = ({ metadata }: CatalogSource): number => (metadata.namespace === namespace ? 0 : 1);
  const priority = ({ spec }: CatalogSource): number => -(spec.priority ?? 0);
  return sources
    .filter(
      ({ metadata }) =>
        namespace === undefined || metadata.namespace === namespace || metadata.namespace === globalNamespace,
    )
    .toSorted((a, b) => rank(a) - rank(b) || priority(a) - priority(b) || (a.metadata.name < b.metadata.name ? -1 : 1));
}

interface HeadReader extends Disposable {
  readonly read: (of: CatalogPackage) => Promise<ReadonlyMap<string, ClusterServiceVersion>>;
}

/** Reads the ClusterServiceVersions at the heads of channels, each bundle once. */
function headReader({ spec }: CatalogSource, { openRegistry = connect }: PackageSources): HeadReader {
  const address = spec.sourceType === "grpc" ? (spec.address ?? "") : "";
  let client: RegistryClient | undefined;
  const remote = async (of: CatalogPackage, channel: string): Promise<string> => {
    client ??= await openRegistry(address);
    const [found] = await client.call("GetBundleForChannel", { pkgName: of.name, channelName: channel });
    return (found as { readonly csvJson?: string } | undefined)?.csvJson ?? "";
  };
  return {
    read: async (of) => {
      const heads = new Map<string, ClusterServiceVersion>();
      const known = new Map<string, ClusterServiceVersion | undefined>();
      for (const { channel, head } of channelHeads(of)) {
        if (!known.has(head)) {
          const local = localCsv(of, channel.name, head);
          const text = local === "" && address !== "" ? await remote(of, channel.name).catch(() => "") : local;
          known.set(head, parse(text));
        }
        const csv = known.get(head);
        if (csv !== undefined) heads.set(channel.name, csv);
      }
      return heads;
    },
    [Symbol.dispose]: () => client?.[Symbol.dispose](),
  };
}

async function connect(address: string): Promise<RegistryClient> {
  return openRegistryClient({ address });
}

/** The ClusterServiceVersion in the catalog itself, as JSON; empty if the catalog does not have it. */
function localCsv(of: CatalogPackage, channelName: string, name: string): string {
  const found = of.bundles.get(name);
  const channel = of.channels.get(channelName);
  if (found === undefined || channel === undefined) return "";
  const objects = found.properties.filter(({ type }) => type === "olm.bundle.object");
  const bundle = { ...found, readLarge: () => [...objects, ...(found.readLarge?.() ?? [])] };
  return toApiBundle({ package: of, channel, bundle }, "single").csvJson;
}

function parse(text: string): ClusterServiceVersion | undefined {
  try {
    const value = JSON.parse(text) as ClusterServiceVersion | null;
    return typeof value?.spec === "object" && typeof value.metadata.name === "string" ? value : undefined;
  } catch {
    // A channel whose head cannot be read is left out, as in the original.
    return undefined;
  }
}
