/**
 * Returns all errors of a value, with the messages and the arithmetic of the server's OpenAPI validator (kube-openapi,
 * pkg/validation/validate). It runs only for values that the compiled check has found invalid.
 */
import { spend, withinWork, WorkExceededError } from "@capstan/cel";
import { isLargeInteger, type Json } from "@capstan/model";
import { quote } from "@capstan/model";

import type { Correlation } from "./correlation.ts";
import { correlateIndex, correlateKey, isUnchanged } from "./correlation.ts";
import type { Dialect } from "./dialect.ts";
import { formatOf, typesOf } from "./dialect.ts";
import { enumAllows, enumText } from "./enumeration.ts";
import { formatPredicate } from "./formats.ts";
import { isInt64 } from "./go-text.ts";
import { identityOf } from "./identity.ts";
import { isJsonInteger, numberProblems, numberType } from "./numbers.ts";
import { matchesPattern, patternProblem } from "./pattern.ts";
import type { Problem } from "./problem.ts";
import { plain, validation } from "./problem.ts";
import type { Schema } from "./schema.ts";
import { isJsonObject } from "./schema.ts";

/** The work to report one finding, besides writing its message. */
const FINDING_WORK = 20;

/** Findings by message (the same message is reported once) and how many checks matched, which picks the best alternative. */
export interface Result {
  readonly problems: Map<string, Problem>;
  matches: number;
}

/** The path of the value and its interpretation. */
export interface Place {
  readonly path: string;
  readonly dialect: Dialect;
  /** The value before an update, if any: unchanged invalid values are not reported. */
  readonly correlation?: Correlation | undefined;
}

function emptyResult(): Result {
  return { problems: new Map(), matches: 0 };
}

function add(result: Result, problem: Problem): void {
  spend(FINDING_WORK + problem.message.length);
  if (!result.problems.has(problem.message)) result.problems.set(problem.message, problem);
}

function merge(into: Result, from: Result): void {
  for (const problem of from.problems.values()) add(into, problem);
  into.matches += from.matches;
}

/** All errors of a value at some path of a resource. */
export function explain(schema: Schema, value: Json, place: Place): Result {
  const result = explainHere(schema, value, place);
  if (result.problems.size === 0 || !isUnchanged(place.correlation)) return result;
  return { problems: new Map(), matches: result.matches };
}

function explainHere(schema: Schema, value: Json, place: Place): Result {
  const result = emptyResult();
  const type = typeProblem(schema, value, place);
  if (value === null) {
    if (type === undefined) result.matches += 1;
    else add(result, type);
    addEnum(schema, value, { place, result });
    return result;
  }
  if (typesOf(schema, place.dialect).length > 0 || formatOf(schema, place.dialect) !== undefined) {
    if (type !== undefined) add(result, type);
    result.matches += type === undefined ? 2 : 1;
  }
  merge(result, explainAlternatives(schema, value, place));
  result.matches += 1;
  explainByKind(schema, value, { place, result });
  result.matches += 1;
  return result;
}

interface Sink {
  readonly place: Place;
  readonly result: Result;
}

function explainByKind(schema: Schema, value: Json, sink: Sink): void {
  if (typeof value === "string") explainString(schema, value, sink);
  else if (typeof value === "number" || isLargeInteger(value)) explainNumber(schema, value, sink);
  else if (Array.isArray(value)) explainArray(schema, value as readonly Json[], sink);
  addEnum(schema, value, sink);
  sink.result.matches += 1;
  if (isJsonObject(value)) explainObject(schema, value, sink);
}

const goKinds: Readonly<Record<string, string>> = { string: "string", boolean: "boolean" };

function kindOf(value: Json): { readonly type: string; readonly format: string } {
  if (isLargeInteger(value)) return { type: "integer", format: "int64" };
  if (typeof value === "number")
    return isInt64(value) ? { type: "integer", format: "int64" } : { type: "number", format: "float64" };
  if (Array.isArray(value)) return { type: "array", format: "" };
  return { type: goKinds[typeof value] ?? "object", format: "" };
}

