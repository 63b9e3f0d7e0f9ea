/** Values as Go prints them with `%+v`: `map[data:map[x:1]]`. */
import type { JsonValue } from "../builtin/draft.ts";

/** A JSON value in Go's own notation. */
export function printGoMap(value: JsonValue): string {
  if (value === null) return "<nil>";
  if (Array.isArray(value)) return `[${value.map(printGoMap).join(" ")}]`;
  if (typeof value !== "object") return String(value);
  const keys = Object.keys(value).sort();
  return `map[${keys.map((key) => `${key}:${printGoMap(value[key] ?? null)}`).join(" ")}]`;
}
