/** Fills in defaults, and drops nulls that are neither allowed nor defaulted. Unchanged values are returned as they are. */
import type { Json } from "@capstan/model";

import type { Schema } from "./schema.ts";
import { isJsonObject } from "./schema.ts";

type JsonObject = { readonly [key: string]: Json | undefined };
type Fields = { [key: string]: Json | undefined };

const defaulting = new WeakMap<Schema, boolean>();

/** Whether a default is declared anywhere below, so that most values need no walk. */
function declaresDefaults(schema: Schema): boolean {
  let known = defaulting.get(schema);
  if (known !== undefined) return known;
  known =
    schema.default !== undefined ||
    (schema.items !== undefined && declaresDefaults(schema.items)) ||
    (schema.additionalProperties?.schema !== undefined && declaresDefaults(schema.additionalProperties.schema)) ||
    [...(schema.properties?.values() ?? [])].some(declaresDefaults);
  defaulting.set(schema, known);
  return known;
}

/** Applies the defaults of a schema: to missing fields, and to nulls where null is not allowed. */
export function applyDefaults(value: Json, schema: Schema | undefined): Json {
  if (schema === undefined || !declaresDefaults(schema)) return value;
  if (Array.isArray(value)) return defaultItems(value as readonly Json[], schema);
  return isJsonObject(value) ? defaultFields(value, schema) : value;
}

function isRefusedNull(value: Json | undefined, schema: Schema): boolean {
  return value === null && schema.nullable !== true;
}

function defaultFields(value: JsonObject, schema: Schema): Json {
  const current = addMissing(value, schema);
  let copy: Fields | undefined;
  for (const name of Object.keys(current)) {
    const field = current[name];
    const filled = field === undefined ? undefined : defaultField(name, field, schema);
    if (filled !== field) (copy ??= { ...current })[name] = filled;
  }
  return copy ?? current;
}

function addMissing(value: JsonObject, schema: Schema): JsonObject {
  let copy: Fields | undefined;
  for (const [name, property] of schema.properties ?? []) {
    if (property.default === undefined) continue;
    if (value[name] === undefined || isRefusedNull(value[name], property))
      (copy ??= { ...value })[name] = property.default;
  }
  return copy ?? value;
}

function defaultField(name: string, field: Json, schema: Schema): Json {
  const property = schema.properties?.get(name);
  if (property !== undefined) return applyDefaults(field, property);
  const additional = schema.additionalProperties?.schema;
  if (additional === undefined) return field;
  return applyDefaults(isRefusedNull(field, additional) ? (additional.default ?? null) : field, additional);
}

function defaultItems(value: readonly Json[], schema: Schema): Json {
  const { items } = schema;
  if (items === undefined) return value;
  let copy: Json[] | undefined;
  value.forEach((item, i) => {
    const start = isRefusedNull(item, items) ? (items.default ?? null) : item;
    const filled = applyDefaults(start, items);
    if (filled !== item) (copy ??= [...value])[i] = filled;
  });
  return copy ?? value;
}

/** Drops fields that are null where null is not allowed and no default would replace it. */
export function dropRefusedNulls(value: Json, schema: Schema | undefined): Json {
  if (Array.isArray(value)) {
    let copy: Json[] | undefined;
    (value as readonly Json[]).forEach((item, i) => {
      const kept = dropRefusedNulls(item, schema?.items);
      if (kept !== item) (copy ??= [...(value as readonly Json[])])[i] = kept;
    });
    return copy ?? value;
  }
  return isJsonObject(value) ? dropFields(value, schema) : value;
}

function dropFields(value: JsonObject, schema: Schema | undefined): Json {
  let copy: Fields | undefined;
  for (const name of Object.keys(value)) {
    const field = value[name];
    if (field === undefined) continue;
    const inner = schema?.properties?.get(name) ?? schema?.additionalProperties?.schema;
    if (inner !== undefined && isRefusedNull(field, inner) && inner.default === undefined)
      delete (copy ??= { ...value })[name];
    else {
      const kept = dropRefusedNulls(field, inner);
      if (kept !== field) (copy ??= { ...value })[name] = kept;
    }
  }
  return copy ?? value;
}
