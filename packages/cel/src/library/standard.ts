/** The functions that every environment has. */

import type { Type } from "../type.ts";
import type { FunctionDeclaration, Implementation, Overload } from "../check/declarations.ts";
import { member, overload } from "../check/declarations.ts";
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  STRING,
  TIMESTAMP,
  typeOf,
  typeParam,
  UINT,
} from "../type.ts";
import { add, divide, modulo, multiply, negate, subtract } from "../values/arithmetic.ts";
import { compare, equals, isComparable } from "../values/compare.ts";
import type { CelValue } from "../values/value.ts";
import {
  CelError,
  CelList,
  CelMap,
  CelObject,
  codePointCount,
  fail,
  noSuchOverload,
  typeOfValue,
  undefinedFor,
} from "../values/value.ts";
import {
  toBoolValue,
  toBytesValue,
  toDoubleValue,
  toDurationValue,
  toIntValue,
  toStringValue,
  toTimestampValue,
  toUintValue,
} from "./convert.ts";
import type { Library } from "./library.ts";
import { compilePattern, PatternError } from "../pattern/pattern.ts";
import { searchFor } from "../values/search.ts";
import { STANDARD_MACROS } from "../syntax/macros.ts";
import { TIME_FUNCTIONS } from "./time.ts";

const A = typeParam("A");
const B = typeParam("B");
const LIST_A = listOf(A);
const MAP_AB = mapOf(A, B);

/** A binary operator by `id: left right result` rows. */
function operator(
  name: string,
  rows: readonly (readonly [string, Type, Type, Type])[],
  singleton: Implementation,
): FunctionDeclaration {
  return { name, overloads: rows.map(([id, left, right, result]) => overload(id, [left, right], result)), singleton };
}

const COMPARED: readonly (readonly [string, Type, Type])[] = [
  ["bool", BOOL, BOOL],
  ["int64", INT, INT],
  ["int64_double", INT, DOUBLE],
  ["int64_uint64", INT, UINT],
  ["uint64", UINT, UINT],
  ["uint64_double", UINT, DOUBLE],
  ["uint64_int64", UINT, INT],
  ["double", DOUBLE, DOUBLE],
  ["double_int64", DOUBLE, INT],
  ["double_uint64", DOUBLE, UINT],
  ["string", STRING, STRING],
  ["bytes", BYTES, BYTES],
  ["timestamp", TIMESTAMP, TIMESTAMP],
  ["duration", DURATION, DURATION],
];

function comparison(name: string, prefix: string, holds: (order: number) => boolean): FunctionDeclaration {
  const rows = COMPARED.map(([suffix, left, right]) => [`${prefix}_${suffix}`, left, right, BOOL] as const);
  return operator(name, rows, (a, b) => {
    if (!isComparable(a as CelValue)) return fail(`no such overload: ${name}`);
    const order = compare(a as CelValue, b as CelValue);
    return order instanceof CelError ? order : holds(order);
  });
}

