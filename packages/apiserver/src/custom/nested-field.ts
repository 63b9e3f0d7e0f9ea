/** Reads fields of custom objects by simple paths, with the errors of Go's accessors for values of another type. */
import { isLargeInteger, type Json, type KubeObject } from "@capstan/model";
import { printValue, typeName } from "@capstan/patch";
import type { JsonValue } from "../builtin/draft.ts";

/** The result: absent, the value, or a value of another type. */
export type NestedField<T> =
  | { readonly type: "absent" }
  | { readonly type: "found"; readonly value: T }
  | { readonly type: "mismatch"; readonly why: string };

const absent = { type: "absent" } as const;

/** The fields of a path such as `.spec.replicas`. */
export function fieldsOf(path: string): string[] {
  return path.replace(/^\./, "").split(".");
}

/** An integer. */
export function nestedInteger(object: KubeObject, path: string): NestedField<number> {
  return nested(object, path, {
    expected: "int64",
    accepts: (value) => Number.isSafeInteger(value) || isLargeInteger(value),
  }) as NestedField<number>;
}

/** A string. */
export function nestedString(object: KubeObject, path: string): NestedField<string> {
  return nested(object, path, {
    expected: "string",
    accepts: (value) => typeof value === "string",
  }) as NestedField<string>;
}

interface Wanted {
  readonly expected: string;
  readonly accepts: (value: JsonValue) => boolean;
}

function nested(object: KubeObject, path: string, { expected, accepts }: Wanted): NestedField<JsonValue> {
  const fields = fieldsOf(path);
  let value = object as unknown as JsonValue;
  for (const [index, field] of fields.entries()) {
    if (value === null) return absent;
    if (typeof value !== "object" || Array.isArray(value)) {
      return mismatch(fields.slice(0, index + 1), value, "map[string]interface{}");
    }
    const next: JsonValue | undefined = value[field];
    if (next === undefined) return absent;
    value = next;
  }
  return accepts(value) ? { type: "found", value } : mismatch(fields, value, expected);
}

function mismatch(fields: readonly string[], value: JsonValue, expected: string): NestedField<never> {
  const why = `.${fields.join(".")} accessor error: ${printValue(value as Json)} is of the type ${typeName(value as Json)}, expected ${expected}`;
  return { type: "mismatch", why };
}
