/** Values as Go prints them with `%+v`: `map[data:map[x:1]]`. */
import type { JsonValue } from "../builtin/draft.ts";

/** A JSON value in Go's own notation. */
export function printGoMap(value: JsonValue): string {
  if (value === null) return "<nil>";
  if (Array.isArray(value)) return `[${value.map(printGoMap).join(" ")}]`;
  if (typeof value === "number") return printNumber(value);
  if (typeof value !== "object") return String(value);
  const keys = Object.keys(value).sort();
  return `map[${keys.map((key) => `${key}:${printGoMap(value[key] ?? null)}`).join(" ")}]`;
}

const beyondIntegers = 2 ** 63;

/** What is no integer of 64 bits is a float for Go, and `%v` writes floats with exponents below -4 and from 6 up. */
function printNumber(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < beyondIntegers) return String(value);
  const [digits = "", sized = "0"] = value.toExponential().split("e");
  const exponent = Number(sized);
  if (exponent >= -4 && exponent < 6) return String(value);
  return `${digits}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}
