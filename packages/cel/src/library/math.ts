/** The math extension: greatest and least, rounding, signs and bits. */

import type { FunctionDeclaration, Implementation, Overload } from "../check/declarations.ts";
import { overload } from "../check/declarations.ts";
import type { Node } from "../syntax/ast.ts";
import type { Expand, Macro } from "../syntax/macros.ts";
import { ANY_ARGS, MacroError } from "../syntax/macros.ts";
import type { Type } from "../type.ts";
import { BOOL, DOUBLE, DYN, INT, listOf, UINT } from "../type.ts";
import { compare } from "../values/compare.ts";
import { toInt } from "../values/number.ts";
import type { CelResult, CelValue } from "../values/value.ts";
import { CelError, CelList, CelUint, fail } from "../values/value.ts";
import type { Library } from "./library.ts";

const NUMBERS: readonly (readonly [string, Type])[] = [
  ["double", DOUBLE],
  ["int", INT],
  ["uint", UINT],
];

/** `math.greatest(a, b, c)` becomes one call on a list, so that it takes any number of arguments. */
function extremeMacro(name: string, fn: string): Macro {
  const expand: Expand = (make, target, args) => {
    if (target?.kind !== "ident" || target.name !== "math") return undefined;
    if (args.length === 0) throw new MacroError(make.position, `math.${name}() requires at least one argument`);
    for (const argument of args) checkNumeric(name, argument, args.length);
    return args.length <= 2 ? make.call(fn, ...args) : make.call(fn, make.list(...args));
  };
  return { name, args: ANY_ARGS, receiver: true, expand };
}

/** Literals that are not numbers are rejected before the type check. */
function checkNumeric(name: string, node: Node, count: number): void {
  const isList = node.kind === "list" && count === 1;
  if (isList && node.elements.length > 0) {
    for (const element of node.elements) checkNumeric(name, element, 2);
    return;
  }
  const isNumber = node.kind === "literal" && isNumericLiteral(node.value);
  if (["ident", "select", "call", "comprehension"].includes(node.kind) || isNumber) return;
  const what = count === 1 ? "single argument value" : "simple literal arguments must be numeric";
  throw new MacroError(node.position, `math.${name}() ${count === 1 ? `invalid ${what}` : what}`);
}

function isNumericLiteral(value: unknown): boolean {
  return typeof value === "bigint" || typeof value === "number" || value instanceof CelUint;
}

function extremeOverloads(fn: string): readonly Overload[] {
  const single = NUMBERS.map(([name, type]) => overload(`${fn}_${name}`, [type], type));
  const pairs = NUMBERS.flatMap(([first, a]) =>
    NUMBERS.map(([second, b]) => overload(`${fn}_${first}_${second}`, [a, b], a === b ? a : DYN)),
  );
  const lists = NUMBERS.map(([name, type]) => overload(`${fn}_list_${name}`, [listOf(type)], type));
  return [...single, ...pairs, ...lists];
}

function extreme(name: string, better: number): Implementation {
  return (...args) => {
    const [first] = args;
    const values = args.length === 1 && first instanceof CelList ? first.toArray() : args;
    let best: CelValue | undefined;
    for (const value of values) {
      const order = compare(value, best ?? value);
      if (order instanceof CelError) return order;
      if (best === undefined || order === better) best = value;
    }
    return best ?? fail(`math.${name}(list) argument must not be empty`);
  };
}

function onDouble(name: string, result: Type, compute: (value: number) => CelResult): FunctionDeclaration {
  const id = `math_${name}_double`;
  return { name: `math.${name}`, overloads: [overload(id, [DOUBLE], result, (value) => compute(value as number))] };
}

/** Half away from zero. */
function round(value: number): number {
  return Number.isFinite(value) ? Math.sign(value) * Math.round(Math.abs(value)) : value;
}

