/** Lists, maps and objects that an expression writes out. */

import type { CelResult, CelValue } from "../values/value.ts";
import { ArrayList, CelError, CelOptional, EntryMap, fail } from "../values/value.ts";
import { print } from "../values/print.ts";
import type { Frame, Step } from "./frame.ts";

const LIST_COST = 10;
const MAP_COST = 30;
const OBJECT_COST = 40;

export function planList(elements: readonly Step[], optionals: ReadonlySet<number>): Step {
  return charged(LIST_COST, (frame) => {
    const items: CelValue[] = [];
    for (let index = 0; index < elements.length; index++) {
      const value = (elements[index] as Step)(frame);
      if (value instanceof CelError) return value;
      if (!optionals.has(index)) items.push(value);
      else if (!(value instanceof CelOptional)) return badElement(value);
      else if (value.value !== undefined) items.push(value.value);
    }
    return new ArrayList(items);
  });
}

function badElement(value: CelValue): CelError {
  return fail(`cannot initialize optional list element from non-optional value ${print(value)}`);
}

/** One entry of a map that is written out. */
export interface PlannedEntry {
  readonly key: Step;
  readonly value: Step;
  readonly optional: boolean;
}

export function planMap(entries: readonly PlannedEntry[]): Step {
  return charged(MAP_COST, (frame) => {
    const map = new EntryMap();
    for (const entry of entries) {
      const key = entry.key(frame);
      if (key instanceof CelError) return key;
      const value = entryValue(frame, entry, print(key));
      if (value instanceof CelError) return value;
      if (value === undefined) map.delete(key);
      else if (!map.set(key, value)) return fail(`unsupported key type: ${typeof key}`);
    }
    return map;
  });
}

/** One field of an object that is written out. */
export interface PlannedField {
  readonly name: string;
  readonly value: Step;
  readonly optional: boolean;
}

export function planObject(
  fields: readonly PlannedField[],
  construct: (fields: ReadonlyMap<string, CelValue>) => CelResult,
): Step {
  return charged(OBJECT_COST, (frame) => {
    const values = new Map<string, CelValue>();
    for (const field of fields) {
      const value = entryValue(frame, field, field.name);
      if (value instanceof CelError) return value;
      if (value === undefined) values.delete(field.name);
      else values.set(field.name, value);
    }
    return construct(values);
  });
}

function entryValue(frame: Frame, entry: { value: Step; optional: boolean }, name: string): CelResult | undefined {
  const value = entry.value(frame);
  if (!entry.optional || value instanceof CelError) return value;
  if (value instanceof CelOptional) return value.value;
  return fail(`cannot initialize optional entry '${name}' from non-optional value ${print(value)}`);
}

function charged(cost: number, build: Step): Step {
  return (frame) => {
    const value = build(frame);
    frame.charge(cost);
    return value;
  };
}
