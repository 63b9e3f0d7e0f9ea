/** Applies strategic merge patches: merge patches with list strategies and directives. */
import { isDeepEqual, type Json } from "@capstan/model";
import { PatchError, refuseTooDeep } from "../errors.ts";
import { printAsText, printValue } from "../go-print.ts";
import { fieldOf, isList, isObject, setField, type JsonDraft, type JsonList, type JsonObject } from "../json-value.ts";
import { deleteList, directive, orderList, retainKeys } from "./directives.ts";
import {
  interleave,
  itemKindOf,
  itemObject,
  KeyIndex,
  keyOf,
  missingKey,
  sortLike,
  withoutRepeats,
  wrongType,
} from "./lists.ts";
import type { Matching } from "./lists.ts";
import { findField, findListField, type FoundField, type PatchType } from "./patch-type.ts";

/** Applies a strategic merge patch to an object of a built-in kind; the object is not changed. */
export function applyStrategicPatch(object: JsonObject, patch: JsonObject, type: PatchType): JsonObject {
  return refuseTooDeep(() => mergeMap(object, patch, { type, mode: "apply" }));
}

/** Combines two patches into one with the effect of both, the second last. */
export function combinePatches(first: JsonObject, second: JsonObject, type: PatchType): JsonObject {
  return mergeMap(first, second, { type, mode: "combine" });
}

/** `apply` executes directives and ignores deletions of missing fields; `combine` keeps both in the resulting patch. */
interface Merge {
  readonly type: PatchType;
  readonly mode: "apply" | "combine";
}

function mergeMap(original: JsonObject, patch: JsonObject, merge: Merge): JsonObject {
  const wanted = fieldOf(patch, directive);
  if (wanted !== undefined) return carryOut(wanted, patch);
  const merged: JsonDraft = { ...original };
  const rest: JsonDraft = { ...patch };
  keepRetained(merged, rest, merge);
  mergeOrdered(merged, rest, merge);
  for (const [key, value] of Object.entries(rest)) if (value !== undefined) mergeField(merged, key, { value, merge });
  return merged;
}

function carryOut(wanted: Json, patch: JsonObject): JsonObject {
  if (wanted === "delete") return {};
  if (wanted !== "replace") {
    throw new PatchError("Internal", `unknown patch type: ${printAsText(wanted)} in map: ${printValue(patch)}`);
  }
  const { [directive]: _, ...rest } = patch;
  return rest;
}

/** `$retainKeys`: fields that are not listed are removed; fields that the patch sets must be listed. */
function keepRetained(merged: JsonDraft, patch: JsonDraft, { mode }: Merge): void {
  const listed = fieldOf(patch, retainKeys);
  if (listed === undefined) return;
  delete patch[retainKeys];
  if (mode === "combine") return combineRetained(merged, listed);
  if (!isList(listed)) throw badFormat("retainKeys");
  const kept = new Set(listed);
  for (const [key, value] of Object.entries(patch)) {
    const isExempt = value === null || value === undefined || deleteList.isKey(key) || orderList.isKey(key);
    if (!isExempt && !kept.has(key)) throw badFormat("retainKeys");
  }
  for (const key of Object.keys(merged)) if (!kept.has(key)) delete merged[key];
}

function combineRetained(merged: JsonDraft, listed: Json): void {
  const before = fieldOf(merged, retainKeys);
  if (before === undefined) merged[retainKeys] = listed;
  else if (!isDeepEqual(before, listed)) {
    const pair = `${printValue(before)} and ${printValue(listed)}`;
    throw new PatchError(
      "Internal",
      `${pair} are not deep equal: this may happen when calculating the 3-way diff patch`,
    );
  }
}

