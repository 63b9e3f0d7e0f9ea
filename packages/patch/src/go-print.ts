/** Prints JSON values as Go's `%v` and `%#v` do: some messages of the API server contain them. */
import { isLargeInteger, quote, type Json } from "@capstan/model";
import { isList, isObject } from "./json-value.ts";

/** The value as `%v` prints it. */
export function printValue(value: Json | undefined): string {
  if (value === null || value === undefined) return "<nil>";
  if (isList(value)) return `[${value.map(printValue).join(" ")}]`;
  if (!isObject(value)) return typeof value === "number" ? printNumber(value) : String(value);
  const fields = sortedKeys(value).map((key) => `${key}:${printValue(value[key])}`);
  return `map[${fields.join(" ")}]`;
}

/** The value as `%s` prints it: anything but a string is printed with its type. */
export function printAsText(value: Json): string {
  if (typeof value === "string") return value;
  if (value === null) return "%!s(<nil>)";
  if (isList(value)) return `[${value.map(printAsText).join(" ")}]`;
  if (isObject(value)) {
    return `map[${sortedKeys(value)
      .map((key) => `${key}:${printAsText(value[key] ?? null)}`)
      .join(" ")}]`;
  }
  return `%!s(${typeName(value)}=${printValue(value)})`;
}

/** The value as `%#v` prints it. */
export function printSource(value: Json | undefined): string {
  if (value === null || value === undefined) return "interface {}(nil)";
  if (isList(value)) return `[]interface {}{${value.map(printSource).join(", ")}}`;
  if (typeof value === "string") return quote(value);
  if (!isObject(value)) return printValue(value);
  const fields = sortedKeys(value).map((key) => `${quote(key)}:${printSource(value[key])}`);
  return `map[string]interface {}{${fields.join(", ")}}`;
}

/** The name of the Go type that a decoded JSON value has. */
export function typeName(value: Json | undefined): string {
  if (value === null || value === undefined) return "<nil>";
  if (isList(value)) return "[]interface {}";
  if (isObject(value)) return "map[string]interface {}";
  if (isLargeInteger(value)) return "int64";
  if (typeof value === "number") return isInteger(value) ? "int64" : "float64";
  return typeof value === "boolean" ? "bool" : "string";
}

/** Integers that a number cannot hold are bigints; so large a number was written as a float. */
function isInteger(value: number): boolean {
  return Number.isSafeInteger(value);
}

/** Anything but a 64-bit integer is a float for Go, and `%v` writes floats with exponents below -4 and from 6 up. */
function printNumber(value: number): string {
  if (isInteger(value)) return String(value);
  const [digits = "", sized = "0"] = value.toExponential().split("e");
  const exponent = Number(sized);
  if (exponent >= -4 && exponent < 6) return String(value);
  return `${digits}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

function sortedKeys(object: { readonly [key: string]: Json | undefined }): string[] {
  return Object.keys(object).sort();
}
