/** Whether two strategic merge patches conflict. */
import { isDeepEqual, type Json } from "@capstan/model";
import { PatchError } from "../errors.ts";
import { printValue } from "../go-print.ts";
import { fieldOf, isList, isObject, type JsonList, type JsonObject } from "../json-value.ts";
import { directive, retainKeys } from "./directives.ts";
import { itemKindOf, sortScalars, withoutRepeats } from "./lists.ts";
import { findField, findListField, type PatchType } from "./patch-type.ts";

/** Whether the patches set a field to different values, or one deletes what the other changes. */
export function patchesConflict(left: JsonObject, right: JsonObject, type: PatchType): boolean {
  return valuesConflict(left, right, { type, strategy: "", mergeKey: "" });
}

interface Context {
  readonly type: PatchType;
  readonly strategy: string;
  readonly mergeKey: string;
}

function valuesConflict(left: Json, right: Json, context: Context): boolean {
  if (isObject(left)) return !isObject(right) || objectsConflict(left, right, context);
  if (isList(left)) return !isList(right) || listsConflict(left, right, context);
  return !isDeepEqual(left, right);
}

function objectsConflict(left: JsonObject, right: JsonObject, { type, strategy }: Context): boolean {
  if (fieldOf(left, directive) !== fieldOf(right, directive)) return true;
  if (strategy === "replace") return false;
  return Object.entries(left).some(([key, value]) => {
    const other = fieldOf(right, key);
    if (value === undefined || other === undefined || key === directive || key === retainKeys) return false;
    return valuesConflict(value, other, contextOf(type, key, value));
  });
}

function contextOf(type: PatchType, key: string, value: Json): Context {
  if (isList(value)) return findListField(type, key);
  return isObject(value) ? findField(type, key) : { type, strategy: "", mergeKey: "" };
}

function listsConflict(left: JsonList, right: JsonList, { type, strategy, mergeKey }: Context): boolean {
  const kind = itemKindOf(left, right);
  const inner: Context = { type, strategy: "", mergeKey: "" };
  if (strategy === "merge")
    return kind === "map" && itemsConflict(byKey(left, mergeKey), byKey(right, mergeKey), inner);
  if (left.length !== right.length) return true;
  const [lefts, rights] =
    kind === "map" ? [left, right] : [sortScalars(withoutRepeats(left)), sortScalars(withoutRepeats(right))];
  return lefts.some((item, at) => valuesConflict(item, rights[at] ?? null, inner));
}

function itemsConflict(left: Map<string, JsonObject>, right: Map<string, JsonObject>, inner: Context): boolean {
  return [...left].some(([key, item]) => {
    const other = right.get(key);
    return other !== undefined && valuesConflict(item, other, inner);
  });
}

function byKey(list: JsonList, mergeKey: string): Map<string, JsonObject> {
  return new Map(
    list.map((item) => {
      if (!isObject(item)) throw new PatchError("Internal", `invalid element type in merging list:${printValue(list)}`);
      const key = fieldOf(item, mergeKey);
      if (key !== undefined) return [printValue(key), item];
      const where = `cannot find merge key \`${mergeKey}\` in merging list element`;
      throw new PatchError("Internal", `${where}:${printValue(item)}`);
    }),
  );
}