/** `$setElementOrder/x`: the list is merged and sorted into the order of the patch. */
function mergeOrdered(merged: JsonDraft, patch: JsonDraft, merge: Merge): void {
  for (const key of Object.keys(patch).filter(orderList.isKey)) {
    const order = patch[key] ?? null;
    if (merge.mode === "combine") combineOrder(merged, key, order);
    delete patch[key];
    if (!isList(order)) throw wrongType("[]interface {}", order);
    const name = orderList.nameOf(key);
    const list = orderedList({ original: fieldOf(merged, name), patch: fieldOf(patch, name), order }, name, merge);
    if (list === undefined) continue;
    setField(merged, name, list);
    delete patch[name];
  }
}

function combineOrder(merged: JsonDraft, key: string, order: Json): void {
  const before = fieldOf(merged, key);
  if (before !== undefined && !isDeepEqual(before, order)) throw badFormat("setElementOrder list");
  setField(merged, key, order);
}

interface Ordered {
  readonly original: Json | undefined;
  readonly patch: Json | undefined;
  readonly order: JsonList;
}

function orderedList({ original, patch, order }: Ordered, name: string, merge: Merge): Json[] | undefined {
  for (const list of [original, patch])
    if (list !== undefined && !isList(list)) throw wrongType("[]interface {}", list);
  const [before, changes] = [(original ?? []) as JsonList, (patch ?? []) as JsonList];
  const field = findListField(merge.type, name);
  checkOrder(changes, order, field.mergeKey);
  if (original === undefined && patch === undefined) return undefined;
  const merged = mergeForOrder({ original, patch }, { field, merge });
  const { mergeKey } = field;
  const isListed = listedIn(order, mergeKey);
  const [patched, serverOnly] = [merged.filter(isListed), merged.filter((item) => !isListed(item))];
  const matching: Matching = { kind: itemKindOf(before, changes), mergeKey };
  const isMerged = matching.kind === "map" && field.strategy === "merge" && patch !== undefined;
  const serverOrder = isMerged ? orderAfterMerge(before, changes, mergeKey) : before;
  const sortedServer = sortLike(serverOnly, serverOrder, matching);
  return interleave(sortedServer, sortLike(patched, order, matching), { list: serverOrder, matching });
}

type Lists = { readonly original: Json | undefined; readonly patch: Json | undefined };

function mergeForOrder({ original, patch }: Lists, { field, merge }: { field: FoundField; merge: Merge }): JsonList {
  if (patch === undefined) return (original ?? []) as JsonList;
  if (original === undefined) return (withoutDirectives(patch) ?? []) as JsonList;
  return mergeLists(original as JsonList, patch as JsonList, { field, merge });
}

/**
 * The live list as the server sees it after it merged the patch into it: deletions move items up, and added items take the free places at
 * the end. It decides where items that only the server has end up.
 */
function orderAfterMerge(before: JsonList, changes: JsonList, mergeKey: string): JsonList {
  const deletions = changes.filter((item) => itemObject(item)[directive] === "delete");
  const [places, count] = afterDeletions(before, deletions, mergeKey);
  const isReplaced = changes.some((item) => itemObject(item)[directive] === "replace");
  const added = isReplaced ? [] : changes.filter((item) => fieldOf(itemObject(item), directive) === undefined);
  const known = new Set(places.slice(0, count).map((item) => fieldOf(itemObject(item), mergeKey)));
  let used = count;
  for (const item of added) {
    const key = keyOf(item, mergeKey);
    if (known.has(key) || used === places.length) continue;
    known.add(key);
    places[used++] = item;
  }
  return places;
}

/** The array of a list after its deletions, and the number of remaining items. Each deletion leaves the last item at its place. */
function afterDeletions(before: JsonList, deletions: JsonList, mergeKey: string): [places: Json[], count: number] {
  if (deletions.length === 0) return [[...before], before.length];
  const positions = Map.groupBy(before.keys(), (at) => keyOf(before[at], mergeKey));
  const gone = new Set<number>();
  const stale: Json[] = [];
  let last = before.length - 1;
  for (const deletion of deletions) {
    const key = keyOf(deletion, mergeKey);
    for (const at of positions.get(key) ?? []) {
      stale.push(before[last] ?? null);
      gone.add(at);
      while (gone.has(last)) last--;
    }
    positions.delete(key);
  }
  const kept = before.filter((_, at) => !gone.has(at));
  return [[...kept, ...stale.reverse()], kept.length];
}

