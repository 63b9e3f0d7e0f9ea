/** Creates strategic merge patches from two or three versions of an object, like client-side apply. */
import { isDeepEqual, type Json } from "@capstan/model";
import type { ThreeVersions } from "../document/merge-patch.ts";
import { PatchError } from "../errors.ts";
import { printValue, typeName } from "../go-print.ts";
import { fieldOf, isList, isObject, setField, type JsonDraft, type JsonList, type JsonObject } from "../json-value.ts";
import { combinePatches } from "./apply.ts";
import { patchesConflict } from "./conflicts.ts";
import { deleteList, directive, orderList, retainKeys } from "./directives.ts";
import { itemKindOf, itemObject, keyOf, sortByKey, sortLike, sortScalars, withoutRepeats } from "./lists.ts";
import { findField, findListField, type FoundField, type PatchType } from "./patch-type.ts";

/** The strategic merge patch that turns one object into another. */
export function createStrategicPatch(original: JsonObject, modified: JsonObject, type: PatchType): JsonObject {
  return diffMaps(original, modified, { type, only: "everything", setOrder: true, retains: false });
}

/** Whether changes of others since the last apply are overwritten or rejected. */
export interface ThreeWayOptions {
  readonly overwrite: boolean;
}

/** The patch that turns the live object into the desired one: changes against live, deletions against last applied. */
export function createThreeWayStrategicPatch(
  versions: ThreeVersions,
  type: PatchType,
  options: ThreeWayOptions,
): JsonObject {
  const { original, modified, current } = versions;
  const changes = diffMaps(current, modified, { type, only: "changes", setOrder: true, retains: false });
  const deletions = diffMaps(original, modified, { type, only: "deletions", setOrder: true, retains: false });
  const patch = combinePatches(deletions, changes, type);
  if (options.overwrite) return patch;
  const others = diffMaps(original, current, { type, only: "everything", setOrder: false, retains: false });
  if (!patchesConflict(patch, others, type)) return patch;
  const lists = `patch:\n${JSON.stringify(patch)}\nconflicts with changes made from original to current:\n`;
  throw new PatchError("Conflict", `${lists}${JSON.stringify(others)}\n`);
}

interface Diff {
  readonly type: PatchType;
  readonly only: "everything" | "changes" | "deletions";
  readonly setOrder: boolean;
  /** Whether the patch must list the retained fields. */
  readonly retains: boolean;
}

function diffMaps(original: JsonObject, modified: JsonObject, diff: Diff): JsonObject {
  const patch: JsonDraft = {};
  for (const [key, value] of Object.entries(modified))
    if (value !== undefined) diffField(patch, key, { original, value, diff });
  if (diff.only !== "changes") {
    for (const key of Object.keys(original)) if (fieldOf(modified, key) === undefined) setField(patch, key, null);
  }
  const kept = diff.retains ? Object.keys(modified).filter((key) => (modified[key] ?? null) !== null) : [];
  if (kept.length > 0 && (Object.keys(patch).length > 0 || losesField(original, modified))) {
    patch[retainKeys] = sortScalars(kept);
  }
  return patch;
}

function losesField(original: JsonObject, modified: JsonObject): boolean {
  return Object.entries(original).some(([key, value]) => value != null && fieldOf(modified, key) === undefined);
}

interface FieldDiff {
  readonly original: JsonObject;
  readonly value: Json;
  readonly diff: Diff;
}

function diffField(patch: JsonDraft, key: string, { original, value, diff }: FieldDiff): void {
  const before = fieldOf(original, key);
  const change = (): void => {
    if (diff.only !== "deletions") setField(patch, key, value);
  };
  if (before === undefined) return change();
  if (key === directive) return diffDirective(patch, before, value);
  if (typeName(before) !== typeName(value)) return change();
  if (isObject(before) && isObject(value)) return diffObject(patch, key, { before, value, diff });
  if (isList(before) && isList(value)) return diffList(patch, key, { before, value, diff });
  if (before !== value) change();
}

function diffDirective(patch: JsonDraft, before: Json, value: Json): void {
  if (typeof before !== "string" || typeof value !== "string") {
    throw new PatchError("Internal", `invalid value for special key: ${directive}`);
  }
  if (before !== value) patch[directive] = value;
}

type ObjectDiff = { readonly before: JsonObject; readonly value: JsonObject; readonly diff: Diff };

function diffObject(patch: JsonDraft, key: string, { before, value, diff }: ObjectDiff): void {
  const field = findOr(() => findField(diff.type, key), isDeepEqual(before, value));
  if (field === undefined) return;
  if (field.strategy === "replace") {
    if (diff.only !== "deletions") setField(patch, key, value);
    return;
  }
  const inner = diffMaps(before, value, { ...diff, type: field.type, retains: field.retainKeys });
  if (Object.keys(inner).length > 0) setField(patch, key, inner);
}

type ListDiff = { readonly before: JsonList; readonly value: JsonList; readonly diff: Diff };

