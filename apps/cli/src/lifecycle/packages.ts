/** The packages that the catalogs of a cluster offer to a namespace. */
import type { Catalog, CatalogPackage } from "@capstan/bundle";
import { CatalogSource, type Cluster } from "@capstan/lifecycle";
import { readSource } from "./read-catalog.ts";

/** A package of a catalog. */
export interface OfferedPackage {
  readonly catalog: string;
  readonly catalogNamespace: string;
  readonly package: CatalogPackage;
}

/** What the catalogs offer, and which catalogs could not be read. */
export interface Offers {
  readonly packages: readonly OfferedPackage[];
  readonly problems: readonly string[];
}

/** Reads the catalogs that a namespace may use. */
export async function readOffers(
  cluster: Cluster,
  { namespace, global }: { readonly namespace: string; readonly global: string },
): Promise<Offers> {
  const places = [...new Set([namespace, global])];
  const packages: OfferedPackage[] = [];
  const problems: string[] = [];
  for (const place of places) {
    for (const source of await cluster.list(CatalogSource, { namespace: place })) {
      const { name } = source.metadata;
      try {
        const catalog: Catalog = await readSource(source, cluster);
        for (const each of catalog.packages.values())
          packages.push({ catalog: name, catalogNamespace: place, package: each });
      } catch (error) {
        problems.push(`catalog ${place}/${name}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }
  return { packages, problems };
}
