/** A file-based catalog as its blobs, in their order, before they are checked against each other. */
import { type Json, toGoJson } from "@capstan/model";
import { decode } from "../decode/decode.ts";
import { compareText, isObject, type JsonObject, sortedKeys, toSortedJson } from "../decode/json.ts";
import {
  type BundleBlob,
  bundleType,
  type ChannelBlob,
  channelType,
  type DeprecationsBlob,
  deprecationsType,
  isLarge,
  type Meta,
  type PackageBlob,
  packageType,
  propertyTypes,
  schemas,
} from "./blobs.ts";
import { CatalogError } from "./errors.ts";
import type { Property } from "./model.ts";
import type { Struct } from "../decode/go-type.ts";

/** The blobs of a catalog by schema. Blobs of other schemas are kept as they are. */
export interface CatalogConfig {
  readonly packages: readonly PackageBlob[];
  readonly channels: readonly ChannelBlob[];
  readonly bundles: readonly BundleBlob[];
  readonly deprecations: readonly DeprecationsBlob[];
  readonly others: readonly Meta[];
}

/** A config that is being read. */
export interface ConfigBuilder {
  readonly packages: PackageBlob[];
  readonly channels: ChannelBlob[];
  readonly bundles: BundleBlob[];
  readonly deprecations: DeprecationsBlob[];
  readonly others: Meta[];
}

/** A config without blobs. */
export function emptyConfig(): ConfigBuilder {
  return { packages: [], channels: [], bundles: [], deprecations: [], others: [] };
}

/** The blobs of documents. */
export function configOf(documents: readonly Json[]): CatalogConfig {
  const config = emptyConfig();
  for (const document of documents) addMeta(config, toMeta(document));
  return config;
}

/** Identifies a document by its schema, package and name, whose keys match in any case. */
export function toMeta(document: Json): Meta {
  const value = isObject(document) ? document : {};
  if (document !== null && !isObject(document))
    throw bad(`json: cannot unmarshal ${Array.isArray(document) ? "array" : typeof document} into Go value`);
  const folded = Map.groupBy(Object.keys(value), (key) => key.toLowerCase());
  const duplicates = [...folded]
    .filter(([, keys]) => keys.length > 1)
    .map(([key, keys]) => `duplicate keys for key "${key}": [${keys.sort(compareText).join(" ")}]`);
  if (duplicates.length > 0) throw bad(duplicates.length === 1 ? duplicates.join() : `[${duplicates.join(", ")}]`);
  const textOf = (key: string): string => {
    const [found] = folded.get(key) ?? [];
    const item = found === undefined ? "" : (value[found] ?? null);
    if (typeof item === "string") return item;
    throw bad(`expected value for key "${found}" to be a string, got ${toGoJson(item)}`);
  };
  const sorted = Object.fromEntries(sortedKeys(value).map((key) => [key, toSortedJson(value[key] ?? null)]));
  return { schema: textOf("schema"), package: textOf("package"), name: textOf("name"), value: sorted };
}

function bad(problem: string): CatalogError {
  return new CatalogError("BadBlob", problem);
}

/** Reads the large properties of a bundle's document again. */
export type ReadAgain = () => JsonObject;

/** Adds a document. Large properties are not kept if the document can be read again. */
export function addMeta(config: ConfigBuilder, meta: Meta, readAgain?: ReadAgain): void {
  switch (meta.schema) {
    case schemas.package:
      config.packages.push(toPackage(meta.value));
      return;
    case schemas.channel:
      config.channels.push(toChannel(meta.value));
      return;
    case schemas.bundle:
      config.bundles.push(toBundle(meta.value, readAgain));
      return;
    case schemas.deprecations:
      config.deprecations.push(toDeprecations(meta.value));
      return;
    case "":
      throw bad(`object '${toGoJson(toSortedJson(meta.value))}\n' is missing root schema field`);
    default:
      config.others.push(meta);
  }
}

/** The declared fields of a document. Decoding checks their types, so the casts below only name what it leaves. */
function read(value: JsonObject, type: Struct, what: string): unknown {
  const { value: decoded, problem } = decode(value, type, "json");
  if (problem !== undefined) throw bad(`parse ${what}: ${problem}`);
  return decoded;
}

type Partly<T> = { readonly [K in keyof T]?: T[K] };

function toPackage(value: JsonObject): PackageBlob {
  const {
    name = "",
    defaultChannel = "",
    icon,
    description,
    properties,
  } = read(value, packageType, "package") as Partly<PackageBlob>;
  return {
    name,
    defaultChannel,
    ...(icon === undefined ? {} : { icon: { base64data: icon.base64data ?? "", mediatype: icon.mediatype ?? "" } }),
    ...(description === undefined || description === "" ? {} : { description }),
    properties: toProperties(properties),
  };
}

function toChannel(value: JsonObject): ChannelBlob {
  const blob = read(value, channelType, "channel") as Partly<ChannelBlob>;
  const entries = (blob.entries ?? []).map(
    ({ name = "", replaces, skips = [], skipRange }: Partly<ChannelBlob["entries"][0]>) => ({
      name,
      ...(replaces === undefined || replaces === "" ? {} : { replaces }),
      skips,
      ...(skipRange === undefined || skipRange === "" ? {} : { skipRange }),
    }),
  );
  return { name: blob.name ?? "", package: blob.package ?? "", entries, properties: toProperties(blob.properties) };
}

function toBundle(value: JsonObject, readAgain: ReadAgain | undefined): BundleBlob {
  const blob = read(value, bundleType, "bundle") as Partly<BundleBlob>;
  const all = toProperties(blob.properties);
  const large = all.filter(isLarge);
  return {
    name: blob.name ?? "",
    package: blob.package ?? "",
    image: blob.image ?? "",
    properties: all.filter((property) => !isLarge(property)),
    readLarge: large.length === 0 ? () => [] : readAgain === undefined ? keep(large) : reader(readAgain),
    hasObjects: large.some(({ type }) => type === "olm.bundle.object"),
    ...problemOf(all),
    relatedImages: (blob.relatedImages ?? []).map(
      ({ name = "", image = "" }: Partly<{ name: string; image: string }>) => ({
        name,
        image,
      }),
    ),
  };
}

// The two functions below are apart from their caller: a closure keeps all variables alive that any closure beside it uses.

function keep(large: readonly Property[]): BundleBlob["readLarge"] {
  return () => large;
}

function reader(readAgain: ReadAgain): BundleBlob["readLarge"] {
  return () => toBundle(readAgain(), undefined).readLarge();
}

function problemOf(properties: readonly Property[]): { readonly propertyProblem?: string } {
  for (const [at, { type, value }] of properties.entries()) {
    const { problem } = decode(value as Json, propertyTypes[type] ?? { kind: "raw" }, "json");
    if (problem !== undefined) return { propertyProblem: `parse property[${at}] of type "${type}": ${problem}` };
  }
  return {};
}

function toDeprecations(value: JsonObject): DeprecationsBlob {
  const blob = read(value, deprecationsType, "deprecation") as Partly<DeprecationsBlob>;
  const entries = (blob.entries ?? []).map(({ reference, message = "" }: Partly<DeprecationsBlob["entries"][0]>) => {
    const { schema = "", name = "" } = (reference ?? {}) as { schema?: string; name?: string };
    return { reference: { schema, name }, message };
  });
  return { package: blob.package ?? "", entries };
}

function toProperties(properties: readonly Partly<Property>[] | undefined): Property[] {
  return (properties ?? []).map(({ type = "", value = null }) => ({ type, value }));
}
