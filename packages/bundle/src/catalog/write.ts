/** Writes the blobs of a catalog as `opm render` does: package by package, as JSON or YAML. */
import type { Json } from "@capstan/model";
import { Document, visit } from "yaml";
import { compareText, toSortedJson } from "../decode/json.ts";
import { type BundleBlob, type ChannelBlob, type DeprecationsBlob, type PackageBlob, schemas } from "./blobs.ts";
import type { CatalogConfig } from "./config.ts";
import { byPackage } from "./convert.ts";
import type { Property } from "./model.ts";

export type CatalogFormat = "json" | "yaml";

/** The blobs as texts in their order: of each package the package, channels, bundles, others and deprecations. */
export function* formatConfig(config: CatalogConfig, format: CatalogFormat): Generator<string> {
  for (const value of blobValues(config)) yield formatBlob(value, format);
}

/** One blob as text. */
export function formatBlob(value: Json, format: CatalogFormat): string {
  switch (format) {
    case "json":
      return `${escapeLines(JSON.stringify(value, null, 4))}\n`;
    case "yaml":
      return `---\n${formatYaml(toSortedJson(value))}`;
  }
}

const yamlStyle = { lineWidth: 0, indentSeq: false } as const;

/** Texts that the YAML library leaves plain and that Go's library reads as something else get quotes. */
function formatYaml(value: Json): string {
  const document = new Document(value, { version: "1.1", aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (_key, node) => {
      if (typeof node.value === "string" && needsQuotes.test(node.value)) node.type = "QUOTE_DOUBLE";
    },
  });
  return escapeLines(document.toString(yamlStyle)).replaceAll("\u0085", String.raw`\u0085`);
}

/** Octal numbers of YAML 1.2, and the line separators that are not ASCII. */
const needsQuotes = /^[-+]?0o[0-7_]+$|[\u0085\u2028\u2029]/;

/** Go escapes the line separators that JavaScript leaves. */
export function escapeLines(text: string): string {
  return text.replaceAll("\u2028", String.raw`\u2028`).replaceAll("\u2029", String.raw`\u2029`);
}

/** The blobs as values with their fields in the order in which they are written. */
export function* blobValues(config: CatalogConfig): Generator<Json> {
  const parts = byPackage(config);
  const names = [...parts.keys()].filter((name) => name !== "").sort(compareText);
  for (const name of names) {
    const part = parts.get(name);
    if (part === undefined) continue;
    for (const blob of part.packages) yield packageValue(blob);
    for (const blob of part.channels.toSorted(byName)) yield channelValue(blob);
    for (const blob of part.bundles.toSorted(byName)) yield bundleValue(blob);
    for (const { value } of part.others.toSorted((a, b) => compareText(a.schema, b.schema))) yield toSortedJson(value);
    for (const blob of part.deprecations) yield deprecationsValue(blob);
  }
  for (const { package: of, value } of config.others) if (of === "") yield toSortedJson(value);
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return compareText(a.name, b.name);
}

function packageValue({ name, defaultChannel, icon, description, properties }: PackageBlob): Json {
  return {
    schema: schemas.package,
    name,
    defaultChannel,
    ...(icon === undefined ? {} : { icon: { base64data: icon.base64data, mediatype: icon.mediatype } }),
    ...(description === undefined ? {} : { description }),
    ...propertiesValue(properties),
  };
}

function channelValue({ name, package: of, entries, properties }: ChannelBlob): Json {
  return {
    schema: schemas.channel,
    name,
    package: of,
    entries: entries.map(({ name: entry, replaces, skips, skipRange }) => ({
      name: entry,
      ...(replaces === undefined ? {} : { replaces }),
      ...(skips.length === 0 ? {} : { skips: [...skips] }),
      ...(skipRange === undefined ? {} : { skipRange }),
    })),
    ...propertiesValue(properties),
  };
}

/** The value of a bundle's blob. The large properties come last. */
export function bundleValue(blob: BundleBlob): Json {
  const { name, package: of, image, properties, readLarge, relatedImages } = blob;
  return {
    schema: schemas.bundle,
    ...(name === "" ? {} : { name }),
    ...(of === "" ? {} : { package: of }),
    image,
    ...propertiesValue([...properties, ...readLarge()]),
    ...(relatedImages.length === 0
      ? {}
      : { relatedImages: relatedImages.map((related) => ({ name: related.name, image: related.image })) }),
  };
}

function deprecationsValue({ package: of, entries }: DeprecationsBlob): Json {
  return {
    schema: schemas.deprecations,
    package: of,
    entries: entries.map(({ reference: { schema, name }, message }) => ({
      reference: { schema, ...(name === "" ? {} : { name }) },
      message,
    })),
  };
}

/** Values of properties are JSON by the way in which they are read. */
function propertiesValue(properties: readonly Property[]): { [key: string]: Json } {
  if (properties.length === 0) return {};
  return { properties: properties.map(({ type, value }) => ({ type, value: value as Json })) };
}
