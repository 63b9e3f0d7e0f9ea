/** Errors in the declaration of a list as a set or a map. */
import type { FieldError } from "@capstan/model";

import { child, entry, forbidden, invalid, notSupported, required } from "./field-error.ts";
import type { Schema } from "./schema.ts";

const listTypeKey = "x-kubernetes-list-type";
const mapKeysKey = "x-kubernetes-list-map-keys";

/** Errors of x-kubernetes-list-type and x-kubernetes-list-map-keys. */
export function listTypeErrors(schema: Schema, path: string, demandAtomicSets: boolean): FieldError[] {
  const { listType, type } = schema;
  const errors: FieldError[] = [];
  if (listType !== undefined && type !== "array") {
    const detail = "must be array if x-kubernetes-list-type is specified";
    errors.push(
      type === undefined ? required(child(path, "type"), detail) : invalid(child(path, "type"), type, detail),
    );
  } else if (demandAtomicSets && listType === "set") errors.push(...setItemErrors(schema.items, path));
  if (listType !== undefined && !["atomic", "set", "map"].includes(listType))
    errors.push(notSupported(child(path, listTypeKey), listType, ["atomic", "set", "map"]));
  if ((schema.listMapKeys?.length ?? 0) > 0 && listType !== "map") {
    const detail = "must be map if x-kubernetes-list-map-keys is non-empty";
    const place = child(path, listTypeKey);
    errors.push(listType === undefined ? required(place, detail) : invalid(place, listType, detail));
  }
  return listType === "map" ? [...errors, ...listMapErrors(schema, path)] : errors;
}

/** Whether items of this type can be compared as a whole, which sets need. */
export function isAtomic(items: Schema): boolean {
  if (items.type === "array") return items.listType === undefined || items.listType === "atomic";
  return items.type !== "object" || items.mapType === "atomic";
}

function setItemErrors(items: Schema | undefined, path: string): FieldError[] {
  if (items === undefined || isAtomic(items)) return [];
  const key = items.type === "array" ? listTypeKey : "x-kubernetes-map-type";
  const detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
  return [invalid(child(path, "items", key), items.listType ?? null, detail)];
}

function listMapErrors(schema: Schema, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { items, itemsList, listMapKeys = [] } = schema;
  if (listMapKeys.length === 0)
    errors.push(required(child(path, mapKeysKey), "must not be empty if x-kubernetes-list-type is map"));
  if (items === undefined && itemsList === undefined)
    errors.push(required(child(path, "items"), "must have a schema if x-kubernetes-list-type is map"));
  if (items === undefined) return errors;
  if (items.type !== "object")
    errors.push(
      invalid(
        child(path, "items", "type"),
        items.type ?? "",
        "must be object if parent array's x-kubernetes-list-type is map",
      ),
    );
  else errors.push(...listMapKeyErrors(items, listMapKeys, path));
  return errors;
}

function listMapKeyErrors(items: Schema, keys: readonly string[], path: string): FieldError[] {
  const place = child(path, mapKeysKey);
  return keys.flatMap((key, i) => {
    const errors: FieldError[] = [];
    const property = items.properties?.get(key);
    if (property === undefined) errors.push(invalid(place, keys, "entries must all be names of item properties"));
    else if (property.type === "array" || property.type === "object")
      errors.push(
        invalid(
          child(entry(child(path, "items", "properties"), key), "type"),
          items.type ?? "",
          "must be a scalar type if parent array's x-kubernetes-list-type is map",
        ),
      );
    if (keys.indexOf(key) < i) errors.push(invalid(place, keys, "must not contain duplicate entries"));
    return errors;
  });
}

/** Keys of list maps must always be present; items of sets and list maps may not be null. */
export function mapKeyErrors({ items, listType, listMapKeys = [] }: Schema, path: string): FieldError[] {
  if (items === undefined || (listType !== "set" && listType !== "map")) return [];
  const errors: FieldError[] = [];
  if (items.nullable === true)
    errors.push(
      forbidden(child(path, "items", "nullable"), `cannot be nullable when x-kubernetes-list-type is ${listType}`),
    );
  if (listType === "set") return errors;
  for (const key of listMapKeys) {
    const property = items.properties?.get(key);
    if (property === undefined) continue;
    const place = entry(child(path, "items", "properties"), key);
    if (items.required?.includes(key) !== true && property.default === undefined)
      errors.push(
        required(
          child(place, "default"),
          "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
        ),
      );
    if (property.nullable === true)
      errors.push(
        forbidden(child(place, "nullable"), "this property is in x-kubernetes-list-map-keys, so it cannot be nullable"),
      );
  }
  return errors;
}
