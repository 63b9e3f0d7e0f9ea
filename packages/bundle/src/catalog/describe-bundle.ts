/** The blob of a bundle from its files: what `opm render` makes of a bundle's folder or image. */
import { quote, type Json, toGoJson } from "@capstan/model";
import { decode } from "../decode/decode.ts";
import { csvType } from "../decode/csv-type.ts";
import { compareText, isObject, type JsonObject, toSortedJson } from "../decode/json.ts";
import { type BundleFiles, filesIn } from "../read/files.ts";
import { readMetadata } from "../read/metadata.ts";
import { kindOf, readObject, textAt } from "../read/object.ts";
import { type BundleBlob, isLarge } from "./blobs.ts";
import { readBundleProperties } from "./bundle-properties.ts";
import { toCsvMetadata } from "./csv-metadata.ts";
import { CatalogError } from "./errors.ts";
import { relatedImagesOf } from "./related-images.ts";
import type { Property } from "./model.ts";

/** How a bundle becomes a blob. */
export interface DescribeOptions {
  /** The reference of its image; empty for a folder without one. */
  readonly image: string;
  /** Whether the ClusterServiceVersion is kept as metadata, or all objects as they are. */
  readonly content: "csv-metadata" | "objects";
}

/** A bundle as a catalog needs it: the blob, and the edges that its ClusterServiceVersion names. */
export interface DescribedBundle {
  readonly blob: BundleBlob;
  readonly version: string;
  readonly replaces: string;
  readonly skips: readonly string[];
  readonly skipRange: string;
  readonly channels: readonly string[];
  readonly defaultChannel: string;
  readonly csv: JsonObject;
}

/** Describes a bundle. Files that are no objects are left out, as the original does. */
export function describeBundle(files: BundleFiles, { image, content }: DescribeOptions): DescribedBundle {
  const objects = readObjects(files);
  const csv = objects.find(isCsv);
  if (objects.length === 0) throw bad("no bundle objects found");
  if (csv === undefined) throw bad("no csv in bundle");
  const metadata = readMetadata(files);
  if (!metadata.inPlace) throw bad("Could not find annotations file");
  const name = textAt(csv, "metadata", "name");
  const version = textAt(csv, "spec", "version");
  const input = { files, objects, csv, metadata, version };
  const properties = readBundleProperties(input);
  const large: Property[] =
    content === "objects" || image === "" ? objects.map(toObjectProperty) : [toCsvMetadataProperty(csv)];
  const sorted = large.sort((a, b) => compareText(toGoJson(a.value as Json), toGoJson(b.value as Json)));
  return {
    blob: {
      name,
      package: metadata.package,
      image,
      properties: properties.filter((property) => !isLarge(property)),
      readLarge: () => sorted,
      hasObjects: sorted.some(({ type }) => type === "olm.bundle.object"),
      relatedImages: relatedImagesOf(csv, image),
    },
    version,
    replaces: textAt(csv, "spec", "replaces"),
    skips: textsAt(csv, "spec", "skips"),
    skipRange: textAt(csv, "metadata", "annotations", "olm.skipRange"),
    channels: metadata.channels.filter((channel) => channel !== ""),
    defaultChannel: metadata.defaultChannel,
    csv,
  };
}

function bad(problem: string): CatalogError {
  return new CatalogError("BadReference", problem);
}

/** The objects of the manifests; only the first ClusterServiceVersion counts. */
function readObjects(files: BundleFiles): JsonObject[] {
  let hasCsv = false;
  const objects: JsonObject[] = [];
  for (const [name, bytes] of filesIn(files, "manifests")) {
    if (name.startsWith(".")) continue;
    const read = readObject(bytes);
    if ("problem" in read || (isCsv(read.value) && hasCsv)) continue;
    hasCsv ||= isCsv(read.value);
    objects.push(read.value);
  }
  return objects;
}

function isCsv(object: JsonObject): boolean {
  return kindOf(object).kind === "ClusterServiceVersion";
}

function toObjectProperty(object: JsonObject): Property {
  const data = Buffer.from(toGoJson(toSortedJson(object))).toString("base64");
  return { type: "olm.bundle.object", value: { data } };
}

/** The property with what a catalog keeps of a ClusterServiceVersion. */
export function toCsvMetadataProperty(csv: JsonObject): Property {
  const { value, problem } = decode(csv, csvType, "json");
  if (problem !== undefined) throw bad(`ClusterServiceVersion ${quote(textAt(csv, "metadata", "name"))}: ${problem}`);
  return { type: "olm.csv.metadata", value: toCsvMetadata(isObject(value) ? value : {}) };
}

function textsAt(value: JsonObject, ...path: readonly string[]): string[] {
  let found: Json | undefined = value;
  for (const name of path) found = isObject(found) ? found[name] : undefined;
  return Array.isArray(found) ? (found as readonly Json[]).filter((item) => typeof item === "string") : [];
}
