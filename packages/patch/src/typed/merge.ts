/** Merges an applied value into a live one: what is applied wins, what it does not mention stays. */
import type { Json } from "@capstan/model";
import type { PathElement } from "../fields/path-element.ts";
import { setField, type JsonDraft, type JsonList, type JsonObject } from "../json-value.ts";
import { fieldType, type ListType, type MapType, type TypeSchema } from "../schema/type-schema.ts";
import { asList, asObject, itemElement, preferredShape, shapeOf } from "./shape.ts";

/** The merged value. Both must be valid; unchanged parts are shared with the live value. */
export function mergeValues(live: Json | undefined, applied: Json | undefined, type: TypeSchema): Json | undefined {
  if (applied === undefined) return live;
  if (live === undefined || live === applied) return applied;
  switch (preferredShape(type, shapeOf(type, applied))) {
    case "map":
      return mergeMaps(live, applied, type.map);
    case "list":
      return mergeLists(live, applied, type.list);
    case "scalar":
      return applied;
  }
}

function mergeMaps(live: Json, applied: Json, map: MapType | undefined): Json | undefined {
  const [left, right] = [asObject(live), asObject(applied)];
  const isLeaf = isEmptyObject(left) && isEmptyObject(right);
  if (map === undefined || map.kind === "atomic" || isLeaf) return applied;
  return mergeFields(left ?? {}, right ?? {}, map);
}

function isEmptyObject(object: JsonObject | undefined): boolean {
  for (const key in object) if (object[key] !== undefined) return false;
  return true;
}

function mergeFields(live: JsonObject, applied: JsonObject, map: MapType): JsonObject {
  let merged: JsonDraft | undefined;
  for (const name in applied) {
    const wanted = applied[name];
    const type = fieldType(map, name);
    if (wanted === undefined || type === undefined) continue;
    const current = Object.hasOwn(live, name) ? live[name] : undefined;
    const value = mergeValues(current, wanted, type());
    if (value === current) continue;
    merged ??= { ...live };
    if (value === undefined) delete merged[name];
    else setField(merged, name, value);
  }
  return merged ?? live;
}

function mergeLists(live: Json, applied: Json, list: ListType | undefined): Json | undefined {
  const [left, right] = [asList(live) ?? [], asList(applied) ?? []];
  if (list === undefined || list.kind === "atomic") return applied;
  if (left.length === 0 && right.length === 0) return applied;
  const merged = mergeItems(index(left, list), index(right, list), list.element());
  if (merged.length === 0) return undefined;
  return merged.length === left.length && merged.every((item, at) => item === left[at]) ? live : merged;
}

/** A list with the step to each item; `byStep` has null for a duplicate item. */
interface IndexedList {
  readonly items: JsonList;
  readonly steps: readonly PathElement[];
  readonly byStep: ReadonlyMap<PathElement, Json>;
}

function index(items: JsonList, list: ListType): IndexedList {
  const steps: PathElement[] = [];
  const byStep = new Map<PathElement, Json>();
  for (const item of items) {
    const step = itemElement(list, item);
    if (typeof step !== "string") continue;
    byStep.set(step, byStep.has(step) ? null : item);
    steps.push(step);
  }
  return { items, steps, byStep };
}

/**
 * The items of both lists. Shared items keep the order of the applied list; items of one list only stay behind the neighbour that they
 * have there.
 */
function mergeItems(live: IndexedList, applied: IndexedList, type: TypeSchema): Json[] {
  const merged: Json[] = [];
  const placed = new Set<PathElement>();
  const shared = applied.steps.filter((step) => live.byStep.has(step));
  let [nextShared, left, right] = [0, 0, 0];
  const place = (step: PathElement): void => {
    placed.add(step);
    const value = mergeValues(live.byStep.get(step), applied.byStep.get(step), type);
    if (value !== undefined) merged.push(value);
  };
  while (left < live.steps.length || right < applied.steps.length) {
    const [liveStep, appliedStep] = [live.steps[left], applied.steps[right]];
    if (liveStep !== undefined && liveStep === appliedStep) {
      place(liveStep);
      left++;
      right++;
      nextShared++;
      continue;
    }
    if (liveStep !== undefined && !applied.byStep.has(liveStep)) {
      merged.push(live.items[left] ?? null);
      left++;
      continue;
    }
    if (liveStep !== undefined && appliedStep !== undefined && isOutOfTurn(liveStep, shared[nextShared])) {
      left++;
      continue;
    }
    if (liveStep !== undefined && placed.has(liveStep)) left++;
    if (appliedStep === undefined) continue;
    place(appliedStep);
    right++;
    if (shared[nextShared] === appliedStep) nextShared++;
  }
  return merged;
}

/** Whether a shared item comes later in the applied order: it is placed when the loop reaches it there. */
function isOutOfTurn(step: PathElement, nextShared: PathElement | undefined): boolean {
  return nextShared !== undefined && nextShared !== step;
}
