/** Loops over lists and maps, and the bindings that are written as loops over nothing. */

import type { CelResult, CelValue } from "../values/value.ts";
import {
  ArrayList,
  CelError,
  CelList,
  CelMap,
  EntryMap,
  fail,
  GrowingList,
  GrowingMap,
  typeOfValue,
} from "../values/value.ts";
import { print } from "../values/print.ts";
import type { Frame, Step } from "./frame.ts";

/** A planned comprehension; slots are where its variables live in the frame. */
export interface PlannedLoop {
  readonly range: Step;
  readonly condition: Step;
  readonly step: Step;
  readonly result: Step;
  readonly accuSlot: number;
  readonly iterSlot: number;
  /** Absent for one variable. */
  readonly iterSlot2: number | undefined;
}

export function planLoop(loop: PlannedLoop): Step {
  return (frame) => {
    frame.locals[loop.accuSlot] = undefined;
    const range = loop.range(frame);
    if (range instanceof CelError) return range;
    if (range instanceof CelList) loopList(frame, loop, range);
    else if (range instanceof CelMap) loopMap(frame, loop, range);
    else return notIterable(loop, range);
    return settle(loop.result(frame));
  };
}

function notIterable(loop: PlannedLoop, range: CelValue): CelError {
  const kind = goTypeName(range);
  return loop.iterSlot2 === undefined
    ? fail(`got '${kind}', expected iterable type`)
    : fail(`unsupported comprehension range type: ${kind}`);
}

/** What cel-go calls the representation of a value. */
function goTypeName(value: CelValue): string {
  const type = typeOfValue(value);
  if (type.kind === "opaque") return "*types.Optional";
  if (type.kind === "type") return "*types.Type";
  return `types.${type.kind.charAt(0).toUpperCase()}${type.kind.slice(1)}`;
}

function loopList(frame: Frame, loop: PlannedLoop, list: CelList): void {
  const { size } = list;
  for (let index = 0; index < size; index++) {
    if (loop.iterSlot2 === undefined) frame.locals[loop.iterSlot] = list.at(index);
    else {
      frame.locals[loop.iterSlot] = BigInt(index);
      frame.locals[loop.iterSlot2] = list.at(index);
    }
    if (!turn(frame, loop)) return;
  }
}

function loopMap(frame: Frame, loop: PlannedLoop, map: CelMap): void {
  for (const key of map.keys()) {
    frame.locals[loop.iterSlot] = key;
    if (loop.iterSlot2 !== undefined) frame.locals[loop.iterSlot2] = map.get(key) ?? null;
    if (!turn(frame, loop)) return;
  }
}

/** One iteration; false when the condition shows that further ones cannot matter. */
function turn(frame: Frame, loop: PlannedLoop): boolean {
  if (loop.condition(frame) === false) return false;
  frame.locals[loop.accuSlot] = loop.step(frame);
  return true;
}

/** An empty initial container becomes one that grows in place. */
export function growing(initial: CelResult): CelResult {
  if (initial instanceof CelList && initial.size === 0) return new GrowingList([]);
  return initial instanceof CelMap && initial.size === 0 ? new GrowingMap() : initial;
}

/** What has grown stops growing when the loop is over. */
function settle(result: CelResult): CelResult {
  if (result instanceof GrowingList) return new ArrayList(result.items);
  return result instanceof GrowingMap ? copyOf(result) : result;
}

function copyOf(map: EntryMap): EntryMap {
  const copy = new EntryMap();
  for (const [key, entry] of map.entries) copy.entries.set(key, entry);
  return copy;
}

/** Adds a key to a map that is being built. */
export function insert(map: CelValue, key: CelValue, value: CelValue): CelResult {
  if (!(map instanceof CelMap)) return fail("no such overload");
  if (map.get(key) !== undefined) return fail(`insert failed: key ${print(key)} already exists`);
  const target = map instanceof GrowingMap ? map : copyInto(new EntryMap(), map);
  return target.set(key, value) ? target : fail("unsupported key type");
}

function copyInto(target: EntryMap, source: CelMap): EntryMap {
  for (const key of source.keys()) target.set(key, source.get(key) as CelValue);
  return target;
}
