/** Pairs a new value with the old one it replaces, field by field and list-map item by key, to find what did not change. */
import type { Json } from "@capstan/model";
import { isDeepEqual } from "@capstan/model";

import type { Schema } from "./schema.ts";
import { isJsonObject } from "./schema.ts";
import { oldItemFinder } from "./map-list.ts";

/** A new value and the old value of the same field. */
export interface Correlation {
  readonly value: Json;
  readonly old: Json;
  readonly schema: Schema;
  readonly children: Map<string | number, Correlation | undefined>;
  findOld: ((item: Json) => Json | undefined) | undefined;
  unchanged: boolean | undefined;
}

/** Begins a correlation at the top of a resource. */
export function correlate(value: Json, old: Json, schema: Schema): Correlation {
  return { value, old, schema, children: new Map(), findOld: undefined, unchanged: undefined };
}

/** The correlation of a field, if both values have it and the schema knows it. */
export function correlateKey(parent: Correlation | undefined, name: string): Correlation | undefined {
  if (parent === undefined) return undefined;
  if (parent.children.has(name)) return parent.children.get(name);
  const found = keyCorrelation(parent, name);
  parent.children.set(name, found);
  return found;
}

function keyCorrelation({ value, old, schema }: Correlation, name: string): Correlation | undefined {
  if (!isJsonObject(value) || !isJsonObject(old)) return undefined;
  const [field, oldField] = [value[name], old[name]];
  const inner = schema.properties?.get(name) ?? schema.additionalProperties?.schema;
  if (field === undefined || oldField === undefined || inner === undefined) return undefined;
  return correlate(field, oldField, inner);
}

/** The correlation of an array item: only items of list maps have one. */
export function correlateIndex(parent: Correlation | undefined, index: number): Correlation | undefined {
  if (parent === undefined) return undefined;
  if (parent.children.has(index)) return parent.children.get(index);
  const found = indexCorrelation(parent, index);
  parent.children.set(index, found);
  return found;
}

function indexCorrelation(parent: Correlation, index: number): Correlation | undefined {
  const { value, old, schema } = parent;
  if (!Array.isArray(value) || !Array.isArray(old) || index >= value.length) return undefined;
  if (schema.listType !== "map" || schema.items === undefined) return undefined;
  parent.findOld ??= oldItemFinder(schema, old as readonly Json[]);
  const item = (value as readonly Json[])[index] ?? null;
  const oldItem = parent.findOld(item);
  return oldItem === undefined || oldItem === null ? undefined : correlate(item, oldItem, schema.items);
}

/** Whether a value is unchanged: list maps may be reordered, fields that the schema does not know count as changed. */
export function isUnchanged(correlation: Correlation | undefined): boolean {
  if (correlation === undefined) return false;
  correlation.unchanged ??= compare(correlation);
  return correlation.unchanged;
}

function compare(correlation: Correlation): boolean {
  const { value, old } = correlation;
  if (value === null || old === null) return value === old;
  if (Array.isArray(value) !== Array.isArray(old) || isJsonObject(value) !== isJsonObject(old)) return false;
  if (Array.isArray(value)) return compareArrays(correlation, value as readonly Json[], old as readonly Json[]);
  if (isJsonObject(value) && isJsonObject(old)) {
    const keys = Object.keys(value);
    if (keys.length !== Object.keys(old).length) return false;
    return keys.every((key) => isUnchanged(correlateKey(correlation, key)));
  }
  return value === old;
}

function compareArrays(correlation: Correlation, value: readonly Json[], old: readonly Json[]): boolean {
  if (value.length !== old.length) return false;
  for (let i = 0; i < value.length; i++) {
    const item = correlateIndex(correlation, i);
    if (item === undefined) return correlation.findOld === undefined ? isDeepEqual(value, old) : false;
    if (!isUnchanged(item)) return false;
  }
  return true;
}
