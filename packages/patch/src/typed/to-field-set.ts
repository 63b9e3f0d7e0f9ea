/** The field set of a value: what someone who sends this value has an opinion on. */
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

/** Where a value stands: in its parent's set under a step, with a set of its own for what is below. */
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

/** Visits what is below a step and keeps its set only when there is something in it. */
function below(parent: FieldSetBuilder, element: PathElement, visit: (at: Position) => void): void {
  const node = new FieldSetBuilder();
  visit({ parent, node, element });
  if (node.members.size > 0 || node.children.size > 0) parent.children.set(element, node);
}

function collectFields(object: JsonObject | undefined, map: MapType, node: FieldSetBuilder): void {
  for (const name in object) {
    const value = object[name];
    if (value === undefined) continue;
    const type = fieldType(map, name);
    if (type === undefined) continue;
    const element = fieldElement(name);
    below(node, element, (at) => collect(value, type(), at));
    const isEmpty = value === null || (isObject(value) && Object.keys(value).length === 0);
    if (isEmpty || !map.fields.has(name)) node.members.add(element);
  }
}

/** Items that occur more than once cannot be told apart: they are owned as a whole. */
function collectItems(items: JsonList, list: ListType, node: FieldSetBuilder): void {
  const type = list.element();
  const elements = items.map((item) => itemElement(list, item));
  const repeated = new Set(elements.filter((element, index) => elements.indexOf(element) !== index));
  for (const [index, item] of items.entries()) {
    const element = elements[index];
    if (typeof element !== "string") continue;
    node.members.add(element);
    if (!repeated.has(element)) below(node, element, (at) => collect(item, type, at));
  }
}
