/** The object of a built-in kind before anything was set: the fields that the server always writes, with empty values. */
import type { Json } from "@capstan/model";
import type { JsonDraft, JsonObject } from "../json-value.ts";
import { setField } from "../json-value.ts";
import type { OpenApiDefinitions, OpenApiSchema } from "./from-openapi.ts";

/**
 * What a new object of a built-in kind is compared with: structs that are always there are there and empty, required
 * fields are null or their zero value. It decides which containers a creator owns (`"."` in managed fields) and which
 * were there before.
 */
export function zeroObject(definitions: OpenApiDefinitions, name: string): JsonObject {
  return zeroOf(definitions[name] ?? {}, definitions, new Set());
}

function zeroOf(schema: OpenApiSchema, definitions: OpenApiDefinitions, above: ReadonlySet<OpenApiSchema>): JsonObject {
  const zero: JsonDraft = {};
  if (above.has(schema)) return zero;
  const inside = new Set(above).add(schema);
  for (const [field, member] of Object.entries(schema.properties ?? {})) {
    const value = zeroField(member, schema.required?.includes(field) ?? false);
    if (value === undefined) continue;
    const target = definitions[refName(member) ?? ""];
    const isStruct = target !== undefined && typeof value === "object" && value !== null;
    setField(zero, field, isStruct ? zeroOf(target, definitions, inside) : value);
  }
  return zero;
}

/** Structs that are always written have an empty object as default; other defaults are only written when required. */
function zeroField(member: OpenApiSchema, isRequired: boolean): Json | undefined {
  const fallback = member.default;
  if (typeof fallback === "object" && fallback !== null) return fallback;
  return isRequired ? (fallback ?? null) : undefined;
}

function refName(schema: OpenApiSchema): string | undefined {
  const ref = schema.$ref ?? schema.allOf?.[0]?.$ref;
  return ref?.slice(ref.lastIndexOf("/") + 1);
}