/** The error for a wrong JSON type; undefined if it is right. */
export function typeProblem(schema: Schema, value: Json, place: Place): Problem | undefined {
  const types = typesOf(schema, place.dialect);
  const format = formatOf(schema, place.dialect) ?? "";
  if (types.length === 0 && (format === "" || value === null)) return undefined;
  if (value === null) return schema.nullable === true ? undefined : wrongType(place.path, types.join(","), "null");
  const kind = kindOf(value);
  const fits = fitsType(kind.type, value, types);
  if (format !== "") {
    if (isTextual(kind.type)) {
      if (!types.includes("number") && !types.includes("integer")) return undefined;
    } else if (!fits && kind.format !== format) return wrongType(place.path, format, kind.format);
  }
  return fits ? undefined : wrongType(place.path, types.join(","), kind.type);
}

/** With a format, the server leaves both strings and arrays to the format. */
function isTextual(type: string): boolean {
  return type === "string" || type === "array";
}

function fitsType(type: string, value: Json, types: readonly string[]): boolean {
  if (types.includes(type)) return true;
  if (type === "integer") return types.includes("number");
  return type === "number" && types.includes("integer") && isJsonInteger(value as number);
}

function wrongType(path: string, expected: string, actual: string): Problem {
  return validation("type", path, {
    message: `${path} in body must be of type ${expected}: ${quote(actual)}`,
    value: actual,
  });
}

function explainString(schema: Schema, value: string, sink: Sink): void {
  try {
    addStringProblems(schema, value, sink);
  } catch (error) {
    if (!(error instanceof WorkExceededError)) throw error;
    throw new TooExpensiveError(
      validation("pattern", sink.place.path, { message: tooExpensive(sink.place.path), value }),
    );
  }
}

function tooExpensive(path: string): string {
  return `${path} in body is too expensive to validate: its schema takes more work than one object may`;
}

/** Ends an explanation: the findings so far are incomplete, and those of alternatives would mislead. */
export class TooExpensiveError extends Error {
  override readonly name = "TooExpensiveError";
  readonly code = "too-expensive";
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
  }
}

/** Explains within the limit of work; past it the one finding is that the value is too expensive to validate. */
export function explainWithin(limit: number, schema: Schema, value: Json, place: Place): readonly Problem[] {
  try {
    return withinWork(limit, () => [...explain(schema, value, place).problems.values()]);
  } catch (error) {
    if (error instanceof TooExpensiveError) return [error.problem];
    if (error instanceof WorkExceededError) return [plain(tooExpensive(place.path))];
    throw error;
  }
}

function addStringProblems(schema: Schema, value: string, { place, result }: Sink): void {
  const problem = stringProblem(schema, value, place.path);
  if (problem !== undefined) add(result, problem);
  result.matches += 1;
  const format = formatOf(schema, place.dialect);
  const predicate = format === undefined ? undefined : formatPredicate(format);
  if (predicate === undefined || format === undefined) return;
  if (!predicate(value))
    add(
      result,
      validation("type", place.path, {
        message: `${place.path} in body must be of type ${format}: ${quote(value)}`,
        value,
      }),
    );
  result.matches += 1;
}

/** The number of code points, which is what lengths count. */
export function codePoints(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0xd800 || unit > 0xdbff) continue;
    const next = text.charCodeAt(i + 1);
    if (next >= 0xdc00 && next <= 0xdfff) count -= 1;
  }
  return count;
}

