/** Reads the content of catalogs and bundles for the lifecycle manager. */
import type { Catalog } from "@capstan/bundle";
import { ConfigMap } from "@capstan/kinds/v1";
import {
  CatalogError,
  type CatalogOrigin,
  type CatalogSource,
  type Cluster,
  type Manifest,
  readConfigMapCatalog,
  type ReadCatalog,
} from "@capstan/lifecycle";

/** Reads a catalog from its origin. */
export async function readOrigin(origin: CatalogOrigin): Promise<ReadCatalog> {
  switch (origin.type) {
    case "config-map":
      return { catalog: readConfigMapCatalog(origin.data) };
    case "address":
    case "image":
      throw new CatalogError(
        "Unsupported",
        `catalogs by ${origin.type} cannot be read yet: put the catalog into a ConfigMap`,
      );
    default:
      return origin satisfies never;
  }
}

/** Reads the objects of a bundle from its image. */
export async function readBundleImageObjects(image: string): Promise<readonly Manifest[]> {
  throw new CatalogError(
    "Unsupported",
    `the bundle image ${image} cannot be read yet: put the objects into the catalog`,
  );
}

/** Reads the catalog of a CatalogSource, as the manager does. */
export async function readSource({ metadata, spec }: CatalogSource, cluster: Cluster): Promise<Catalog> {
  const { namespace = "" } = metadata;
  const { configMap = "", address = "", image = "", secrets = [] } = spec;
  if (configMap !== "") {
    const found = await cluster.get(ConfigMap, { namespace, name: configMap });
    if (found === undefined) throw new CatalogError("Unreachable", `the ConfigMap ${configMap} does not exist`);
    return readConfigMapCatalog(found.data ?? {});
  }
  const origin: CatalogOrigin =
    address === "" ? { type: "image", image, secrets, namespace } : { type: "address", address };
  return (await readOrigin(origin)).catalog;
}
