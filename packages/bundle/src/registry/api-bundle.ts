/** Bundles as the registry API sends them. */
import { type Json, toGoJson } from "@capstan/model";
import type { CatalogBundle, CatalogPackage, Channel, Property } from "../catalog/model.ts";
import { toCsv } from "../catalog/csv-metadata.ts";
import { escapeLines } from "../catalog/write.ts";
import { isObject, toSortedJson } from "../decode/json.ts";
import { parseYaml } from "../decode/yaml.ts";

interface Gvk {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

interface Pair {
  readonly type: string;
  readonly value: string;
}

/** The message api.Bundle. */
export interface ApiBundle {
  readonly csvName: string;
  readonly packageName: string;
  readonly channelName: string;
  readonly csvJson: string;
  readonly object: readonly string[];
  readonly bundlePath: string;
  readonly providedApis: readonly Gvk[];
  readonly requiredApis: readonly Gvk[];
  readonly version: string;
  readonly skipRange: string;
  readonly dependencies: readonly Pair[];
  readonly properties: readonly Pair[];
  readonly replaces: string;
  readonly skips: readonly string[];
  readonly deprecation?: { readonly message: string };
}

/** Where a bundle is: in a channel of a package. */
export interface BundlePlace {
  readonly package: CatalogPackage;
  readonly channel: Channel;
  readonly bundle: CatalogBundle;
}

/** How much of a bundle is sent: a list leaves out the content that its image has, a single bundle its edges. */
export type BundleView = "listed" | "single";

/** A bundle in a channel as a message. */
export function toApiBundle(place: BundlePlace, view: BundleView): ApiBundle {
  const { bundle, channel } = place;
  const entry = channel.entries.get(bundle.name);
  const isListed = view === "listed";
  const content = isListed && bundle.image !== "" ? { csvJson: "", object: [] } : contentOf(place);
  return {
    csvName: bundle.name,
    packageName: bundle.package,
    channelName: channel.name,
    ...content,
    bundlePath: bundle.image,
    providedApis: kindsOf(bundle.properties, "olm.gvk"),
    requiredApis: kindsOf(bundle.properties, "olm.gvk.required"),
    version: bundle.version,
    skipRange: entry?.skipRange ?? "",
    dependencies: bundle.properties.flatMap(toDependency),
    properties: bundle.properties.map(({ type, value }) => ({ type, value: toText(value) })),
    replaces: isListed ? (entry?.replaces ?? "") : "",
    skips: isListed ? (entry?.skips ?? []) : [],
    ...(bundle.deprecation === undefined ? {} : { deprecation: { message: bundle.deprecation } }),
  };
}

/** The text of a value without spaces. */
function toText(value: unknown): string {
  return escapeLines(JSON.stringify(value));
}

/** The kinds that a bundle provides or requires. */
export function kindsOf(properties: readonly Property[], type: "olm.gvk" | "olm.gvk.required"): Gvk[] {
  return properties
    .filter((property) => property.type === type)
    .map(({ value }) => {
      const { group, version, kind } = isObject(value) ? value : {};
      return { group: textOf(group), version: textOf(version), kind: textOf(kind) };
    });
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

function toDependency({ type, value }: Property): Pair[] {
  if (type === "olm.gvk.required") return [{ type: "olm.gvk", value: toText(value) }];
  if (type !== "olm.package.required" || !isObject(value)) return [];
  const packageName = textOf(value["packageName"]);
  return [{ type: "olm.package", value: toText({ packageName, version: textOf(value["versionRange"]) }) }];
}

/** The ClusterServiceVersion and the objects, from whichever large property the bundle has. */
function contentOf({ package: of, bundle }: BundlePlace): { csvJson: string; object: string[] } {
  const large = bundle.readLarge?.() ?? [];
  const objects = large.filter(({ type }) => type === "olm.bundle.object").map(({ value }) => objectText(value));
  const csv = objects.find((text) => (JSON.parse(text) as { kind?: unknown }).kind === "ClusterServiceVersion") ?? "";
  const metadata = large.filter(({ type }) => type === "olm.csv.metadata");
  const [only] = metadata;
  if (csv !== "" || only === undefined || metadata.length > 1) return { csvJson: csv, object: objects };
  const made = toGoJson(toCsv({ metadata: isObject(only.value) ? only.value : {}, package: of, bundle }));
  return { csvJson: made, object: objects.length === 0 ? [made] : objects };
}

/** The object in a property, as JSON. */
function objectText(value: unknown): string {
  const data = isObject(value) && typeof value["data"] === "string" ? value["data"] : "";
  const text = Buffer.from(data, "base64").toString("utf8");
  if (isJson(text)) return text;
  const parsed = parseYaml(text);
  return parsed.ok ? toGoJson(toSortedJson(parsed.value)) : "null";
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
