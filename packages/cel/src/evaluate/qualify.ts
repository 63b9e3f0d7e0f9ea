/** Field selection and indexing: one step of a path such as `a.b[c]`. */

import { isNumeric } from "../values/compare.ts";
import { print } from "../values/print.ts";
import type { CelResult, CelValue } from "../values/value.ts";
import { CelError, CelList, CelMap, CelObject, CelUint, fail, typeOfValue } from "../values/value.ts";

/** The value at a key, undefined when it is absent, or why it cannot be looked up. */
export function lookUp(container: CelValue, key: CelValue): CelResult | undefined {
  if (container instanceof CelMap) return container.get(key);
  if (container instanceof CelList) return lookUpIndex(container, key);
  if (container instanceof CelObject) return container.field ? container.field(print(key)) : undefined;
  return undefined;
}

/** Whether the key exists; for objects this is more than having a value. */
export function isPresent(container: CelValue, key: CelValue): boolean | CelError {
  if (container instanceof CelObject && container.has) return container.has(print(key));
  const value = lookUp(container, key);
  return value instanceof CelError && container instanceof CelList ? value : value !== undefined;
}

/** The error of a key that is not there. */
export function missing(container: CelValue, key: CelValue): CelError {
  return fail(container instanceof CelList ? `index out of bounds: ${print(key)}` : `no such key: ${print(key)}`);
}

function lookUpIndex(list: CelList, key: CelValue): CelResult | undefined {
  const index = toIndex(key);
  if (typeof index !== "number") return index;
  return index >= 0 && index < list.size ? list.at(index) : undefined;
}

function toIndex(key: CelValue): number | CelError {
  if (typeof key === "bigint") return Number(key);
  if (!isNumeric(key)) return fail(`unsupported index type '${typeOfValue(key).toString()}' in list`);
  const index = key instanceof CelUint ? Number(key.value) : key;
  return Number.isInteger(index) ? index : fail(`unsupported index value ${print(key)} in list`);
}
