/** How large a value is, as costs count it. */

import type { CelResult } from "../values/value.ts";
import { CelError, CelList, CelMap, CelObject, CelOptional, codePointCount } from "../values/value.ts";
import { encodeUtf8 } from "../values/text.ts";
import { spend } from "../work.ts";

/** Code points, bytes, elements or entries; one for everything else. */
export function sizeOfValue(value: CelResult): number {
  if (typeof value === "string") return codePointCount(value);
  if (value === null || typeof value !== "object" || value instanceof CelError) return 1;
  if (value instanceof CelList || value instanceof CelMap) return value.size;
  if (value instanceof Uint8Array) return value.length;
  return value instanceof CelObject ? (value.costSize ?? 1) : 1;
}

/** The same, looking into optionals: what the core operators use. */
export function sizeInOptional(value: CelResult): number {
  return value instanceof CelOptional && value.value !== undefined ? sizeInOptional(value.value) : sizeOfValue(value);
}

/** What reading a value to its last leaf costs. */
export function traversalCost(value: CelResult): number {
  spend(1);
  if (typeof value === "string") return Math.floor(encodeUtf8(value).length * 0.1);
  if (value instanceof Uint8Array) return Math.floor(value.length * 0.1);
  if (value instanceof CelList) return value.toArray().reduce<number>((cost, item) => cost + traversalCost(item), 0);
  if (!(value instanceof CelMap)) return 1;
  let cost = 0;
  for (const key of value.keys()) cost += traversalCost(key) + traversalCost(value.get(key) ?? null);
  return cost;
}
