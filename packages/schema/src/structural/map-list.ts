/** Finds the old item of a list map that has the same keys as a new one. */
import type { Json } from "@capstan/model";

import { isInt64, marshal } from "./go-text.ts";
import type { Schema } from "./schema.ts";
import { isJsonObject } from "./schema.ts";

/** A function from a new item to the first old item with equal keys. Lists that are not list maps have no old items. */
export function oldItemFinder(schema: Schema, old: readonly Json[]): (item: Json) => Json | undefined {
  const keys = schema.listMapKeys ?? [];
  if (schema.type !== "array" || schema.listType !== "map" || keys.length === 0 || old.length === 0)
    return () => undefined;
  let index: Map<string, Json> | undefined;
  return (item) => {
    const key = compositeKey(item, keys);
    index ??= indexByKey(old, keys);
    return key === undefined ? undefined : index.get(key);
  };
}

function indexByKey(items: readonly Json[], keys: readonly string[]): Map<string, Json> {
  const index = new Map<string, Json>();
  for (const item of items) {
    const key = compositeKey(item, keys);
    if (key !== undefined && !index.has(key)) index.set(key, item);
  }
  return index;
}

function compositeKey(item: Json, keys: readonly string[]): string | undefined {
  if (!isJsonObject(item)) return undefined;
  const parts = keys.map((key) => scalarText(item[key]));
  return parts.includes(undefined) ? undefined : parts.join("\0");
}

function scalarText(value: Json | undefined): string | undefined {
  if (value === undefined || value === null || typeof value === "object") return undefined;
  return typeof value === "number" && !isInt64(value) ? `float ${value}` : marshal(value);
}
