/** The object of a built-in kind before anything was set: the fields that the server always writes, with empty values. */
import type { Json } from "@capstan/model";
import type { JsonDraft, JsonObject } from "../json-value.ts";
import { setField } from "../json-value.ts";
import type { OpenApiDefinitions, OpenApiSchema } from "./from-openapi.ts";

/**
 * The base of comparison for a new object of a built-in kind: structs that are always written are present and empty, required fields are
 * null or their zero value. It decides which containers a creator owns (`"."` in managed fields) and which were there before.
 */
export function zeroObject(definitions: OpenApiDefinitions, name: string): JsonObject {
  return zeroOf(name, definitions, new Set());
}

function zeroOf(name: string, definitions: OpenApiDefinitions, above: ReadonlySet<string>): JsonObject {
  const zero: JsonDraft = {};
  if (above.has(name)) return zero;
  const { properties = {}, required = [] } = definitions[name] ?? {};
  const always = new Set([...required, ...(writtenAnyway[name] ?? [])]);
  for (const [field, member] of Object.entries(properties)) {
    const value = zeroField(member, always.has(field));
    if (value === undefined) continue;
    const target = refName(member);
    const isStruct = target !== undefined && typeof value === "object" && value !== null;
    setField(zero, field, isStruct ? zeroOf(target, definitions, new Set(above).add(name)) : value);
  }
  return zero;
}

/** Fields that are always written have their zero value as default; other defaults are only written when the field is required. */
function zeroField(member: OpenApiSchema, isAlwaysWritten: boolean): Json | undefined {
  const fallback = member.default;
  if (typeof fallback === "object" && fallback !== null) return fallback;
  return isAlwaysWritten || fallback === "" || fallback === 0 ? (fallback ?? null) : undefined;
}

/** Fields that are always written, although the published schemas do not say so. */
const writtenAnyway: Readonly<Record<string, readonly string[]>> = {
  "io.k8s.api.core.v1.Event": ["eventTime", "firstTimestamp", "lastTimestamp"],
  "io.k8s.api.events.v1.Event": ["eventTime", "deprecatedFirstTimestamp", "deprecatedLastTimestamp"],
  "io.k8s.api.resource.v1.DeviceClaim": ["requests"],
};

function refName(schema: OpenApiSchema): string | undefined {
  const ref = schema.$ref ?? schema.allOf?.[0]?.$ref;
  return ref?.slice(ref.lastIndexOf("/") + 1);
}
