/** Renders templates of catalogs: basic, semver and substitutes, as `opm alpha render-template` does. */
import { quote, type Json } from "@capstan/model";
import { isObject, type JsonObject } from "../../decode/json.ts";
import type { BundleBlob } from "../blobs.ts";
import { addMeta, type CatalogConfig, type ConfigBuilder, emptyConfig, toMeta } from "../config.ts";
import { CatalogError } from "../errors.ts";
import type { DescribedBundle } from "../describe-bundle.ts";
import { renderSemver } from "./semver.ts";
import { renderSubstitutes } from "./substitutes.ts";

/** Reads the bundle at a reference. */
export type RenderBundle = (image: string) => Promise<DescribedBundle>;

const render: { readonly [schema: string]: (document: JsonObject, bundle: RenderBundle) => Promise<CatalogConfig> } = {
  "olm.template.basic": renderBasic,
  "olm.semver": renderSemver,
  "olm.template.substitutes": renderSubstitutes,
};

/** Whether a document is a template. */
export function isTemplate(document: Json): boolean {
  return isObject(document) && render[schemaOf(document)] !== undefined;
}

function schemaOf(document: JsonObject): string {
  const key = Object.keys(document).find((one) => one.toLowerCase() === "schema") ?? "";
  const schema = document[key];
  return typeof schema === "string" ? schema : "";
}

/** The catalog that a template stands for. */
export async function renderTemplate(document: Json, bundle: RenderBundle): Promise<CatalogConfig> {
  const template = isObject(document) ? document : {};
  const found = render[schemaOf(template)];
  if (found === undefined)
    throw new CatalogError(
      "BadTemplate",
      `template has unknown schema (${quote(schemaOf(template))}), should be one of ${Object.keys(render).join(", ")}`,
    );
  return found(template, bundle);
}

/** A value of a template by its key in any case. */
export function valueAt(template: JsonObject, key: string): Json | undefined {
  const found = Object.keys(template).find((one) => one.toLowerCase() === key.toLowerCase());
  return found === undefined ? undefined : template[found];
}

/** The entries of a template as blobs. */
export function readEntries(template: JsonObject): ConfigBuilder {
  const entries = valueAt(template, "entries") ?? [];
  if (!Array.isArray(entries)) throw new CatalogError("BadTemplate", "unmarshalling template: entries must be a list");
  const config = emptyConfig();
  for (const entry of entries as readonly Json[]) addMeta(config, toMeta(entry));
  return config;
}

async function renderBasic(template: JsonObject, bundle: RenderBundle): Promise<CatalogConfig> {
  const config = readEntries(template);
  const bundles: BundleBlob[] = [];
  for (const blob of config.bundles) {
    if (!isPlain(blob)) throw new CatalogError("BadTemplate", "unexpected fields present in basic template bundle");
    bundles.push((await bundle(blob.image)).blob);
  }
  return { ...config, bundles };
}

/** A bundle of a basic template has its image only. */
function isPlain({ image, package: of, properties, readLarge, relatedImages }: BundleBlob): boolean {
  return image !== "" && of === "" && [properties, readLarge(), relatedImages].every((list) => list.length === 0);
}
