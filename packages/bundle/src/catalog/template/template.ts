/** The parts that all templates have: entries, and values by keys in any case. */
import type { Json } from "@capstan/model";
import type { JsonObject } from "../../decode/json.ts";
import { addMeta, type ConfigBuilder, emptyConfig, toMeta } from "../config.ts";
import type { DescribedBundle } from "../describe-bundle.ts";
import { CatalogError } from "../errors.ts";

/** Reads the bundle at a reference. */
export type RenderBundle = (image: string) => Promise<DescribedBundle>;

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
