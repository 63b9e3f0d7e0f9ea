/** Renders templates of catalogs: basic, semver and substitutes, as `opm alpha render-template` does. */
import { quote, type Json } from "@capstan/model";
import { isObject, type JsonObject } from "../../decode/json.ts";
import type { BundleBlob } from "../blobs.ts";
import type { CatalogConfig } from "../config.ts";
import { CatalogError } from "../errors.ts";
import { renderSemver } from "./semver.ts";
import { renderSubstitutes } from "./substitutes.ts";
import { readEntries, type RenderBundle } from "./template.ts";

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
