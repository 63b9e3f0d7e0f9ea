/** A schema as the API server understands it: keywords that say nothing are left out. */
import type { JsonSchema } from "@capstan/schema";

/** Keywords that mean nothing when they are false or empty. */
const silent: ReadonlySet<string> = new Set([
  "exclusiveMinimum",
  "exclusiveMaximum",
  "nullable",
  "uniqueItems",
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-embedded-resource",
  "x-kubernetes-int-or-string",
]);

/** The same schema without redundant keywords. */
export function normalizeSchema(schema: JsonSchema): JsonSchema {
  const kept = Object.entries(schema).filter(([name, value]) => {
    if (value === undefined || value === null) return false;
    if (silent.has(name)) return value !== false;
    if (name === "externalDocs" || name === "$schema" || name === "id") return false;
    return !(
      (name === "required" || name === "x-kubernetes-validations") &&
      Array.isArray(value) &&
      value.length === 0
    );
  });
  const whole = Object.fromEntries(kept) as JsonSchema;
  return {
    ...whole,
    ...(whole.properties === undefined ? {} : { properties: mapped(whole.properties) }),
    ...(whole.items === undefined ? {} : { items: normalizeSchema(whole.items) }),
    ...(typeof whole.additionalProperties === "object"
      ? { additionalProperties: normalizeSchema(whole.additionalProperties) }
      : {}),
  };
}

function mapped(properties: { readonly [name: string]: JsonSchema }): { readonly [name: string]: JsonSchema } {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, normalizeSchema(schema)]));
}
