/** Parses the text of a patch, with its errors. */
import { apiErrors, type Json } from "@capstan/model";
import { checkJsonPatchFields, PatchError } from "@capstan/patch";
import type { JsonValue } from "../builtin/draft.ts";
import { JsonSyntaxError, parseJson, parseJsonLiterals } from "../decode/json-text.ts";
import { shallow } from "../decode/shallow.ts";
import { firstBeyondFloat, hideLiterals } from "../decode/number-literal.ts";
import { StrictProblems, TypeMismatchError } from "../decode/strict.ts";
import { toStatusError } from "../managed/field-manager.ts";
import type { WriteOptions } from "./options.ts";

/** A JSON, merge or strategic patch. */
export interface PatchRequest {
  readonly kind: "json" | "merge" | "strategic";
  readonly text: string;
  readonly options: WriteOptions;
  /** Whether the object has a built-in type, which bounds its nesting. */
  readonly isTyped: boolean;
}

/** Parses a patch and collects its unknown and duplicate fields. */
export function readPatch(
  { kind, text, options, isTyped }: PatchRequest,
  problems: StrictProblems | undefined,
): JsonValue {
  const isChecked = options.fieldValidation !== "Ignore";
  try {
    // A strategic patch parses numbers; the others keep their spelling.
    const noted = kind === "json" ? new StrictProblems() : problems;
    const read = kind === "strategic" ? parseJson(text, noted) : parseJsonLiterals(text, noted);
    const known = isTyped ? shallow(read, text) : read;
    const value = kind === "strategic" ? known : hidden(known);
    if (kind === "strategic" || isChecked) checkFloats(text, kind);
    if (kind === "json" && isChecked) noteOperations(value, noted, problems);
    if (kind !== "json" && !isMergeable(value, kind, isChecked)) throw notAMap(value);
    return value;
  } catch (error) {
    if (error instanceof JsonSyntaxError || error instanceof TypeMismatchError) {
      throw apiErrors.badRequest(unreadable(error.message, kind, isChecked));
    }
    if (error instanceof PatchError) throw toStatusError(error.code, error.message);
    throw error;
  }
}

/** Problems with the fields of operations are reported in their order, prefixed with `json patch`. */
function noteOperations(
  value: JsonValue,
  noted: StrictProblems | undefined,
  problems: StrictProblems | undefined,
): void {
  for (const path of checkJsonPatchFields(value as Json)) noted?.unknownField(path);
  noted?.orderBy(value);
  for (const message of noted?.messages ?? []) problems?.message(`json patch ${message}`);
}

/** Field validation parses numbers as well, and rejects those that do not fit into a float. */
function checkFloats(text: string, kind: PatchRequest["kind"]): void {
  const literal = firstBeyondFloat(text);
  if (literal === undefined) return;
  const place = kind === "json" ? "Go struct field jsonPatchOp.value" : "Go value";
  throw new TypeMismatchError(`json: cannot unmarshal number ${literal} into ${place} of type float64`);
}

/** Without field validation a merge patch may be a list: it replaces the object. */
function isMergeable(value: JsonValue, kind: "merge" | "strategic", isChecked: boolean): boolean {
  if (value === null && kind === "merge") throw apiErrors.badRequest("Invalid JSON Patch");
  return typeof value === "object" && (!Array.isArray(value) || (kind === "merge" && !isChecked));
}

/** The error for an unreadable patch, which is more detailed with field validation. */
function unreadable(why: string, kind: PatchRequest["kind"], isChecked: boolean): string {
  if (kind === "strategic") return why;
  if (isChecked) return `error decoding patch: ${why}`;
  return kind === "merge" ? "Invalid JSON Patch" : why;
}

function hidden(value: JsonValue): JsonValue {
  return hideLiterals(value) as JsonValue;
}

/** The error for a value that should be a map. */
export function notAMap(value: JsonValue): TypeMismatchError {
  const type = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  return new TypeMismatchError(`json: cannot unmarshal ${type} into Go value of type map[string]interface {}`);
}
