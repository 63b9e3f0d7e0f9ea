/** Compiles a schema into a predicate that allocates nothing for valid values; parts are compiled when they are first needed. */
import { spend } from "@capstan/cel";
import type { Json } from "@capstan/model";

import type { Dialect } from "./dialect.ts";
import { formatOf, typesOf } from "./dialect.ts";
import { enumAllows } from "./enumeration.ts";
import { codePoints, hasDuplicates, typeProblem } from "./explain.ts";
import { formatPredicate } from "./formats.ts";
import { isInt64 } from "./go-text.ts";
import { isJsonInteger, numberProblems, numberType } from "./numbers.ts";
import { matchesPattern } from "./pattern.ts";
import type { Schema } from "./schema.ts";

/** The work to check one value against one schema, besides that of patterns. */
const NODE_WORK = 3;

/** Whether a value is valid. */
export type Check = (value: Json) => boolean;
type JsonObject = { readonly [key: string]: Json | undefined };
type TypedCheck<T> = ((value: T) => boolean) | undefined;

/** A check that is compiled on its first call. */
export function lazyCheck(schema: Schema, dialect: Dialect): Check {
  let check: Check | undefined;
  return (value) => {
    check ??= compileCheck(schema, dialect);
    return check(value);
  };
}

/** Compiles a schema. */
export function compileCheck(schema: Schema, dialect: Dialect): Check {
  const accepts = (sample: Json): boolean => typeProblem(schema, sample, { path: "", dialect }) === undefined;
  const nullable = accepts(null) && schema.enum === undefined;
  const boolean = accepts(true);
  const string = gate(accepts(""), compileString(schema, dialect));
  const number = gateNumber({ integer: accepts(0), float: accepts(0.5) }, compileNumber(schema, dialect));
  const array = gate(accepts([]), compileArray(schema, dialect));
  const object = gate(accepts({}), compileObject(schema, dialect));
  const common = compileCommon(schema, dialect);
  return (value) => {
    spend(NODE_WORK);
    if (value === null) return nullable;
    if (common !== undefined && !common(value)) return false;
    switch (typeof value) {
      case "string":
        return string(value);
      case "number":
        return number(value);
      case "boolean":
        return boolean;
      case "bigint":
        return number(value);
      default:
        return Array.isArray(value) ? array(value as readonly Json[]) : object(value as JsonObject);
    }
  };
}

function gate<T>(accepted: boolean, check: TypedCheck<T>): (value: T) => boolean {
  if (!accepted) return () => false;
  return check ?? (() => true);
}

function gateNumber(
  accepted: { readonly integer: boolean; readonly float: boolean },
  check: TypedCheck<number | bigint>,
): (value: number | bigint) => boolean {
  return (value) => {
    const whole = typeof value === "bigint" || isInt64(value) || (accepted.integer && isJsonInteger(value));
    return (whole ? accepted.integer : accepted.float) && (check === undefined || check(value));
  };
}

function compileCommon(schema: Schema, dialect: Dialect): Check | undefined {
  const enumeration = schema.enum;
  const alternatives = compileAlternatives(schema, dialect);
  if (enumeration === undefined) return alternatives;
  return (value) => enumAllows(enumeration, value) && (alternatives === undefined || alternatives(value));
}

function compileString(schema: Schema, dialect: Dialect): TypedCheck<string> {
  const { maxLength = Infinity, minLength = 0, pattern } = schema;
  const format = formatOf(schema, dialect);
  const predicate = format === undefined ? undefined : formatPredicate(format);
  const measured = schema.maxLength !== undefined || schema.minLength !== undefined;
  if (!measured && pattern === undefined && predicate === undefined) return undefined;
  return (value) => {
    if (measured) {
      const length = codePoints(value);
      if (length > maxLength || length < minLength) return false;
    }
    if (pattern !== undefined && !matchesPattern(pattern, value)) return false;
    return predicate === undefined || predicate(value);
  };
}

function compileNumber(schema: Schema, dialect: Dialect): TypedCheck<number | bigint> {
  const type = numberType(typesOf(schema, dialect), formatOf(schema, dialect));
  const bounded = schema.minimum !== undefined || schema.maximum !== undefined || schema.multipleOf !== undefined;
  if (!bounded && type.name !== "integer" && type.format !== "float") return undefined;
  return (value) => numberProblems(value, schema, { path: "", type }).length === 0;
}

function compileArray(schema: Schema, dialect: Dialect): TypedCheck<readonly Json[]> {
  const { maxItems = Infinity, minItems = 0, uniqueItems } = schema;
  const item = schema.items === undefined ? undefined : lazyCheck(schema.items, dialect);
  return (value) => {
    if (value.length > maxItems || value.length < minItems) return false;
    if (item !== undefined) for (const element of value) if (!item(element)) return false;
    return uniqueItems !== true || !hasDuplicates(value);
  };
}

function compileObject(schema: Schema, dialect: Dialect): TypedCheck<JsonObject> {
  const properties = new Map<string, Check>();
  for (const [name, property] of schema.properties ?? []) properties.set(name, lazyCheck(property, dialect));
  const required = schema.required ?? [];
  const additional = compileAdditional(schema, dialect);
  const { maxProperties = Infinity, minProperties = 0 } = schema;
  const counted = schema.maxProperties !== undefined || schema.minProperties !== undefined;
  return (value) => {
    for (const name of required) if (value[name] === undefined || !Object.hasOwn(value, name)) return false;
    let count = 0;
    for (const name in value) {
      const field = value[name];
      if (field === undefined) continue;
      count += 1;
      const check = properties.get(name) ?? additional;
      if (check !== undefined && !check(field)) return false;
    }
    return !counted || (count <= maxProperties && count >= minProperties);
  };
}

function compileAdditional(schema: Schema, dialect: Dialect): Check | undefined {
  const additional = schema.additionalProperties;
  if (additional === undefined) return undefined;
  if (!additional.allows) return () => false;
  return additional.schema === undefined ? undefined : lazyCheck(additional.schema, dialect);
}

function compileAlternatives(schema: Schema, dialect: Dialect): Check | undefined {
  const checks: Check[] = [];
  const compiled = (schemas: readonly Schema[]): Check[] => schemas.map((inner) => nestedCheck(inner, dialect));
  if (schema.anyOf !== undefined) checks.push(any(compiled(schema.anyOf)));
  if (schema.oneOf !== undefined) checks.push(one(compiled(schema.oneOf)));
  if (schema.allOf !== undefined) checks.push(...compiled(schema.allOf));
  if (schema.not !== undefined) checks.push(opposite(nestedCheck(schema.not, dialect)));
  if (checks.length === 0) return undefined;
  return (value) => checks.every((check) => check(value));
}

function nestedCheck(schema: Schema, dialect: Dialect): Check {
  if (dialect === "resource") return lazyCheck(schema, dialect);
  const { additionalProperties: _dropped, ...rest } = schema;
  return lazyCheck(rest, dialect);
}

function any(checks: readonly Check[]): Check {
  return (value) => checks.some((check) => check(value));
}

function one(checks: readonly Check[]): Check {
  return (value) => checks.filter((check) => check(value)).length === 1;
}

function opposite(check: Check): Check {
  return (value) => !check(value);
}