const OPERATORS: readonly FunctionDeclaration[] = [
  { name: "_?_:_", overloads: [overload("conditional", [BOOL, A, A], A)] },
  { name: "_&&_", overloads: [overload("logical_and", [BOOL, BOOL], BOOL)] },
  { name: "_||_", overloads: [overload("logical_or", [BOOL, BOOL], BOOL)] },
  {
    name: "!_",
    overloads: [overload("logical_not", [BOOL], BOOL)],
    singleton: (value) => (typeof value === "boolean" ? !value : noSuchOverload()),
  },
  { name: "@not_strictly_false", overloads: [overload("not_strictly_false", [BOOL], BOOL)] },
  { name: "_==_", overloads: [overload("equals", [A, A], BOOL)] },
  { name: "_!=_", overloads: [overload("not_equals", [A, A], BOOL)] },
  operator(
    "_+_",
    [
      ["add_bytes", BYTES, BYTES, BYTES],
      ["add_double", DOUBLE, DOUBLE, DOUBLE],
      ["add_duration_duration", DURATION, DURATION, DURATION],
      ["add_duration_timestamp", DURATION, TIMESTAMP, TIMESTAMP],
      ["add_timestamp_duration", TIMESTAMP, DURATION, TIMESTAMP],
      ["add_int64", INT, INT, INT],
      ["add_list", LIST_A, LIST_A, LIST_A],
      ["add_string", STRING, STRING, STRING],
      ["add_uint64", UINT, UINT, UINT],
    ],
    add as Implementation,
  ),
  operator(
    "_-_",
    [
      ["subtract_double", DOUBLE, DOUBLE, DOUBLE],
      ["subtract_duration_duration", DURATION, DURATION, DURATION],
      ["subtract_int64", INT, INT, INT],
      ["subtract_timestamp_duration", TIMESTAMP, DURATION, TIMESTAMP],
      ["subtract_timestamp_timestamp", TIMESTAMP, TIMESTAMP, DURATION],
      ["subtract_uint64", UINT, UINT, UINT],
    ],
    subtract as Implementation,
  ),
  operator("_*_", numbers("multiply"), multiply as Implementation),
  operator("_/_", numbers("divide"), divide as Implementation),
  operator("_%_", numbers("modulo").slice(1), modulo as Implementation),
  {
    name: "-_",
    overloads: [overload("negate_double", [DOUBLE], DOUBLE), overload("negate_int64", [INT], INT)],
    singleton: negate as Implementation,
  },
  comparison("_<_", "less", (order) => order < 0),
  comparison("_<=_", "less_equals", (order) => order <= 0),
  comparison("_>_", "greater", (order) => order > 0),
  comparison("_>=_", "greater_equals", (order) => order >= 0),
  { name: "_[_]", overloads: [overload("index_list", [LIST_A, INT], A), overload("index_map", [MAP_AB, A], B)] },
  {
    name: "@in",
    overloads: [overload("in_list", [A, LIST_A], BOOL), overload("in_map", [A, MAP_AB], BOOL)],
    singleton: (value, container) => contains(container as CelValue, value as CelValue),
  },
];

function numbers(prefix: string): readonly (readonly [string, Type, Type, Type])[] {
  return [
    [`${prefix}_double`, DOUBLE, DOUBLE, DOUBLE],
    [`${prefix}_int64`, INT, INT, INT],
    [`${prefix}_uint64`, UINT, UINT, UINT],
  ];
}

/** Whether a list holds a value or a map a key. */
export function contains(container: CelValue, value: CelValue): boolean | CelError {
  if (container instanceof CelMap) return container.get(value) !== undefined;
  if (!(container instanceof CelList)) return noSuchOverload();
  for (let index = 0; index < container.size; index++) {
    if (equals(value, container.at(index)) === true) return true;
  }
  return false;
}

function size(value: CelValue | undefined): bigint | CelError {
  if (typeof value === "string") return BigInt(codePointCount(value));
  if (value instanceof Uint8Array) return BigInt(value.length);
  if (value instanceof CelList || value instanceof CelMap) return BigInt(value.size);
  if (value instanceof CelObject && value.costSize !== undefined) return BigInt(value.costSize);
  return undefinedFor("size", value as CelValue);
}

const SIZED: readonly (readonly [string, Type])[] = [
  ["bytes", BYTES],
  ["list", LIST_A],
  ["map", MAP_AB],
  ["string", STRING],
];

function conversions(
  name: string,
  rows: readonly (readonly [string, Type])[],
  result: Type,
  convert: Implementation,
): FunctionDeclaration {
  return { name, overloads: rows.map(([id, from]) => overload(id, [from], result, convert)) };
}

