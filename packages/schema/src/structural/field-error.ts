/** Field errors of the model, with values printed like Go: structs in their order, floats as `%v`. */
import type { FieldError, FieldErrorType } from "@capstan/model";
import { fieldErrors, quote } from "@capstan/model";

import type { GoValue } from "./go-text.ts";
import { formatFloat, formatNumber, markedFloat, marshal } from "./go-text.ts";

export type { FieldError } from "@capstan/model";

/** The path of a value as a string; `undefined` is the place above every field. */
export type FieldPath = string | undefined;

/** The path of a named field below a path. */
export function child(path: FieldPath, ...names: readonly string[]): string {
  const tail = names.join(".");
  return path === undefined ? tail : `${path}.${tail}`;
}

/** The path of an array item or map entry below a path. */
export function entry(path: FieldPath, key: string | number): string {
  return `${path ?? ""}[${key}]`;
}

function at(path: FieldPath): string {
  return path ?? "<nil>";
}

/** An invalid value; `undefined` is a value that is not shown. */
export function invalid(path: FieldPath, badValue: GoValue | undefined, detail: string): FieldError {
  return showing("FieldValueInvalid", path, { badValue, detail });
}

/** A value of the wrong type. */
export function typeInvalid(path: FieldPath, badValue: GoValue, detail: string): FieldError {
  return showing("FieldValueTypeInvalid", path, { badValue, detail });
}

/** A missing value. */
export function required(path: FieldPath, detail = ""): FieldError {
  return fieldErrors.required(at(path), detail);
}

/** A value that is not allowed here. */
export function forbidden(path: FieldPath, detail: string): FieldError {
  return fieldErrors.forbidden(at(path), detail);
}

/** A value that occurs twice. */
export function duplicate(path: FieldPath, badValue: GoValue | undefined): FieldError {
  return showing("FieldValueDuplicate", path, { badValue, detail: "" });
}

/** A value that is not one of the supported ones. */
export function notSupported(path: FieldPath, badValue: GoValue, supported: readonly string[]): FieldError {
  const detail = supported.length === 0 ? "" : `supported values: ${supported.map(quote).join(", ")}`;
  return showing("FieldValueNotSupported", path, { badValue, detail });
}

/** A string that is too long. */
export function tooLong(path: FieldPath, max: number): FieldError {
  return fieldErrors.tooLong(at(path), max);
}

/** A list or map that is too large. */
export function tooMany(path: FieldPath, actual: number, max: number): FieldError {
  return fieldErrors.tooMany(at(path), actual, max);
}

/** An internal error during the validation of the field. */
export function internalError(path: FieldPath, message: string): FieldError {
  return fieldErrors.internal(at(path), message);
}

/** The error in one line, with its field. */
export function formatFieldError(error: FieldError): string {
  return fieldErrors.format(error);
}

type ShownType = "FieldValueInvalid" | "FieldValueTypeInvalid" | "FieldValueDuplicate" | "FieldValueNotSupported";

const titles: Readonly<Record<ShownType, string>> = {
  FieldValueInvalid: "Invalid value",
  FieldValueTypeInvalid: "Invalid value",
  FieldValueDuplicate: "Duplicate value",
  FieldValueNotSupported: "Unsupported value",
};

function showing(
  type: ShownType & FieldErrorType,
  path: FieldPath,
  { badValue, detail }: { readonly badValue: GoValue | undefined; readonly detail: string },
): FieldError {
  const shown = badValue === undefined ? titles[type] : `${titles[type]}: ${show(badValue)}`;
  return { type, field: at(path), body: detail === "" ? shown : `${shown}: ${detail}` };
}

function show(value: GoValue): string {
  if (typeof value === "string") return quote(value);
  const float = markedFloat(value);
  if (float !== undefined) return formatFloat(float);
  return typeof value === "number" ? formatNumber(value) : marshal(value);
}
