/** The interpretation of a type that a value selects, and the identity of list items. */
import { quote, type Json } from "@capstan/model";
import { keyElement, valueElement, compareText, type PathElement } from "../fields/path-element.ts";
import { isList, isObject, type JsonList, type JsonObject } from "../json-value.ts";
import type { ListType, TypeSchema } from "../schema/type-schema.ts";

/** An interpretation of a type; "any" when the type has several and the value does not select one (it is null). */
export type Shape = "map" | "scalar" | "list" | "any";

/** The interpretation that a value selects; a value that fits none leaves the type as it is. */
export function shapeOf(type: TypeSchema, value: Json | undefined): Shape {
  if (isObject(value)) {
    if (type.map !== undefined) return "map";
  } else if (isList(value)) {
    if (type.list !== undefined) return "list";
  } else if (value !== null && value !== undefined && type.scalar !== undefined) {
    return "scalar";
  }
  return onlyShape(type) ?? "any";
}

/** Dispatches on an interpretation: types with several are objects first, then scalars, then lists. */
export function preferredShape(type: TypeSchema, shape: Shape): Exclude<Shape, "any"> {
  if (shape !== "any") return shape;
  return type.map !== undefined ? "map" : type.scalar !== undefined ? "scalar" : "list";
}

function onlyShape(type: TypeSchema): Exclude<Shape, "any"> | undefined {
  const { map, scalar, list } = type;
  if (map !== undefined) return scalar === undefined && list === undefined ? "map" : undefined;
  if (scalar !== undefined) return list === undefined ? "scalar" : undefined;
  return "list";
}

/** The fields of an object; undefined for anything else. */
export function asObject(value: Json | undefined): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}

/** The items of a list; undefined for anything else. */
export function asList(value: Json | undefined): JsonList | undefined {
  return isList(value) ? value : undefined;
}

/** An item that cannot be identified, and why. */
export interface ItemProblem {
  readonly problem: string;
}

/** The step that leads to an item of a set or of a list with keys. */
export function itemElement(list: ListType, item: Json): PathElement | ItemProblem {
  if (list.kind === "atomic") return { problem: "invalid indexing of non-associative list" };
  return list.keys.length > 0 ? keyedElement(list, item) : setElement(item);
}

function setElement(item: Json): PathElement | ItemProblem {
  if (isObject(item)) return { problem: "associative list without keys has an element that's a map type" };
  if (isList(item)) return { problem: "not supported: associative list with lists as elements" };
  if (item === null) return { problem: "associative list without keys has an element that's an explicit null" };
  return valueElement(item);
}

function keyedElement(list: ListType, item: Json): PathElement | ItemProblem {
  if (item === null) return { problem: "associative list with keys may not have a null element" };
  if (!isObject(item)) return { problem: "associative list with keys may not have non-map elements" };
  const keys: [string, Json][] = [];
  for (const name of list.keys) {
    const value = item[name] ?? (Object.hasOwn(item, name) ? null : undefined);
    const known = value === undefined ? keyDefault(list, name) : value;
    if (isProblem(known)) return known;
    if (known !== undefined) keys.push([name, known]);
  }
  if (keys.length === 0) return { problem: omitsKeys(list) };
  if (keys.length > 1) keys.sort(([left], [right]) => compareText(left, right));
  return keyElement(keys);
}

function keyDefault(list: ListType, name: string): Json | undefined | ItemProblem {
  const { map } = list.element();
  if (map === undefined) {
    return { problem: `couldn't find default value for ${name}: associative list may not have non-map types` };
  }
  return map.fields.get(name)?.default ?? undefined;
}

function isProblem(value: Json | undefined | ItemProblem): value is ItemProblem {
  return typeof value === "object" && value !== null && "problem" in value;
}

function omitsKeys(list: ListType): string {
  const keys = `[${list.keys.map(quote).join(" ")}]`;
  return `associative list with keys has an element that omits all key fields ${keys} (and doesn't have default values for any key fields)`;
}
