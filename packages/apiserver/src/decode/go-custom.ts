/** The built-in types with a custom JSON form: times, quantities, IntOrString, raw values. */
import {
  formatDuration,
  formatInstant,
  formatMicroInstant,
  normalizeQuantity,
  parseDuration,
  parseMicroTime,
  ParseError,
  parseTime,
  toGoJson,
} from "@capstan/model";
import type { JsonValue } from "../builtin/draft.ts";
import type { GoReader } from "./go-codec.ts";
import { structOf, type GoType } from "./go-type.ts";
import { NumberLiteral, withoutLiterals } from "./number-literal.ts";
import { TypeMismatchError } from "./strict.ts";

type Custom = GoType & { type: "custom" };

/** Reads a value of a custom type. An error here stops the reading, as an error of Go's `UnmarshalJSON` does. */
export function readCustom(reader: GoReader, type: Custom, value: JsonValue): JsonValue | undefined {
  if (value === null) return undefined;
  switch (type.rule) {
    case "time":
      return unlessZero(parsed(reader, value, (text) => formatInstant(parseTime(text))));
    case "microTime":
      return parsed(reader, value, (text) => formatMicroInstant(parseMicroTime(text)));
    case "duration":
      return parsed(reader, value, (text) => formatDuration(parseDuration(text)));
    case "quantity":
      return quantity(value);
    case "intOrString":
      return intOrString(reader, value);
    case "raw":
    case "fields":
    case "json":
      return withoutLiterals(value) as JsonValue;
    case "schemaOrBool":
    case "schemaOrArray":
    case "schemaOrStrings":
      return schemaOr(reader, type, value);
  }
}

/** A schema, or the shorter form that this field allows. */
function schemaOr(reader: GoReader, { rule }: Custom, value: JsonValue): JsonValue | undefined {
  if (rule === "schemaOrBool" && typeof value === "boolean") return value;
  if (rule === "schemaOrStrings" && Array.isArray(value)) return value;
  if (Array.isArray(value)) return value.map((item) => reader.read(schema(), item) ?? null);
  return reader.read(schema(), value);
}

function schema(): GoType {
  return structOf("apiextensions/v1.JSONSchemaProps");
}

function parsed(reader: GoReader, value: JsonValue, parse: (text: string) => string): JsonValue {
  if (typeof value !== "string") throw misfit(reader, "string", value);
  return asMismatch(() => parse(value));
}

/** Go's zero time counts as absent. */
function unlessZero(time: JsonValue): JsonValue | undefined {
  return time === "0001-01-01T00:00:00Z" ? undefined : time;
}

function quantity(value: JsonValue): JsonValue {
  const text = typeof value === "string" ? trimSpaces(value) : literalOf(value);
  return asMismatch(() => normalizeQuantity(text));
}

/** The spaces that Go trims around a quantity. It trims the raw text, in which other spaces are escaped. */
const space = /^[\p{Zs}\p{Zl}\p{Zp}\u0085]$/u;

function trimSpaces(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && space.test(text.charAt(start))) start++;
  while (end > start && space.test(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

function literalOf(value: JsonValue): string {
  return value instanceof NumberLiteral ? value.text : toGoJson(value);
}

function intOrString(reader: GoReader, value: JsonValue): JsonValue {
  if (typeof value === "string") return value;
  if (typeof value === "number" && Number.isInteger(value) && value >= -(2 ** 31) && value < 2 ** 31) return value;
  throw misfit(reader, "int32", value);
}

/** Go's converter also uses a JSON decoder for such a value, which does not know the field. */
function misfit(reader: GoReader, go: string, value: JsonValue): TypeMismatchError {
  const isNumber = typeof value === "number" || typeof value === "bigint" || value instanceof NumberLiteral;
  const literal = isNumber && go === "int32" ? ` ${literalOf(value)}` : "";
  const { message } = reader.mismatchError(go, value, { literal });
  return new TypeMismatchError(message, { conversion: message.replace(/into .* of type/, "into Go value of type") });
}

function asMismatch(parse: () => string): string {
  try {
    return parse();
  } catch (error) {
    if (error instanceof ParseError) throw new TypeMismatchError(error.message);
    throw error;
  }
}