function stringProblem(schema: Schema, value: string, path: string): Problem | undefined {
  const { maxLength, minLength, pattern } = schema;
  if (maxLength !== undefined && codePoints(value) > maxLength)
    return validation("tooLong", path, {
      message: `${path} in body should be at most ${maxLength} chars long`,
      value,
      limit: maxLength,
    });
  if (minLength !== undefined && codePoints(value) < minLength)
    return validation("tooShort", path, {
      message: `${path} in body should be at least ${minLength} chars long`,
      value,
      limit: minLength,
    });
  if (pattern === undefined || matchesPattern(pattern, value)) return undefined;
  const broken = patternProblem(pattern);
  const shown = broken === undefined ? pattern : `${pattern}, but pattern is invalid: ${broken}`;
  return validation("pattern", path, { message: `${path} in body should match '${shown}'`, value });
}

function explainNumber(schema: Schema, value: number | bigint, { place, result }: Sink): void {
  const type = numberType(typesOf(schema, place.dialect), formatOf(schema, place.dialect));
  for (const problem of numberProblems(value, schema, { path: place.path, type })) add(result, problem);
  result.matches += 2;
}

function explainArray(schema: Schema, value: readonly Json[], { place, result }: Sink): void {
  const { path, dialect, correlation } = place;
  const { items, minItems, maxItems } = schema;
  if (items !== undefined)
    value.forEach((item, i) =>
      merge(
        result,
        explain(items, item, { path: `${path}[${i}]`, dialect, correlation: correlateIndex(correlation, i) }),
      ),
    );
  const size = value.length;
  if (minItems !== undefined && size < minItems)
    add(
      result,
      validation("minItems", path, {
        message: `${path} in body should have at least ${minItems} items`,
        value: size,
        limit: minItems,
      }),
    );
  if (maxItems !== undefined && size > maxItems)
    add(
      result,
      validation("maxItems", path, {
        message: `${path} in body should have at most ${maxItems} items`,
        value: size,
        limit: maxItems,
      }),
    );
  if (schema.uniqueItems === true && hasDuplicates(value))
    add(result, validation("unique", path, { message: `${path} in body shouldn't contain duplicates` }));
  result.matches += 2;
}

/** Whether two items are equal. */
export function hasDuplicates(items: readonly Json[]): boolean {
  return new Set(items.map(identityOf)).size < items.length;
}

function addEnum(schema: Schema, value: Json, { place, result }: Sink): void {
  if (schema.enum === undefined || enumAllows(schema.enum, value)) return;
  spend(schema.enum.length);
  add(
    result,
    validation("enum", place.path, {
      message: `${place.path} in body should be one of ${enumText(schema.enum)}`,
      value,
      values: schema.enum,
    }),
  );
}

type JsonObject = { readonly [key: string]: Json | undefined };

function explainObject(schema: Schema, value: JsonObject, sink: Sink): void {
  const { path } = sink.place;
  const { minProperties, maxProperties } = schema;
  const keys = Object.keys(value);
  const size = keys.length;
  if (minProperties !== undefined && size < minProperties)
    add(
      sink.result,
      validation("minProperties", path, {
        message: `${path} in body should have at least ${minProperties} properties`,
        value: size,
        limit: minProperties,
      }),
    );
  if (maxProperties !== undefined && size > maxProperties)
    add(
      sink.result,
      validation("maxProperties", path, {
        message: `${path} in body should have at most ${maxProperties} properties`,
        value: size,
        limit: maxProperties,
      }),
    );
  explainAdditional(schema, value, sink);
  explainProperties(schema, value, sink);
  sink.result.matches += 1;
}

function explainAdditional(schema: Schema, value: JsonObject, { place, result }: Sink): void {
  const { path, dialect, correlation } = place;
  const additional = schema.additionalProperties;
  if (additional === undefined) return;
  for (const key of Object.keys(value)) {
    if (schema.properties?.has(key) === true) continue;
    if (!additional.allows)
      add(
        result,
        validation("forbidden", path, { message: `${path}.${key} in body is a forbidden property`, value: key }),
      );
    else if (additional.schema !== undefined)
      merge(
        result,
        explain(additional.schema, value[key] ?? null, {
          path: `${path}.${key}`,
          dialect,
          correlation: fieldCorrelation(correlation, path, key),
        }),
      );
  }
}

