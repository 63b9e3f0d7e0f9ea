/** The text of a patch: what it says, and why it cannot be read. */
import { apiErrors, type Json } from "@capstan/model";
import { checkJsonPatchFields, PatchError } from "@capstan/patch";
import type { JsonValue } from "../builtin/draft.ts";
import { JsonSyntaxError, parseJson, parseJsonLiterals } from "../decode/json-text.ts";
import { firstBeyondFloat, hideLiterals } from "../decode/number-literal.ts";
import { TypeMismatch, type StrictProblems } from "../decode/strict.ts";
import { toStatusError } from "../managed/field-manager.ts";
import type { WriteOptions } from "./options.ts";

/** A patch that changes the object as a document. */
export interface PatchRequest {
  readonly kind: "json" | "merge" | "strategic";
  readonly text: string;
  readonly options: WriteOptions;
}

/** Reads the text of a patch; its unknown and duplicate fields are collected. */
export function readPatch({ kind, text, options }: PatchRequest, problems: StrictProblems | undefined): JsonValue {
  const isChecked = options.fieldValidation !== "Ignore";
  try {
    // A strategic patch knows numbers only, the others carry over what they say.
    const value = kind === "strategic" ? parseJson(text, problems) : hidden(parseJsonLiterals(text, problems));
    if (kind === "strategic" || isChecked) checkFloats(text, kind);
    if (kind === "json" && isChecked) {
      for (const message of checkJsonPatchFields(value as Json)) problems?.message(message);
    }
    if (kind !== "json" && !isMergeable(value, kind, isChecked)) throw notAMap(value);
    return value;
  } catch (error) {
    if (error instanceof JsonSyntaxError || error instanceof TypeMismatch) {
      throw apiErrors.badRequest(unreadable(error.message, kind, isChecked));
    }
    if (error instanceof PatchError) throw toStatusError(error.code, error.message);
    throw error;
  }
}

/** Whoever looks at the fields of a patch reads its numbers as well. */
function checkFloats(text: string, kind: PatchRequest["kind"]): void {
  const literal = firstBeyondFloat(text);
  if (literal === undefined) return;
  const place = kind === "json" ? "Go struct field jsonPatchOp.value" : "Go value";
  throw new TypeMismatch(`json: cannot unmarshal number ${literal} into ${place} of type float64`);
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
export function notAMap(value: JsonValue): TypeMismatch {
  const type = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  return new TypeMismatch(`json: cannot unmarshal ${type} into Go value of type map[string]interface {}`);
}