function onNumbers(name: string, compute: (value: CelValue) => CelResult): FunctionDeclaration {
  const overloads = NUMBERS.map(([type, of]) =>
    overload(`math_${name}_${type}`, [of], of, (value) => compute(value as CelValue)),
  );
  return { name: `math.${name}`, overloads };
}

function abs(value: CelValue): CelResult {
  if (typeof value === "bigint") return value < 0n ? toInt(-value) : value;
  return typeof value === "number" ? Math.abs(value) : value;
}

function sign(value: CelValue): CelResult {
  if (typeof value === "bigint") return value > 0n ? 1n : value < 0n ? -1n : 0n;
  if (typeof value === "number") return Math.sign(value);
  return new CelUint((value as CelUint).value === 0n ? 0n : 1n);
}

function bits(name: string, combine: (a: bigint, b: bigint) => bigint): FunctionDeclaration {
  return {
    name: `math.${name}`,
    overloads: [
      overload(`math_${name}_int_int`, [INT, INT], INT, (a, b) => BigInt.asIntN(64, combine(a as bigint, b as bigint))),
      overload(
        `math_${name}_uint_uint`,
        [UINT, UINT],
        UINT,
        (a, b) => new CelUint(combine((a as CelUint).value, (b as CelUint).value)),
      ),
    ],
  };
}

function shift(name: string, move: (value: bigint, by: bigint) => bigint): FunctionDeclaration {
  const moved = (value: bigint, by: bigint): bigint | CelError => {
    if (by < 0n) return fail(`math.${name}() negative offset: ${by}`);
    return by >= 64n ? 0n : BigInt.asUintN(64, move(BigInt.asUintN(64, value), by));
  };
  return {
    name: `math.${name}`,
    overloads: [
      overload(`math_${name}_int_int`, [INT, INT], INT, (value, by) => {
        const result = moved(value as bigint, by as bigint);
        return typeof result === "bigint" ? BigInt.asIntN(64, result) : result;
      }),
      overload(`math_${name}_uint_int`, [UINT, INT], UINT, (value, by) => {
        const result = moved((value as CelUint).value, by as bigint);
        return typeof result === "bigint" ? new CelUint(result) : result;
      }),
    ],
  };
}

const bitNot: FunctionDeclaration = {
  name: "math.bitNot",
  overloads: [
    overload("math_bitNot_int_int", [INT], INT, (value) => ~(value as bigint)),
    overload(
      "math_bitNot_uint_uint",
      [UINT],
      UINT,
      (value) => new CelUint(BigInt.asUintN(64, ~(value as CelUint).value)),
    ),
  ],
};

/** Adds math.greatest, math.least and the rest; no environment of Kubernetes has it. */
export const MATH: Library = {
  name: "math",
  macros: [extremeMacro("greatest", "math.@max"), extremeMacro("least", "math.@min")],
  functions: [
    { name: "math.@max", overloads: extremeOverloads("math_@max"), singleton: extreme("@max", 1) },
    { name: "math.@min", overloads: extremeOverloads("math_@min"), singleton: extreme("@min", -1) },
    onDouble("ceil", DOUBLE, Math.ceil),
    onDouble("floor", DOUBLE, Math.floor),
    onDouble("round", DOUBLE, round),
    onDouble("trunc", DOUBLE, Math.trunc),
    onDouble("isInf", BOOL, (value) => Math.abs(value) === Infinity),
    onDouble("isNaN", BOOL, (value) => Number.isNaN(value)),
    onDouble("isFinite", BOOL, (value) => Number.isFinite(value)),
    onNumbers("abs", abs),
    onNumbers("sign", sign),
    bits("bitAnd", (a, b) => a & b),
    bits("bitOr", (a, b) => a | b),
    bits("bitXor", (a, b) => a ^ b),
    bitNot,
    shift("bitShiftLeft", (value, by) => value << by),
    shift("bitShiftRight", (value, by) => value >> by),
  ],
};