function explainProperties(schema: Schema, value: JsonObject, { place, result }: Sink): void {
  const { path, dialect, correlation } = place;
  for (const [name, property] of schema.properties ?? []) {
    const field = value[name];
    if (field === undefined || !Object.hasOwn(value, name)) continue;
    merge(
      result,
      explain(property, field, {
        path: path === "" ? name : `${path}.${name}`,
        dialect,
        correlation: fieldCorrelation(correlation, path, name),
      }),
    );
  }
  for (const name of schema.required ?? []) {
    if (Object.hasOwn(value, name) && value[name] !== undefined) continue;
    add(result, validation("required", `${path}.${name}`, { message: `${path}.${name} in body is required` }));
  }
}

function fieldCorrelation(correlation: Correlation | undefined, path: string, name: string): Correlation | undefined {
  if (path === "" && (name === "kind" || name === "apiVersion")) return undefined;
  return correlateKey(correlation, name);
}

/** `anyOf`, `oneOf`, `allOf` and `not`; below them unchanged values are not tolerated. */
function explainAlternatives(schema: Schema, value: Json, { path, dialect }: Place): Result {
  const result = emptyResult();
  const place: Place = { path, dialect };
  if (schema.anyOf !== undefined) explainAnyOf(schema.anyOf, value, { place, result });
  if (schema.oneOf !== undefined) explainOneOf(schema.oneOf, value, { place, result });
  if (schema.allOf !== undefined) explainAllOf(schema.allOf, value, { place, result });
  if (schema.not !== undefined && explainHere(nestedOf(schema.not, dialect), value, place).problems.size === 0)
    add(result, plain(`${quote(path)} must not validate the schema (not)`));
  result.matches += 1;
  return result;
}

/** Nested value validations lose `additionalProperties` when a schema is converted to a structural one. */
function nestedOf(schema: Schema, dialect: Dialect): Schema {
  if (dialect === "resource" || schema.additionalProperties === undefined) return schema;
  const { additionalProperties: _dropped, ...rest } = schema;
  return rest;
}

function explainAnyOf(schemas: readonly Schema[], value: Json, { place, result }: Sink): void {
  let best: Result | undefined;
  for (const schema of schemas) {
    const attempt = explainHere(nestedOf(schema, place.dialect), value, place);
    if (attempt.problems.size === 0) {
      merge(result, attempt);
      return;
    }
    if (best === undefined || attempt.matches > best.matches) best = attempt;
  }
  add(result, plain(`${quote(place.path)} must validate at least one schema (anyOf)`));
  if (best !== undefined) merge(result, best);
}

function explainOneOf(schemas: readonly Schema[], value: Json, { place, result }: Sink): void {
  const attempts = schemas.map((schema) => explainHere(nestedOf(schema, place.dialect), value, place));
  const valid = attempts.filter((attempt) => attempt.problems.size === 0);
  const [first] = valid;
  if (valid.length === 1 && first !== undefined) {
    merge(result, first);
    return;
  }
  const found = valid.length === 0 ? "Found none valid" : `Found ${valid.length} valid alternatives`;
  add(result, plain(`${quote(place.path)} must validate one and only one schema (oneOf). ${found}`));
  if (valid.length > 0) return;
  const best = attempts.reduce<Result | undefined>(
    (chosen, attempt) => (chosen === undefined || attempt.matches > chosen.matches ? attempt : chosen),
    undefined,
  );
  if (best !== undefined) merge(result, best);
}

function explainAllOf(schemas: readonly Schema[], value: Json, { place, result }: Sink): void {
  let valid = 0;
  for (const schema of schemas) {
    const attempt = explainHere(nestedOf(schema, place.dialect), value, place);
    if (attempt.problems.size === 0) valid += 1;
    merge(result, attempt);
  }
  if (valid === schemas.length) return;
  const none = valid === 0 ? ". None validated" : "";
  add(result, plain(`${quote(place.path)} must validate all the schemas (allOf)${none}`));
}
