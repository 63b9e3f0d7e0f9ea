/** The numbers of the scale subresource: they must be non-negative int32 values. */
import { isLargeInteger, type FieldError, type Json } from "@capstan/model";

import { plainText } from "./enumeration.ts";
import { invalid } from "./field-error.ts";
import { isInt64 } from "./go-text.ts";
import { isJsonObject } from "./schema.ts";

/** The paths of the scale subresource. */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

/** The errors of the desired number of replicas. */
export function scaleSpecErrors(object: Json, scale: ScalePaths | undefined): FieldError[] {
  return scale === undefined ? [] : replicaErrors(object, scale.specReplicasPath);
}

/** The errors of the observed number of replicas and of the selector. */
export function scaleStatusErrors(object: Json, scale: ScalePaths | undefined): FieldError[] {
  if (scale === undefined) return [];
  const errors = replicaErrors(object, scale.statusReplicasPath);
  const { labelSelectorPath } = scale;
  if (labelSelectorPath === undefined) return errors;
  const found = nested(object, labelSelectorPath, "string");
  return found.problem === undefined ? errors : [...errors, invalid(labelSelectorPath, "", found.problem)];
}

function replicaErrors(object: Json, path: string): FieldError[] {
  const { value, problem } = nested(object, path, "int64");
  if (problem !== undefined) return [invalid(path, 0, problem)];
  if (typeof value !== "number" && !isLargeInteger(value)) return [];
  if (value < 0) return [invalid(path, value, "should be a non-negative integer")];
  return value > 2147483647 ? [invalid(path, value, "should be less than or equal to 2147483647")] : [];
}

interface Found {
  readonly value?: Json;
  readonly problem?: string;
}

function nested(object: Json, path: string, expected: "int64" | "string"): Found {
  const names = path.replace(/^\./, "").split(".");
  let value: Json = object;
  for (const [i, name] of names.entries()) {
    if (value === null) return {};
    if (!isJsonObject(value)) return { problem: wrong(names.slice(0, i + 1), value, "map[string]interface{}") };
    const field: Json | undefined = value[name];
    if (field === undefined) return {};
    value = field;
  }
  return goType(value) === expected ? { value } : { problem: wrong(names, value, expected) };
}

function wrong(names: readonly string[], value: Json, expected: string): string {
  return `.${names.join(".")} accessor error: ${plainText(value)} is of the type ${goType(value)}, expected ${expected}`;
}

function goType(value: Json): string {
  if (value === null) return "<nil>";
  if (isLargeInteger(value)) return "int64";
  if (typeof value === "number") return isInt64(value) ? "int64" : "float64";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "string") return "string";
  return Array.isArray(value) ? "[]interface {}" : "map[string]interface {}";
}
