/** `x in [constants]` as one look into a set. */

import { isNumeric } from "../values/compare.ts";
import type { CelResult, CelValue } from "../values/value.ts";
import { CelError, CelList, CelUint } from "../values/value.ts";
import type { Step } from "./frame.ts";

type Key = string | boolean | bigint | number | null;

/** The test, "never" when the list is empty, or undefined when it is not a list of simple constants. */
export function constantMembership(
  args: readonly (CelResult | undefined)[],
  steps: () => readonly Step[],
): Step | "never" | undefined {
  const list = args[1];
  if (!(list instanceof CelList)) return undefined;
  if (list.size === 0) return "never";
  const items = list.toArray();
  if (!items.every((item) => item !== null && isSimple(item))) return undefined;
  const keys = new Set(items.map(keyOf));
  const [operand] = steps();
  if (!operand) return undefined;
  return (frame) => {
    const value = operand(frame);
    if (value instanceof CelError) return value;
    return isSimple(value) && !Number.isNaN(value) && keys.has(keyOf(value));
  };
}

function isSimple(value: CelValue): boolean {
  return value === null || typeof value === "string" || typeof value === "boolean" || isNumeric(value);
}

/** Numbers of equal worth share a key. */
function keyOf(value: CelValue): Key {
  if (typeof value === "number") return Number.isInteger(value) ? BigInt(value) : value;
  return value instanceof CelUint ? value.value : (value as Key);
}
