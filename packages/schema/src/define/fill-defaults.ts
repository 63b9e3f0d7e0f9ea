/**
 * Completes declared defaults with the defaults below them: a server checks rules against the declared value alone, before it fills in
 * anything.
 */
import type { Json } from "@capstan/model";
import type { JsonSchema } from "./json-schema.ts";

/** The same schema, every default in it complete. */
export function withFilledDefaults(schema: JsonSchema): JsonSchema {
  const properties = schema.properties && mapValues(schema.properties, withFilledDefaults);
  const whole: JsonSchema = {
    ...schema,
    ...(properties ? { properties } : {}),
    ...(schema.items ? { items: withFilledDefaults(schema.items) } : {}),
    ...(schema.additionalProperties ? { additionalProperties: withFilledDefaults(schema.additionalProperties) } : {}),
  };
  return whole.default === undefined ? whole : { ...whole, default: fill(whole.default, whole) };
}

/** A value with the defaults that the server would add. */
function fill(value: Json, schema: JsonSchema): Json {
  if (Array.isArray(value)) return value.map((item: Json) => (schema.items ? fill(item, schema.items) : item));
  if (typeof value !== "object" || value === null) return value;
  const given = value as { readonly [name: string]: Json | undefined };
  const filled: Record<string, Json> = {};
  for (const [name, item] of Object.entries(given)) {
    const below = schema.properties?.[name] ?? schema.additionalProperties;
    if (item !== undefined) filled[name] = below ? fill(item, below) : item;
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (filled[name] === undefined && property.default !== undefined) filled[name] = fill(property.default, property);
  }
  return filled;
}

function mapValues<T>(record: { readonly [key: string]: T }, change: (value: T) => T): { readonly [key: string]: T } {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}
