/** Removes fields from a value, or reduces a value to some of its fields. */
import type { Json } from "@capstan/model";
import type { FieldSet } from "../fields/field-set.ts";
import { emptyFieldSet, isEmptySet } from "../fields/field-set.ts";
import { fieldElement } from "../fields/path-element.ts";
import { isList, isObject, setField, type JsonDraft, type JsonList, type JsonObject } from "../json-value.ts";
import { fieldType, untypedAtomic, type ListType, type MapType, type TypeSchema } from "../schema/type-schema.ts";
import { itemElement, preferredShape, shapeOf } from "./shape.ts";

/** The value without these fields; null when nothing is left of it. */
export function removeFields(value: Json, fields: FieldSet, type: TypeSchema): Json {
  return walk(value, fields, { type, mode: "remove" });
}

/** The value with these fields only; null when nothing is left of it. */
export function extractFields(value: Json, fields: FieldSet, type: TypeSchema): Json {
  return walk(value, fields, { type, mode: "extract" });
}

interface Options {
  readonly type: TypeSchema;
  readonly mode: "remove" | "extract";
}

/** Atomic and empty values are treated as a whole: extracting keeps them, removing a part of them removes all. */
function walk(value: Json, fields: FieldSet, { type, mode }: Options): Json {
  switch (preferredShape(type, shapeOf(type, value))) {
    case "scalar":
      return value;
    case "list":
      return isList(value) && type.list !== undefined ? walkList(value, fields, { list: type.list, mode }) : null;
    case "map":
      return isObject(value) && type.map !== undefined ? walkMap(value, fields, { map: type.map, mode }) : null;
  }
}

function walkList(items: JsonList, fields: FieldSet, { list, mode }: { list: ListType; mode: Options["mode"] }): Json {
  const isWhole = items.length === 0 || list.kind === "atomic";
  if (mode === "extract") return isWhole ? items : extractItems(items, fields, list);
  return isWhole ? null : removeItems(items, fields, list);
}

function walkMap(object: JsonObject, fields: FieldSet, { map, mode }: { map: MapType; mode: Options["mode"] }): Json {
  const isWhole = Object.keys(object).length === 0 || map.kind === "atomic";
  if (mode === "extract") return isWhole ? object : extractMembers(object, fields, map);
  return isWhole ? null : removeMembers(object, fields, map);
}

function removeItems(items: JsonList, fields: FieldSet, list: ListType): Json {
  const kept: Json[] = [];
  for (const item of items) {
    const step = itemElement(list, item);
    if (typeof step !== "string" || fields.members.has(step)) continue;
    const below = fields.children.get(step);
    kept.push(hasFields(below) ? walk(item, below, { type: list.element(), mode: "remove" }) : item);
  }
  if (kept.length === items.length && kept.every((item, at) => item === items[at])) return items;
  return kept.length > 0 ? kept : null;
}

function extractItems(items: JsonList, fields: FieldSet, list: ListType): Json {
  const kept: Json[] = [];
  for (const item of items) {
    const step = itemElement(list, item);
    if (typeof step !== "string") continue;
    const below = fields.children.get(step);
    if (hasFields(below)) kept.push(walk(item, below, { type: list.element(), mode: "extract" }));
    else if (fields.members.has(step)) kept.push(item);
  }
  return kept.length > 0 ? kept : null;
}

function removeMembers(object: JsonObject, fields: FieldSet, map: MapType): Json {
  let rest: JsonDraft | undefined;
  for (const name in object) {
    const value = object[name];
    const step = fieldElement(name);
    if (value === undefined) continue;
    if (fields.members.has(step)) {
      rest ??= { ...object };
      delete rest[name];
      continue;
    }
    const below = fields.children.get(step);
    const next = hasFields(below) ? walk(value, below, { type: typeOf(map, name), mode: "remove" }) : value;
    if (next !== value) setField((rest ??= { ...object }), name, next);
  }
  if (rest === undefined) return object;
  return Object.keys(rest).length > 0 ? rest : null;
}

function extractMembers(object: JsonObject, fields: FieldSet, map: MapType): Json {
  const kept: JsonDraft = {};
  for (const name in object) {
    const value = object[name];
    const step = fieldElement(name);
    if (value === undefined) continue;
    const options: Options = { type: typeOf(map, name), mode: "extract" };
    const below = fields.children.get(step);
    if (fields.members.has(step)) setField(kept, name, walk(value, fields, options));
    else if (hasFields(below)) setField(kept, name, walk(value, below, options));
  }
  return Object.keys(kept).length > 0 ? kept : null;
}

function typeOf(map: MapType, name: string): TypeSchema {
  return fieldType(map, name)?.() ?? untypedAtomic;
}

function hasFields(set: FieldSet = emptyFieldSet): set is FieldSet {
  return !isEmptySet(set);
}
