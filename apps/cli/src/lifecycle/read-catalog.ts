/** Reads the content of catalogs and bundles for the lifecycle manager. */
import {
  CatalogError,
  type CatalogOrigin,
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
