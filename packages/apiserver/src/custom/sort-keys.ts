/** Custom objects are maps in Go: their keys are written in order, at every depth. */
import type { JsonObject, JsonValue } from "../builtin/draft.ts";

/** The same value with all keys sorted. */
export function sortKeys(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sortKeys);
  const sorted: JsonObject = {};
  for (const key of Object.keys(value).sort()) {
    const part = value[key];
    if (part === undefined) continue;
    if (key === "__proto__") {
      Object.defineProperty(sorted, key, {
        value: sortKeys(part),
        enumerable: true,
        writable: true,
        configurable: true,
      });
    } else sorted[key] = sortKeys(part);
  }
  return sorted;
}
