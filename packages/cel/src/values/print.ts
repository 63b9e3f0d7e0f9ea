/** Values in messages: short and readable, not meant to be parsed. */

import { formatDouble } from "./number.ts";
import { formatDuration, formatTimestamp } from "./time.ts";
import type { CelResult, CelValue } from "./value.ts";
import { CelDuration, CelError, CelList, CelMap, CelObject, CelOptional, CelTimestamp, CelUint } from "./value.ts";
import { toHex } from "./text.ts";
import { spend } from "../work.ts";

export function print(value: CelResult): string {
  spend(1);
  if (value === null) return "null";
  switch (typeof value) {
    case "string":
      spend(value.length / 16);
      return value;
    case "number":
      return formatDouble(value);
    case "bigint":
    case "boolean":
      return String(value);
    default:
      return printObject(value);
  }
}

function printObject(value: CelError | Exclude<CelValue, null | string | number | bigint | boolean>): string {
  if (value instanceof CelError) return value.message;
  if (value instanceof CelUint) return value.value.toString();
  if (value instanceof CelList) return `[${value.toArray().map(print).join(", ")}]`;
  if (value instanceof CelMap) return printMap(value);
  if (value instanceof CelOptional)
    return value.value === undefined ? "optional.none()" : `optional(${print(value.value)})`;
  if (value instanceof CelDuration) return formatDuration(value);
  if (value instanceof CelTimestamp) return formatTimestamp(value);
  if (value instanceof Uint8Array) return toHex(value);
  return value instanceof CelObject ? (value.text ?? value.type.name) : value.name;
}

function printMap(map: CelMap): string {
  return `{${Array.from(map.keys(), (key) => `${print(key)}: ${print(map.get(key) ?? null)}`).join(", ")}}`;
}
