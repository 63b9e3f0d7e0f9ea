/** A set of values as `==` compares them: one look for simple values, one comparison each for others. */

import { equals, isNumeric } from "./compare.ts";
import type { CelResult } from "./value.ts";
import { CelError, CelUint } from "./value.ts";
import { spend } from "../work.ts";

type Key = string | boolean | bigint | number | null;

/** Below this size ints and doubles compare exactly. */
const EXACT = 2n ** 53n;

export class ValueSet {
  private readonly keys: Set<Key> = new Set();
  private readonly others: CelResult[] = [];

  constructor(values: Iterable<CelResult> = []) {
    for (const value of values) this.add(value);
  }

  add(value: CelResult): void {
    spend(1);
    const key = keyOf(value);
    if (key === undefined) this.others.push(value);
    else this.keys.add(key);
  }

  has(value: CelResult): boolean {
    spend(1);
    if (value instanceof CelError) return false;
    const key = keyOf(value);
    return key === undefined ? this.others.some((other) => equals(value, other) === true) : this.keys.has(key);
  }
}

/** The key of a simple value; numbers of equal worth share it. NaN has none because it equals nothing. */
function keyOf(value: CelResult): Key | undefined {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (value instanceof CelError || !isNumeric(value)) return undefined;
  if (typeof value === "number") return keyOfDouble(value);
  const whole = value instanceof CelUint ? value.value : value;
  return whole < EXACT && whole > -EXACT ? whole : undefined;
}

function keyOfDouble(value: number): Key | undefined {
  if (Number.isNaN(value) || Math.abs(value) >= Number(EXACT)) return undefined;
  return Number.isInteger(value) ? BigInt(value) : value;
}