const CONVERSIONS: readonly FunctionDeclaration[] = [
  {
    name: "type",
    overloads: [overload("type", [A], typeOf(A))],
    singleton: (value) => (value instanceof CelObject ? value.typeValue : typeOfValue(value as CelValue)),
  },
  { name: "dyn", overloads: [overload("to_dyn", [A], DYN)], singleton: (value) => value as CelValue },
  conversions(
    "bool",
    [
      ["bool_to_bool", BOOL],
      ["string_to_bool", STRING],
    ],
    BOOL,
    toBoolValue,
  ),
  conversions(
    "bytes",
    [
      ["bytes_to_bytes", BYTES],
      ["string_to_bytes", STRING],
    ],
    BYTES,
    toBytesValue,
  ),
  conversions(
    "double",
    [
      ["double_to_double", DOUBLE],
      ["int64_to_double", INT],
      ["string_to_double", STRING],
      ["uint64_to_double", UINT],
    ],
    DOUBLE,
    toDoubleValue,
  ),
  conversions(
    "duration",
    [
      ["duration_to_duration", DURATION],
      ["int64_to_duration", INT],
      ["string_to_duration", STRING],
    ],
    DURATION,
    toDurationValue,
  ),
  conversions(
    "int",
    [
      ["int64_to_int64", INT],
      ["double_to_int64", DOUBLE],
      ["duration_to_int64", DURATION],
      ["string_to_int64", STRING],
      ["timestamp_to_int64", TIMESTAMP],
      ["uint64_to_int64", UINT],
    ],
    INT,
    toIntValue,
  ),
  conversions(
    "string",
    [
      ["string_to_string", STRING],
      ["bool_to_string", BOOL],
      ["bytes_to_string", BYTES],
      ["double_to_string", DOUBLE],
      ["duration_to_string", DURATION],
      ["int64_to_string", INT],
      ["timestamp_to_string", TIMESTAMP],
      ["uint64_to_string", UINT],
    ],
    STRING,
    toStringValue,
  ),
  conversions(
    "timestamp",
    [
      ["timestamp_to_timestamp", TIMESTAMP],
      ["int64_to_timestamp", INT],
      ["string_to_timestamp", STRING],
    ],
    TIMESTAMP,
    toTimestampValue,
  ),
  conversions(
    "uint",
    [
      ["uint64_to_uint64", UINT],
      ["double_to_uint64", DOUBLE],
      ["int64_to_uint64", INT],
      ["string_to_uint64", STRING],
    ],
    UINT,
    toUintValue,
  ),
];

function stringTest(name: string, id: string, test: (text: string, part: string) => boolean): FunctionDeclaration {
  const implementation: Implementation = (text, part) =>
    typeof text === "string" && typeof part === "string" ? test(text, part) : noSuchOverload();
  return { name, overloads: [member(id, [STRING, STRING], BOOL, implementation)], unguarded: true };
}

const matches: Implementation = (text, pattern) => {
  if (typeof text !== "string") return fail("no such overload: matches");
  if (typeof pattern !== "string") return noSuchOverload();
  try {
    return compilePattern(pattern).matches(text);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return fail(error.message);
  }
};

const STRINGS: readonly FunctionDeclaration[] = [
  stringTest("contains", "contains_string", (text, part) => part === "" || searchFor(part)(text, 0) >= 0),
  stringTest("endsWith", "ends_with_string", (text, part) => text.endsWith(part)),
  stringTest("startsWith", "starts_with_string", (text, part) => text.startsWith(part)),
  {
    name: "matches",
    overloads: [overload("matches", [STRING, STRING], BOOL), member("matches_string", [STRING, STRING], BOOL)],
    singleton: matches,
  },
];

const sizeOverloads: readonly Overload[] = SIZED.flatMap(([name, type]) => [
  overload(`size_${name}`, [type], INT),
  member(`${name}_size`, [type], INT),
]);

/** Operators, conversions, sizes, string tests, times and the standard macros. */
export const STANDARD: Library = {
  name: "standard",
  functions: [
    ...OPERATORS,
    { name: "size", overloads: sizeOverloads, singleton: (value) => size(value) },
    ...CONVERSIONS,
    ...STRINGS,
    ...TIME_FUNCTIONS,
  ],
  macros: STANDARD_MACROS,
};