/** The items of the patch must be in the order that it specifies. */
function checkOrder(changes: JsonList, order: JsonList, mergeKey: string): void {
  if (changes.length === 0 || order.length === 0) return;
  const kept = mergeKey === "" ? changes : changes.filter((item) => itemObject(item)[directive] !== "delete");
  const identity = (item: Json | undefined) => (mergeKey === "" ? item : keyOf(item, mergeKey));
  let [at, inOrder] = [0, 0];
  while (at < kept.length && inOrder < order.length) {
    const item = kept[at];
    if (isObject(item) && fieldOf(item, directive) !== undefined) {
      at++;
      continue;
    }
    if (identity(item) === identity(order[inOrder])) at++;
    inOrder++;
  }
  if (at >= kept.length || inOrder < order.length) return;
  const lists = `${printValue(changes)}\n doesn't match $setElementOrder list:\n${printValue(order)}\n`;
  throw new PatchError("Internal", `The order in patch list:\n${lists}`);
}

function mergeField(merged: JsonDraft, patchKey: string, { value, merge }: FieldPatch): void {
  const isDeletion = deleteList.isKey(patchKey);
  if (isDeletion && merge.mode === "combine") return setField(merged, patchKey, value);
  const key = isDeletion ? deleteList.nameOf(patchKey) : patchKey;
  if (value === null) {
    delete merged[key];
    if (merge.mode === "apply") return;
  }
  const current = fieldOf(merged, key);
  const next = isDeletion ? removed(current, key, { value, merge }) : changed(current, key, { value, merge });
  if (next === undefined) delete merged[key];
  else setField(merged, key, next);
}

interface FieldPatch {
  readonly value: Json;
  readonly merge: Merge;
}

function changed(current: Json | undefined, key: string, { value, merge }: FieldPatch): Json | undefined {
  if (isList(current) && isList(value)) {
    return mergeLists(current, value, { field: findListField(merge.type, key), merge });
  }
  if (isObject(current) && isObject(value)) {
    const { strategy, type } = findField(merge.type, key);
    return strategy === "replace" ? value : mergeMap(current, value, { ...merge, type });
  }
  return withoutDirectives(merge.mode === "apply" ? withoutNulls(value) : value);
}

function removed(current: Json | undefined, key: string, { value, merge }: FieldPatch): Json | undefined {
  if (!isList(current) || !isList(value)) return current;
  return removeItems(current, value, { field: findListField(merge.type, key), merge });
}

/** `$deleteFromPrimitiveList/x`; a list of objects, for which it is not meant, is merged. */
function removeItems(list: JsonList, items: JsonList, { field, merge }: { field: FoundField; merge: Merge }): JsonList {
  if (list.length === 0 && items.length === 0) return list;
  const gone = new Set(items);
  if (itemKindOf(list, items) === "scalar") return list.filter((item) => !gone.has(item));
  return mergeLists(list, items, { field: { ...field, strategy: "merge" }, merge });
}

function mergeLists(
  original: JsonList,
  patch: JsonList,
  { field, merge }: { field: FoundField; merge: Merge },
): JsonList {
  if (field.strategy !== "merge") return patch;
  if (original.length === 0 && patch.length === 0) return original;
  const kind = itemKindOf(original, patch);
  const { mergeKey } = field;
  if (kind === "scalar")
    return placeMerged(withoutRepeats([...original, ...patch]), { original, patch }, { kind, mergeKey });
  if (mergeKey === "") throw new PatchError("Internal", `cannot merge lists without merge key for ${field.type.kind}`);
  const lists = carryOutItems(original, patch, mergeKey);
  return placeMerged(mergeItems(lists, { field, merge }), lists, { kind, mergeKey });
}