function diffList(patch: JsonDraft, key: string, { before, value, diff }: ListDiff): void {
  const field = findOr(() => findListField(diff.type, key), isDeepEqual(before, value));
  if (field === undefined) return;
  if (field.strategy !== "merge") {
    if (diff.only !== "deletions" && !isDeepEqual(before, value)) setField(patch, key, value);
    return;
  }
  const inner: Diff = { ...diff, type: field.type, retains: field.retainKeys };
  const { changes, deletions, order } = diffMergingLists(before, value, { diff: inner, field });
  if (changes.length > 0) setField(patch, key, changes);
  if (deletions.length > 0) setField(patch, deleteList.keyFor(key), deletions);
  if (order.length > 0) setField(patch, orderList.keyFor(key), order);
}

/** An unknown field does no harm as long as it is the same on both sides. */
function findOr(find: () => FoundField, isSame: boolean): FoundField | undefined {
  try {
    return find();
  } catch (error) {
    if (isSame) return undefined;
    throw error;
  }
}

/** The changes of a list: items to merge, scalars to delete, and the order of the remaining items. */
interface ListChange {
  readonly changes: JsonList;
  readonly deletions: JsonList;
  readonly order: JsonList;
}

interface ListContext {
  readonly diff: Diff;
  readonly field: FoundField;
}

function diffMergingLists(before: JsonList, after: JsonList, { diff, field }: ListContext): ListChange {
  if (before.length === 0) {
    return { changes: diff.only === "deletions" ? [] : after, deletions: [], order: [] };
  }
  const kind = itemKindOf(before, after);
  return kind === "map" ? diffObjects(before, after, { diff, field }) : diffScalars(before, after, { diff, field });
}

function diffObjects(before: JsonList, after: JsonList, { diff, field }: ListContext): ListChange {
  const { mergeKey } = field;
  const { changed, deleted } = pairItems(sortByKey(before, mergeKey), sortByKey(after, mergeKey), { diff, field });
  const changes = [...sortLike(changed, after, { kind: "map", mergeKey }), ...deleted];
  const isReordered = !hasSameOrder(before, after, mergeKey);
  const hasOrder =
    diff.setOrder &&
    ((diff.only !== "deletions" && (changes.length > 0 || isReordered)) ||
      (diff.only !== "changes" && changes.length > 0));
  const order = hasOrder ? after.map((item) => ({ [mergeKey]: fieldOf(itemObject(item), mergeKey) ?? null })) : [];
  return { changes, deletions: [], order };
}

function hasSameOrder(before: JsonList, after: JsonList, mergeKey: string): boolean {
  return (
    before.length === after.length && after.every((item, at) => keyOf(before[at], mergeKey) === keyOf(item, mergeKey))
  );
}

/** Walks both lists, sorted by key, in parallel. */
function pairItems(
  before: JsonList,
  after: JsonList,
  { diff, field }: ListContext,
): { changed: Json[]; deleted: Json[] } {
  const { mergeKey } = field;
  const [changed, deleted]: [Json[], Json[]] = [[], []];
  let [left, right] = [0, 0];
  while (left < before.length || right < after.length) {
    const [old, current] = [before[left], after[right]];
    const oldKey = old === undefined ? undefined : keyOf(old, mergeKey);
    const key = current === undefined ? undefined : keyOf(current, mergeKey);
    const order = compareKeys(oldKey, key);
    if (order === 0) {
      const inner = diffMaps(itemObject(old), itemObject(current), diff);
      if (Object.keys(inner).length > 0) changed.push({ ...inner, [mergeKey]: key });
    } else if (order > 0) {
      if (diff.only !== "deletions" && current !== undefined) changed.push(current);
    } else if (diff.only !== "changes") {
      deleted.push({ [mergeKey]: oldKey, [directive]: "delete" });
    }
    if (order <= 0) left++;
    if (order >= 0) right++;
  }
  return { changed, deleted };
}

/** The order of two keys by their text; a list that has ended comes last. */
function compareKeys(left: Json | undefined, right: Json | undefined): number {
  if (left === undefined) return 1;
  if (right === undefined) return -1;
  const [leftText, rightText] = [printValue(left), printValue(right)];
  return leftText === rightText ? 0 : leftText < rightText ? -1 : 1;
}

function diffScalars(before: JsonList, after: JsonList, { diff, field }: ListContext): ListChange {
  const [added, removed]: [Json[], Json[]] = [[], []];
  const [old, current] = [sortScalars(before), sortScalars(after)];
  let [left, right] = [0, 0];
  while (left < old.length || right < current.length) {
    const order = compareKeys(old[left], current[right]);
    if (order > 0 && diff.only !== "deletions") added.push(current[right] ?? null);
    if (order < 0 && diff.only !== "changes") removed.push(old[left] ?? null);
    if (order <= 0) left++;
    if (order >= 0) right++;
  }
  const deletions = withoutRepeats(removed);
  const changes = sortLike(added, after, { kind: "scalar", mergeKey: field.mergeKey });
  return { changes, deletions, order: diff.setOrder && needsOrder(diff, deletions, { old, after }) ? after : [] };
}

/** The server compares with the sorted list: an order is sent unless the desired scalars are sorted and all there. */
function needsOrder(diff: Diff, deletions: JsonList, { old, after }: { old: JsonList; after: JsonList }): boolean {
  if (diff.only !== "changes" && deletions.length > 0) return true;
  return diff.only !== "deletions" && !isDeepEqual(old, after);
}
