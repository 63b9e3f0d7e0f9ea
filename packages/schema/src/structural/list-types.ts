/** Finds duplicates in lists that are declared as sets or maps. */
import type { Json } from "@capstan/model";

import type { FieldError, FieldPath } from "./field-error.ts";
import { child, duplicate, entry, invalid } from "./field-error.ts";
import { isInt64, marshal } from "./go-text.ts";
import type { Schema } from "./schema.ts";
import { isJsonObject } from "./schema.ts";

/** The duplicates in every set and list map of a value. */
export function validateListTypes(schema: Schema, value: Json, path?: FieldPath): FieldError[] {
  if (!declaresListTypes(schema)) return [];
  const errors: FieldError[] = [];
  visit(schema, value, { path, errors });
  return errors;
}

const declaring = new WeakMap<Schema, boolean>();

/** Whether a set or list map is declared anywhere, so that most values need no walk at all. */
function declaresListTypes(schema: Schema): boolean {
  let known = declaring.get(schema);
  if (known !== undefined) return known;
  known =
    schema.listType === "set" ||
    schema.listType === "map" ||
    (schema.items !== undefined && declaresListTypes(schema.items)) ||
    (schema.additionalProperties?.schema !== undefined && declaresListTypes(schema.additionalProperties.schema)) ||
    [...(schema.properties?.values() ?? [])].some(declaresListTypes);
  declaring.set(schema, known);
  return known;
}

interface Sink {
  readonly path: FieldPath;
  readonly errors: FieldError[];
}

function visit(schema: Schema, value: Json, { path, errors }: Sink): void {
  if (Array.isArray(value)) visitArray(schema, value as readonly Json[], { path, errors });
  else if (isJsonObject(value))
    for (const [name, field] of Object.entries(value)) {
      if (field === undefined) continue;
      const additional = schema.additionalProperties?.schema;
      if (additional !== undefined && declaresListTypes(additional))
        visit(additional, field, { path: entry(path, name), errors });
      const property = schema.properties?.get(name);
      if (property !== undefined && declaresListTypes(property))
        visit(property, field, { path: child(path, name), errors });
    }
}

function visitArray(schema: Schema, value: readonly Json[], { path, errors }: Sink): void {
  if (schema.listType === "set") for (const i of repeated(value)) errors.push(duplicate(entry(path, i), value[i]));
  if (schema.listType === "map") errors.push(...listMapErrors(schema, value, path));
  const { items } = schema;
  if (items !== undefined && declaresListTypes(items))
    value.forEach((item, i) => visit(items, item, { path: entry(path, i), errors }));
}

/** The index of the first repetition of each repeated item. */
function repeated(items: readonly Json[]): number[] {
  const seen = new Map<string, number>();
  const indexes: number[] = [];
  items.forEach((item, i) => {
    const key = identity(item);
    const times = seen.get(key) ?? 0;
    if (times === 1) indexes.push(i);
    seen.set(key, times + 1);
  });
  return indexes;
}

function identity(item: Json): string {
  if (typeof item === "string") return `"${item}`;
  return typeof item === "number" && !isInt64(item) ? `float ${item}` : marshal(item);
}

function listMapErrors(schema: Schema, value: readonly Json[], path: FieldPath): FieldError[] {
  const stray = value.findIndex((item) => item !== null && !isJsonObject(item));
  if (stray >= 0) return [invalid(entry(path, stray), value[stray], "must be an object for an array of list-type map")];
  const names = schema.listMapKeys ?? [];
  const [only] = names;
  if (names.length === 1 && only !== undefined && areDistinct(value, only)) return [];
  const keys = value.map((item) => keysOf(item, names));
  return repeated(keys).map((i) => duplicate(entry(path, i), keys[i]));
}

/** The usual case, without allocations: each item has one key, and no two have the same. */
function areDistinct(items: readonly Json[], name: string): boolean {
  const seen = new Set<string>();
  for (const item of items) {
    const key = isJsonObject(item) ? item[name] : undefined;
    if (typeof key !== "string") return false;
    seen.add(key);
  }
  return seen.size === items.length;
}

function keysOf(item: Json, names: readonly string[]): Json {
  if (!isJsonObject(item)) return {};
  return Object.fromEntries(names.filter((name) => Object.hasOwn(item, name)).map((name) => [name, item[name]]));
}