type ListPair = { readonly original: JsonList; readonly patch: JsonList };

/** Merged items in order: those of the patch in its order, the others around them in their old order. */
function placeMerged(merged: JsonList, { original, patch }: ListPair, matching: Matching): Json[] {
  const isPatched = listedIn(patch, matching.mergeKey);
  const patched = sortLike(merged.filter(isPatched), patch, matching);
  const serverOnly = sortLike(
    merged.filter((item) => !isPatched(item)),
    original,
    matching,
  );
  return interleave(serverOnly, patched, { list: original, matching });
}

function listedIn(list: JsonList, mergeKey: string): (item: Json) => boolean {
  if (mergeKey === "") {
    const items = new Set(list);
    return (item) => items.has(item);
  }
  const index = new KeyIndex(list, mergeKey);
  return (item) => index.find(keyOf(item, mergeKey)) >= 0;
}

/** Items with a directive: `delete` removes an item, `replace` replaces the list with the patch. */
function carryOutItems(original: JsonList, patch: JsonList, mergeKey: string): ListPair {
  const plain: Json[] = [];
  const deleted = new Set<Json>();
  const index = new KeyIndex(original, mergeKey);
  let isReplaced = false;
  for (const item of patch) {
    const object = itemObject(item);
    const wanted = fieldOf(object, directive);
    if (wanted === undefined) plain.push(item);
    else if (wanted === "delete") deleted.add(deletedKey(object, mergeKey, index));
    else if (wanted === "replace") isReplaced = true;
    else throw badItem(wanted, object);
  }
  if (isReplaced) return { original: plain, patch: [] };
  const isLeft = (item: Json): boolean => {
    const key = fieldOf(itemObject(item), mergeKey);
    return key === undefined || !deleted.has(key);
  };
  return { original: deleted.size === 0 ? original : original.filter(isLeft), patch: plain };
}

function badItem(wanted: Json, item: JsonObject): PatchError {
  if (wanted === "merge") return new PatchError("Internal", "merging lists cannot yet be specified in the patch");
  return new PatchError("Internal", `unknown patch type: ${printAsText(wanted)} in map: ${printValue(item)}`);
}

function deletedKey(item: JsonObject, mergeKey: string, index: KeyIndex): Json {
  const key = fieldOf(item, mergeKey);
  if (key === undefined) throw missingKey(item, mergeKey);
  index.find(key);
  return key;
}

function mergeItems({ original, patch }: ListPair, { field, merge }: { field: FoundField; merge: Merge }): Json[] {
  const merged = [...original];
  const index = new KeyIndex(merged, field.mergeKey);
  for (const item of patch) {
    const object = itemObject(item);
    const key = keyOf(object, field.mergeKey);
    const at = index.find(key);
    const current = merged[at];
    if (isObject(current)) merged[at] = mergeMap(current, object, { ...merge, type: field.type });
    else index.add(key, merged.push(item) - 1);
  }
  return merged;
}

/** The added value without its directives; undefined when it is only a directive. */
function withoutDirectives(value: Json): Json | undefined {
  if (isList(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isObject(value)) return value;
  if (Object.hasOwn(value, directive)) return undefined;
  const kept: JsonDraft = {};
  for (const [key, field] of Object.entries(value)) {
    const next = field === undefined ? undefined : withoutDirectives(field);
    if (next !== undefined) setField(kept, key, next);
  }
  return kept;
}

function withoutNulls(value: Json): Json {
  if (isList(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const kept: JsonDraft = {};
  for (const [key, field] of Object.entries(value)) {
    if (field !== null && field !== undefined) setField(kept, key, withoutNulls(field));
  }
  return kept;
}

function badFormat(what: string): PatchError {
  return new PatchError("BadRequest", `invalid patch format of ${what}`);
}
