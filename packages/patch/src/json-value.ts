/** JSON values as patches see them: absent is undefined, objects and lists are never changed in place. */
import type { Json } from "@capstan/model";

/** A JSON object. */
export type JsonObject = { readonly [key: string]: Json | undefined };

/** A JSON list. */
export type JsonList = readonly Json[];

/** A JSON object under construction. */
export type JsonDraft = { [key: string]: Json | undefined };

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isList(value: Json | undefined): value is JsonList {
  return Array.isArray(value);
}

/** The value of an own field; absent and undefined are the same. */
export function fieldOf(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Sets a field of a draft, also when it is called `__proto__`. */
export function setField(draft: JsonDraft, key: string, value: Json): void {
  if (key !== "__proto__") draft[key] = value;
  else Object.defineProperty(draft, key, { value, enumerable: true, writable: true, configurable: true });
}

/** A copy of an object that may be changed at its top. */
export function draftOf(object: JsonObject): JsonDraft {
  return { ...object };
}
