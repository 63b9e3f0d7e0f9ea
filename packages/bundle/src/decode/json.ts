/** Values as they come from YAML, before decoding. */
import type { Json } from "@capstan/model";

/** An object of JSON. */
export type JsonObject = { readonly [key: string]: Json };

/** Whether a value is an object and not a list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The keys of an object in the order in which Go writes them. */
export function sortedKeys(value: JsonObject): string[] {
  return Object.keys(value).sort(compareText);
}

/** By bytes, as Go sorts; without a locale. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A value as `json.Marshal` writes it, with the keys of maps sorted. */
export function toSortedJson(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(toSortedJson);
  if (!isObject(value)) return value;
  return Object.fromEntries(sortedKeys(value).map((key) => [key, toSortedJson(value[key] ?? null)]));
}
