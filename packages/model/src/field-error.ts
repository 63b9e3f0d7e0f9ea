/** Field errors, with the messages of the API server; import as a whole: `fieldErrors.required(path)`. */
import type { FieldPath } from "./field-path.ts";
import { quote, toGoJson } from "./go-text.ts";

/** The types of field errors; these are also the reasons of the causes of a Status. */
export type FieldErrorType =
  | "FieldValueNotFound"
  | "FieldValueRequired"
  | "FieldValueDuplicate"
  | "FieldValueInvalid"
  | "FieldValueNotSupported"
  | "FieldValueForbidden"
  | "FieldValueTooLong"
  | "FieldValueTooMany"
  | "FieldValueTooFew"
  | "FieldValueTooShort"
  | "FieldValueTypeInvalid"
  | "InternalError";

/** One error: the field, the type, and the message of the Status cause. */
export interface FieldError {
  readonly type: FieldErrorType;
  readonly field: FieldPath;
  /** The message without the field: `Invalid value: "x": must be ...`. */
  readonly body: string;
}

const titles: Readonly<Record<FieldErrorType, string>> = {
  FieldValueNotFound: "Not found",
  FieldValueRequired: "Required value",
  FieldValueDuplicate: "Duplicate value",
  FieldValueInvalid: "Invalid value",
  FieldValueNotSupported: "Unsupported value",
  FieldValueForbidden: "Forbidden",
  FieldValueTooLong: "Too long",
  FieldValueTooMany: "Too many",
  FieldValueTooFew: "Too few",
  FieldValueTooShort: "Too short",
  FieldValueTypeInvalid: "Invalid value",
  InternalError: "Internal error",
};

/** A value that the message must not show. */
export const omittedValue: unique symbol = Symbol("value omitted");

/** A missing value. */
export function required(field: FieldPath, detail = ""): FieldError {
  return { type: "FieldValueRequired", field, body: withDetail(titles.FieldValueRequired, detail) };
}

/** A value that is malformed or out of bounds. */
export function invalid(field: FieldPath, value: unknown, detail: string): FieldError {
  return showing("FieldValueInvalid", { field, value, detail });
}

/** A value of the wrong type. */
export function typeInvalid(field: FieldPath, value: unknown, detail: string): FieldError {
  return showing("FieldValueTypeInvalid", { field, value, detail });
}

/** A reference to something that does not exist. */
export function notFound(field: FieldPath, value: unknown): FieldError {
  return showing("FieldValueNotFound", { field, value, detail: "" });
}

/** A value that must be unique and is not. */
export function duplicate(field: FieldPath, value: unknown): FieldError {
  return showing("FieldValueDuplicate", { field, value, detail: "" });
}

/** A value that is not one of the allowed ones. */
export function notSupported(field: FieldPath, value: unknown, allowed: readonly string[]): FieldError {
  const detail = allowed.length === 0 ? "" : `supported values: ${allowed.map(quote).join(", ")}`;
  return showing("FieldValueNotSupported", { field, value, detail });
}

/** The same for a string of a named Go type, like most enumerations. */
export function notSupportedName(field: FieldPath, value: string, allowed: readonly string[]): FieldError {
  return notSupported(field, named(value), allowed);
}

/** A value that is well formed and not allowed here. */
export function forbidden(field: FieldPath, detail: string): FieldError {
  return { type: "FieldValueForbidden", field, body: withDetail(titles.FieldValueForbidden, detail) };
}

/** A string with too many bytes. */
export function tooLong(field: FieldPath, limit: number): FieldError {
  return lengthError("FieldValueTooLong", field, tooLongDetail(limit, "byte"));
}

/** A string with too many characters. */
export function tooLongCharacters(field: FieldPath, limit: number): FieldError {
  return lengthError("FieldValueTooLong", field, tooLongDetail(limit, "character"));
}

/** A string with too few characters. */
export function tooShort(field: FieldPath, limit: number): FieldError {
  const detail = limit < 0 ? "value is too short" : `must be at least ${count(limit, "character")}`;
  return lengthError("FieldValueTooShort", field, detail);
}

/** A list of too many items; a negative actual count is not shown. */
export function tooMany(field: FieldPath, actual: number, limit: number): FieldError {
  const detail = limit < 0 ? "has too many items" : `must have at most ${count(limit, "item")}`;
  return showing("FieldValueTooMany", { field, value: actual < 0 ? omittedValue : actual, detail });
}

/** A list of too few items. */
export function tooFew(field: FieldPath, actual: number, limit: number): FieldError {
  const detail = limit < 0 ? "has too few items" : `must have at least ${count(limit, "item")}`;
  return showing("FieldValueTooFew", { field, value: actual, detail });
}

/** An internal error of the server during the validation of the field. */
export function internal(field: FieldPath, message: string): FieldError {
  return { type: "InternalError", field, body: withDetail(titles.InternalError, message) };
}

/** The error in one line: `spec.replicas: Invalid value: -1: must be ...`. */
export function format(error: FieldError): string {
  return `${error.field}: ${error.body}`;
}

/** Several errors in one line, without duplicates: a single one as it is, more in brackets. */
export function formatAll(errors: readonly FieldError[]): string {
  const lines = [...new Set(errors.map(format))];
  return lines.length === 1 ? (lines[0] ?? "") : `[${lines.join(", ")}]`;
}

/** A string of a named Go type: it is shown as JSON, and not quoted like plain strings. */
export function named(text: string): unknown {
  return { toJSON: () => text };
}

interface Shown {
  readonly field: FieldPath;
  readonly value: unknown;
  readonly detail: string;
}

function showing(type: FieldErrorType, { field, value, detail }: Shown): FieldError {
  const shown = value === omittedValue ? titles[type] : `${titles[type]}: ${formatValue(value)}`;
  return { type, field, body: withDetail(shown, detail) };
}

function lengthError(type: FieldErrorType, field: FieldPath, detail: string): FieldError {
  return { type, field, body: withDetail(titles[type], detail) };
}

function tooLongDetail(limit: number, unit: string): string {
  return limit < 0 ? "value is too long" : `may not be more than ${count(limit, unit)}`;
}

function count(amount: number, unit: string): string {
  return `${amount} ${unit}${amount === 1 ? "" : "s"}`;
}

function formatValue(value: unknown): string {
  if (typeof value === "string") return quote(value);
  return typeof value === "bigint" ? value.toString() : toGoJson(value);
}

function withDetail(text: string, detail: string): string {
  return detail === "" ? text : `${text}: ${detail}`;
}
