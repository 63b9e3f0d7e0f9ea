/** Prints values like Go's fmt, strconv and encoding/json, because the server's messages use them. */
import { isLargeInteger, type Json } from "@capstan/model";

/** A Go struct as JSON shows it: fields in their declared order, where the keys of plain objects are sorted. */
export type GoStruct = ReadonlyMap<string, GoValue>;

/** A value in a message. */
export type GoValue = Json | GoStruct | readonly GoValue[];

/** Marks a number as a float64. */
export function asFloat(value: number): GoStruct {
  return new Map([[float64, value]]);
}

const float64 = "float64";

/** The marked number, if it is one. */
export function markedFloat(value: GoValue): number | undefined {
  const marked = value instanceof Map && value.size === 1 ? value.get(float64) : undefined;
  return typeof marked === "number" ? marked : undefined;
}

/** Whether the server's decoder made this number an int64 rather than a float64; integers that a number cannot hold are bigints. */
export function isInt64(value: number): boolean {
  return Number.isSafeInteger(value);
}

/** A number as `%v` prints it: int64 in full, float64 in the shortest form, with an exponent from seven digits or below 1e-4. */
export function formatNumber(value: number): string {
  return isInt64(value) ? String(value) : formatFloat(value);
}

/** A float64 as `%v` prints it. */
export function formatFloat(value: number): string {
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  const [mantissa = "", exponentText = "0"] = value.toExponential().split("e");
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < 6) return String(value);
  const sign = exponent < 0 ? "-" : "+";
  return `${mantissa}e${sign}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

/** Whether Go calls the character printable. */
export function isPrintable(character: string): boolean {
  return printable.test(character);
}

const htmlEscapes: Readonly<Record<string, string>> = {
  "<": "\\u003c",
  ">": "\\u003e",
  "&": "\\u0026",
  "\u2028": "\\u2028",
  "\u2029": "\\u2029",
};

function jsonString(text: string): string {
  return JSON.stringify(text).replace(/[<>&\u2028\u2029]/g, (character) => htmlEscapes[character] ?? character);
}

/** A value as json.Marshal writes it: keys of maps sorted, `<`, `>` and `&` escaped. */
export function marshal(value: GoValue | undefined): string {
  if (value === undefined || value === null) return "null";
  if (typeof value === "string") return jsonString(value);
  if (typeof value === "number" || typeof value === "boolean" || isLargeInteger(value)) return String(value);
  if (Array.isArray(value)) return `[${value.map((item: GoValue) => marshal(item)).join(",")}]`;
  const entries =
    value instanceof Map ? [...value] : sortedEntries(value as { readonly [key: string]: Json | undefined });
  return `{${entries.map(([key, item]) => `${jsonString(key)}:${marshal(item as GoValue)}`).join(",")}}`;
}

function sortedEntries(value: { readonly [key: string]: Json | undefined }): [string, Json | undefined][] {
  return Object.keys(value)
    .sort()
    .map((key) => [key, value[key]]);
}
