/** Replaces the objects of bundles by the metadata of their ClusterServiceVersions, as `opm migrate` does. */
import type { Json } from "@capstan/model";
import { isObject } from "../decode/json.ts";
import type { BundleBlob } from "./blobs.ts";
import type { CatalogConfig } from "./config.ts";
import { toCsvMetadataProperty } from "./describe-bundle.ts";
import type { Property } from "./model.ts";

/** A catalog without `olm.bundle.object`. Bundles without an image need their objects and keep them. */
export function migrateConfig(config: CatalogConfig): CatalogConfig {
  return { ...config, bundles: config.bundles.map(migrateBundle) };
}

/** One bundle with the metadata of its ClusterServiceVersion instead of its objects. */
export function migrateBundle(blob: BundleBlob): BundleBlob {
  if (blob.image === "" || !blob.hasObjects) return blob;
  const large = blob.readLarge();
  if (large.some(({ type }) => type === "olm.csv.metadata")) return blob;
  const csv = large.map(objectOf).find((object) => isObject(object) && object["kind"] === "ClusterServiceVersion");
  if (!isObject(csv)) return blob;
  const metadata = [toCsvMetadataProperty(csv)];
  return { ...blob, readLarge: () => metadata, hasObjects: false };
}

function objectOf({ value }: Property): Json {
  const data = isObject(value) && typeof value["data"] === "string" ? value["data"] : "";
  try {
    return JSON.parse(Buffer.from(data, "base64").toString("utf8")) as Json;
  } catch {
    return null;
  }
}
