/** Lists in strategic merge: the type of their items, how items are found, and their final order. */
import type { Json } from "@capstan/model";
import { PatchError } from "../errors.ts";
import { compareText } from "../fields/path-element.ts";
import { printValue, typeName } from "../go-print.ts";
import { fieldOf, isList, isObject, type JsonList, type JsonObject } from "../json-value.ts";

/** The type of a list's items. */
export type ItemKind = "map" | "scalar";

/** The item type of some lists; it must be the same for all. */
export function itemKindOf(...lists: readonly JsonList[]): ItemKind {
  const [first, ...rest] = lists.flat() as Json[];
  if (first === undefined) throw new PatchError("Internal", "no elements in any of the given slices");
  if (isList(first)) throw new PatchError("Unprocessable", "lists of lists are not supported");
  if (first === null || rest.some((item) => typeName(item) !== typeName(first))) {
    throw new PatchError("Internal", `list element types are not identical: ${printValue(lists as Json)}`);
  }
  return isObject(first) ? "map" : "scalar";
}

/** The error for a value of another type than expected. */
export function wrongType(expected: string, value: Json | undefined): PatchError {
  const actual = value === null || value === undefined ? "%!s(<nil>)" : typeName(value);
  return new PatchError("Internal", `expected a ${expected}, but received a ${actual}`);
}

/** The error for an item without its key. */
export function missingKey(item: JsonObject, mergeKey: string): PatchError {
  return new PatchError("Internal", `map: ${printValue(item)} does not contain declared merge key: ${mergeKey}`);
}

/** An item as an object. */
export function itemObject(item: Json | undefined): JsonObject {
  if (!isObject(item)) throw wrongType("map[string]interface {}", item);
  return item;
}

/** The key of an item, which must exist. */
export function keyOf(item: Json | undefined, mergeKey: string): Json {
  const object = itemObject(item);
  const key = fieldOf(object, mergeKey);
  if (key === undefined) throw missingKey(object, mergeKey);
  return key;
}

/** Finds the items of a list by their keys; iterates over the list once. */
export class KeyIndex {
  readonly #positions = new Map<Json, number>();
  /** The first item that has no fields: no item after it is found. */
  readonly #broken: number;

  constructor(list: JsonList, mergeKey: string) {
    this.#broken = list.findIndex((item) => !isObject(item));
    for (const [at, item] of (this.#broken === -1 ? list : list.slice(0, this.#broken)).entries()) {
      const key = isObject(item) ? fieldOf(item, mergeKey) : undefined;
      if (key !== undefined) this.add(key, at);
    }
  }

  /** The position of the first item with this key, or -1. */
  find(key: Json): number {
    const at = this.#positions.get(key);
    if (at === undefined && this.#broken !== -1) {
      throw new PatchError("Internal", `value for key ${this.#broken} is not a map`);
    }
    return at ?? -1;
  }

  /** Adds an appended item. */
  add(key: Json, at: number): void {
    if (!this.#positions.has(key)) this.#positions.set(key, at);
  }
}

/** Longer lists keep the first of equal items in its place: the server's order needs a comparison of all pairs. */
const maxReordered = 1000;

/** The items without duplicates; a duplicate gives its place to the last one, as in the server. */
export function withoutRepeats(items: JsonList): Json[] {
  const distinct = new Set(items);
  if (distinct.size === items.length || items.length > maxReordered) return [...distinct];
  const kept = [...items];
  for (let i = 0; i < kept.length - 1; i++) {
    for (let j = i + 1; j < kept.length; j++) {
      if (kept[i] !== kept[j]) continue;
      const last = kept.pop();
      if (j < kept.length && last !== undefined) kept[j] = last;
      j--;
    }
  }
  return kept;
}

/** Scalars sorted by their printed text. */
export function sortScalars(items: JsonList): Json[] {
  return sortByText(items, printValue);
}

/** Objects sorted by the printed text of their key. */
export function sortByKey(items: JsonList, mergeKey: string): Json[] {
  return sortByText(items, (item) => printValue(fieldOf(itemObject(item), mergeKey)));
}

/** Equal texts are swapped: the server's comparison is "not after", in an insertion sort. */
function sortByText(items: JsonList, textOf: (item: Json) => string): Json[] {
  const reversed = items.map((item) => ({ item, text: textOf(item) })).reverse();
  return reversed.sort((left, right) => compareText(left.text, right.text)).map(({ item }) => item);
}

/** How items are matched with those of an ordering list. */
export interface Matching {
  readonly kind: ItemKind;
  readonly mergeKey: string;
}

/** The positions of items in an ordering list: the first with the same key, or -1. */
function positionsIn(order: JsonList, { kind, mergeKey }: Matching): (item: Json) => number {
  const identity = (item: Json): Json | undefined =>
    kind === "scalar" ? item : isObject(item) ? (fieldOf(item, mergeKey) ?? null) : null;
  const positions = new Map<Json | undefined, number>();
  for (const [index, item] of order.entries()) {
    if (!positions.has(identity(item))) positions.set(identity(item), index);
  }
  return (item) => positions.get(identity(item)) ?? -1;
}

/** Items in the order of a list, deletions last; items that the list does not have move to the front. */
export function sortLike(items: JsonList, order: JsonList, matching: Matching): Json[] {
  const isDeletion = (item: Json) => matching.kind === "map" && itemObject(item)["$patch"] === "delete";
  if (matching.kind === "map") for (const item of [...items, ...order]) keyOf(item, matching.mergeKey);
  const position = positionsIn(order, matching);
  const present = items.filter((item) => !isDeletion(item));
  return [...sortPresent(present, position), ...items.filter(isDeletion)];
}

/**
 * The order that the server's insertion sort results in. An item that the list does not have is before every other item at its time, so it
 * stays directly before the first of the sorted items at that time.
 */
function sortPresent(items: JsonList, position: (item: Json) => number): Json[] {
  const known: { readonly item: Json; readonly at: number; readonly before: Json[] }[] = [];
  const last: Json[] = [];
  let first: { readonly at: number; readonly before: Json[] } | undefined;
  for (const item of items) {
    const at = position(item);
    if (at < 0) {
      (first?.before ?? last).push(item);
      continue;
    }
    const entry = { item, at, before: [] };
    known.push(entry);
    if (first === undefined || at < first.at) first = entry;
  }
  known.sort((left, right) => left.at - right.at);
  return [...known.flatMap(({ item, before }) => [...before.reverse(), item]), ...last.reverse()];
}

/** Items of a patch among those that only the server has, which stay before the items that they preceded. */
export function interleave(
  serverOnly: JsonList,
  patched: JsonList,
  order: { list: JsonList; matching: Matching },
): Json[] {
  const position = positionsIn(order.list, order.matching);
  const result: Json[] = [];
  let [left, right] = [0, 0];
  while (left < serverOnly.length || right < patched.length) {
    const [server, patch] = [serverOnly[left], patched[right]];
    const isServerNext =
      patch === undefined || (server !== undefined && standsBefore(position(server), position(patch)));
    if (isServerNext && server !== undefined) {
      result.push(server);
      left++;
    } else if (patch !== undefined) {
      result.push(patch);
      right++;
    }
  }
  return result;
}

function standsBefore(left: number, right: number): boolean {
  return left >= 0 && right >= 0 && left < right;
}
