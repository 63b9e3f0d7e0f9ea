/** Writes decoded values as Go marshals them: fields in the order of their declaration, empty optional ones left out. */
import type { Json } from "@capstan/model";
import type { Field, GoType } from "../decode/go-type.ts";
import { isObject, type JsonObject, toSortedJson } from "../decode/json.ts";

/** A value of a type, ready for JSON. */
export function toGoValue(value: Json | undefined, type: GoType): Json {
  switch (type.kind) {
    case "struct": {
      const object = isObject(value) ? value : {};
      return Object.fromEntries(type.fields.flatMap((field) => writeField(object, field)));
    }
    case "list":
      return Array.isArray(value) ? (value as readonly Json[]).map((item) => toGoValue(item, type.of())) : null;
    case "map":
      return isObject(value) ? toSortedJson(value) : null;
    case "raw":
    case "read":
    case "either":
      return toSortedJson(value ?? null);
    default:
      return value ?? zeros[type.kind];
  }
}

const zeros = { string: "", bool: false, int: 0, float: 0 } as const;

function writeField(object: JsonObject, { json, type, optional, pointer }: Field): [string, Json][] {
  const value = object[json];
  const isStruct = type().kind === "struct";
  if (optional && (value === undefined || value === null) && (pointer || !isStruct)) return [];
  if (optional && !pointer && isEmpty(value, type())) return [];
  return [[json, toGoValue(value, type())]];
}

/** What `omitempty` leaves out; it never leaves out a struct. */
function isEmpty(value: Json | undefined, type: GoType): boolean {
  if (type.kind === "struct") return false;
  if (Array.isArray(value)) return value.length === 0;
  if (isObject(value)) return type.kind === "map" && Object.keys(value).length === 0;
  return value === undefined || value === null || value === "" || value === 0 || value === false;
}
