/** The text of a patch: what it says, and why it cannot be read. */
import { apiErrors, type Json } from "@capstan/model";
import { checkJsonPatchFields, PatchError } from "@capstan/patch";
import type { JsonValue } from "../builtin/draft.ts";
import { JsonSyntaxError, parseJson, parseJsonLiterals } from "../decode/json-text.ts";
import { shallow } from "../decode/shallow.ts";
import { firstBeyondFloat, hideLiterals } from "../decode/number-literal.ts";
import { StrictProblems, TypeMismatchError } from "../decode/strict.ts";
import { toStatusError } from "../managed/field-manager.ts";
import type { WriteOptions } from "./options.ts";

/** A patch that changes the object as a document. */
export interface PatchRequest {
  readonly kind: "json" | "merge" | "strategic";
  readonly text: string;
  readonly options: WriteOptions;
  /** Whether the fields of the object have types that end somewhere. */
  readonly isTyped: boolean;
}

/** Reads the text of a patch; its unknown and duplicate fields are collected. */
export function readPatch(
  { kind, text, options, isTyped }: PatchRequest,
  problems: StrictProblems | undefined,
): JsonValue {
  const isChecked = options.fieldValidation !== "Ignore";
  try {
    // A strategic patch knows numbers only, the others carry over what they say.
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

/** What is wrong with the fields of operations is told in their order, and as wrong with the patch. */
function noteOperations(
  value: JsonValue,
  noted: StrictProblems | undefined,
  problems: StrictProblems | undefined,
): void {
  for (const path of checkJsonPatchFields(value as Json)) noted?.unknownField(path);
  noted?.orderBy(value);
  for (const message of noted?.messages ?? []) problems?.message(`json patch ${message}`);
}

/** Whoever looks at the fields of a patch reads its numbers as well. */
function checkFloats(text: string, kind: PatchRequest["kind"]): void {
  const literal = firstBeyondFloat(text);
  if (literal === undefined) return;
  const place = kind === "json" ? "Go struct field jsonPatchOp.value" : "Go value";
  throw new TypeMismatchError(`json: cannot unmarshal number ${literal} into ${place} of type float64`);
}

/** A merge patch that nobody has looked at may be a list: it takes the place of the object. */
function isMergeable(value: JsonValue, kind: "merge" | "strategic", isChecked: boolean): boolean {
  if (value === null && kind === "merge") throw apiErrors.badRequest("Invalid JSON Patch");
  return typeof value === "object" && (!Array.isArray(value) || (kind === "merge" && !isChecked));
}

/** Why a patch cannot be read: whoever looks at its fields first says more. */
function unreadable(why: string, kind: PatchRequest["kind"], isChecked: boolean): string {
  if (kind === "strategic") return why;
  if (isChecked) return `error decoding patch: ${why}`;
  return kind === "merge" ? "Invalid JSON Patch" : why;
}

function hidden(value: JsonValue): JsonValue {
  return hideLiterals(value) as JsonValue;
}

/** What should be a map of fields is something else. */
export function notAMap(value: JsonValue): TypeMismatchError {
  const type = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  return new TypeMismatchError(`json: cannot unmarshal ${type} into Go value of type map[string]interface {}`);
}
