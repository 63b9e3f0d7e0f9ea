/** Compares two values of a type: which fields were added, changed or removed. */
import { isDeepEqual, type Json } from "@capstan/model";
import { FieldSetBuilder, type FieldSet } from "../fields/field-set.ts";
import { fieldElement, type PathElement } from "../fields/path-element.ts";
import type { JsonList, JsonObject } from "../json-value.ts";
import { fieldType, type ListType, type MapType, type TypeSchema } from "../schema/type-schema.ts";
import { asList, asObject, itemElement, preferredShape, shapeOf, type Shape } from "./shape.ts";

/** The differences between two values. */
export interface Comparison {
  readonly removed: FieldSet;
  readonly modified: FieldSet;
  readonly added: FieldSet;
}

/** Whether a value that is compared as a whole is the same as before. */
export type IsSame = (before: Json, after: Json) => boolean;

/** Compares an old and a new value of the same type. */
export function compareValues(
  before: Json | undefined,
  after: Json | undefined,
  type: TypeSchema,
  isSame: IsSame = isDeepEqual,
): Comparison {
  const walk: Walk = {
    path: [],
    isSame,
    removed: new FieldSetBuilder(),
    modified: new FieldSetBuilder(),
    added: new FieldSetBuilder(),
  };
  compare({ before, after }, type, walk);
  return walk;
}

interface Walk {
  readonly path: PathElement[];
  readonly isSame: IsSame;
  readonly removed: FieldSetBuilder;
  readonly modified: FieldSetBuilder;
  readonly added: FieldSetBuilder;
}

interface Pair {
  readonly before: Json | undefined;
  readonly after: Json | undefined;
}

function compare(pair: Pair, type: TypeSchema, walk: Walk): void {
  const { before, after } = pair;
  // Shared parts cannot differ: merging keeps unchanged parts.
  if (before === after) return;
  const [left, right] = [shapeOf(type, before), shapeOf(type, after)];
  const readings = after === undefined ? [left] : before === undefined || left === right ? [right] : [left, right];
  let isLeaf = false;
  for (const shape of readings) isLeaf = compareAs(shape, pair, { type, walk });
  if (isLeaf) return;
  if (before === undefined) walk.added.insert(walk.path);
  else if (after === undefined) walk.removed.insert(walk.path);
}

/** Compares under one interpretation of the type; returns whether the value counted as a leaf. */
function compareAs(shape: Shape, pair: Pair, { type, walk }: { type: TypeSchema; walk: Walk }): boolean {
  switch (preferredShape(type, shape)) {
    case "scalar":
      return compareLeaf(pair, walk);
    case "list":
      return type.list === undefined || compareLists(pair, type.list, walk);
    case "map":
      return type.map === undefined || compareMaps(pair, type.map, walk);
  }
}

function compareLeaf({ before, after }: Pair, walk: Walk): true {
  if (before === undefined) walk.added.insert(walk.path);
  else if (after === undefined) walk.removed.insert(walk.path);
  else if (!walk.isSame(before, after)) walk.modified.insert(walk.path);
  return true;
}

function compareMaps(pair: Pair, map: MapType, walk: Walk): boolean {
  const [before, after] = [asObject(pair.before), asObject(pair.after)];
  if (map.kind === "atomic" || (isEmpty(before) && isEmpty(after))) return compareLeaf(pair, walk);
  for (const name in before) compareField(name, { before, after }, { map, walk });
  for (const name in after) {
    if (before === undefined || !Object.hasOwn(before, name)) compareField(name, { before, after }, { map, walk });
  }
  return false;
}

type Objects = { readonly before: JsonObject | undefined; readonly after: JsonObject | undefined };

function compareField(name: string, { before, after }: Objects, { map, walk }: { map: MapType; walk: Walk }): void {
  const left = before !== undefined && Object.hasOwn(before, name) ? before[name] : undefined;
  const right = after !== undefined && Object.hasOwn(after, name) ? after[name] : undefined;
  const type = left === right ? undefined : fieldType(map, name);
  if (type === undefined) return;
  walk.path.push(fieldElement(name));
  compare({ before: left, after: right }, type(), walk);
  walk.path.pop();
}

function isEmpty(object: JsonObject | undefined): boolean {
  for (const key in object) if (object[key] !== undefined) return false;
  return true;
}

function compareLists(pair: Pair, list: ListType, walk: Walk): boolean {
  const [before, after] = [asList(pair.before) ?? [], asList(pair.after) ?? []];
  if (list.kind === "atomic" || (before.length === 0 && after.length === 0)) return compareLeaf(pair, walk);
  const [left, right] = [groupItems(before, list), groupItems(after, list)];
  const type = list.element();
  for (const step of new Set([...left.keys(), ...right.keys()])) {
    walk.path.push(step);
    compareItems(left.get(step) ?? [], right.get(step) ?? [], { type, walk });
    walk.path.pop();
  }
  return false;
}

function groupItems(items: JsonList, list: ListType): Map<PathElement, Json[]> {
  const groups = new Map<PathElement, Json[]>();
  for (const item of items) {
    const step = itemElement(list, item);
    if (typeof step !== "string") continue;
    const group = groups.get(step);
    if (group === undefined) groups.set(step, [item]);
    else group.push(item);
  }
  return groups;
}

/** Duplicate items are compared as a group; when one or none remains, the group as such changed. */
function compareItems(
  before: readonly Json[],
  after: readonly Json[],
  { type, walk }: { type: TypeSchema; walk: Walk },
): void {
  if (before.length <= 1 && after.length <= 1) {
    compare({ before: before[0], after: after[0] }, type, walk);
  } else if (before.length >= 2 && after.length >= 2) {
    if (!walk.isSame(before, after)) walk.modified.insert(walk.path);
  } else if (before.length >= 2) {
    if (after.length > 0) compare({ before: undefined, after: after[0] }, type, walk);
    walk.removed.insert(walk.path);
  } else {
    if (before.length > 0) compare({ before: before[0], after: undefined }, type, walk);
    walk.added.insert(walk.path);
  }
}
