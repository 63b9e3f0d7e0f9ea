/** The field set of a value: the fields that its sender owns. */
import type { Json } from "@capstan/model";
import { FieldSetBuilder, type FieldSet } from "../fields/field-set.ts";
import { fieldElement, type PathElement } from "../fields/path-element.ts";
import { isObject, type JsonList, type JsonObject } from "../json-value.ts";
import { fieldType, type ListType, type MapType, type TypeSchema } from "../schema/type-schema.ts";
import { asList, asObject, itemElement, preferredShape, shapeOf } from "./shape.ts";

/** Every field, item and leaf of a value that can be owned. */
export function toFieldSet(value: Json, type: TypeSchema): FieldSet {
  const root = new FieldSetBuilder();
  collect(value, type, { parent: undefined, node: root, element: "" });
  return root;
}

/** The place of a value: a step in its parent's set, and a set for what is below. */
interface Position {
  readonly parent: FieldSetBuilder | undefined;
  readonly node: FieldSetBuilder;
  readonly element: PathElement;
}

function collect(value: Json, type: TypeSchema, at: Position): void {
  switch (preferredShape(type, shapeOf(type, value))) {
    case "scalar":
      own(at);
      return;
    case "list":
      if (type.list?.kind === "atomic") own(at);
      else if (type.list !== undefined) collectItems(asList(value) ?? [], type.list, at.node);
      return;
    case "map":
      if (type.map?.kind === "atomic") own(at);
      else if (type.map !== undefined) collectFields(asObject(value), type.map, at.node);
  }
}

function own(at: Position): void {
  at.parent?.members.add(at.element);
}

/** Collects what is below a step; scalars, of which there are most, have nothing below them. */
function collectBelow(value: Json, type: TypeSchema, at: Omit<Position, "node"> & { parent: FieldSetBuilder }): void {
  if (typeof value !== "object" && type.scalar !== undefined) {
    at.parent.members.add(at.element);
    return;
  }
  const node = new FieldSetBuilder();
  collect(value, type, { ...at, node });
  if (node.members.size > 0 || node.children.size > 0) at.parent.children.set(at.element, node);
}

function collectFields(object: JsonObject | undefined, map: MapType, node: FieldSetBuilder): void {
  for (const name in object) {
    const value = object[name];
    if (value === undefined) continue;
    const type = fieldType(map, name);
    if (type === undefined) continue;
    const element = fieldElement(name);
    collectBelow(value, type(), { parent: node, element });
    const isEmpty = value === null || (isObject(value) && Object.keys(value).length === 0);
    if (isEmpty || !map.fields.has(name)) node.members.add(element);
  }
}

/** Duplicate items cannot be distinguished: they are owned as a whole. */
function collectItems(items: JsonList, list: ListType, node: FieldSetBuilder): void {
  const type = list.element();
  const elements = items.map((item) => itemElement(list, item));
  const repeated = repeatsOf(elements);
  for (const [index, item] of items.entries()) {
    const element = elements[index];
    if (typeof element !== "string") continue;
    node.members.add(element);
    if (!repeated.has(element)) collectBelow(item, type, { parent: node, element });
  }
}

function repeatsOf(elements: readonly unknown[]): ReadonlySet<unknown> {
  const [seen, repeated] = [new Set<unknown>(), new Set<unknown>()];
  for (const element of elements) (seen.has(element) ? repeated : seen).add(element);
  return repeated;
}
