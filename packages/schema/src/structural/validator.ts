/** Validates values against a schema: a compiled check for the many valid ones, an explanation for the few others. */
import { withinWork, WORK_LIMIT, WorkExceededError } from "@capstan/cel";
import type { Json } from "@capstan/model";

import type { Check } from "./check.ts";
import { lazyCheck } from "./check.ts";
import type { Correlation } from "./correlation.ts";
import { correlate } from "./correlation.ts";
import type { Dialect } from "./dialect.ts";
import { explainWithin } from "./explain.ts";
import type { FieldError, FieldPath } from "./field-error.ts";
import { toFieldError } from "./problem.ts";
import type { Schema } from "./schema.ts";

/** The options of a validation. */
export interface ValidateOptions {
  /** The value before an update: unchanged invalid values are tolerated. */
  readonly old?: Json;
  /** An existing pairing of old and new, to share its comparisons. */
  readonly correlation?: Correlation | undefined;
  /** The path that errors start from. */
  readonly path?: FieldPath;
}

/** Returns the errors of a value. */
export type Validator = (value: Json, options?: ValidateOptions) => FieldError[];

/** Compiles the value validations of a schema (types, lengths, patterns, enums, alternatives ...); rules in CEL are separate. */
export function compileValidator(schema: Schema, dialect: Dialect = "resource"): Validator {
  const check = lazyCheck(schema, dialect);
  return (value, options = {}) => {
    if (isValid(check, value)) return [];
    const { old, path } = options;
    const correlation = options.correlation ?? (old === undefined ? undefined : correlate(value, old, schema));
    const problems = explainWithin(WORK_LIMIT, schema, value, { path: "", dialect, correlation });
    return problems.map((problem) => toFieldError(problem, path));
  };
}

/** A value that takes too much work to check is not valid; the explanation says so. */
function isValid(check: Check, value: Json): boolean {
  try {
    return withinWork(WORK_LIMIT, () => check(value));
  } catch (error) {
    if (!(error instanceof WorkExceededError)) throw error;
    return false;
  }
}
