/** Number checks with the server's arithmetic: int64 for integers that fit, float64 for everything else. */
import type { GoValue } from "./go-text.ts";
import { asFloat, formatFloat, isInt64 } from "./go-text.ts";
import type { Problem } from "./problem.ts";
import { plain, validation } from "./problem.ts";
import type { Schema } from "./schema.ts";

const epsilon = 1e-9;

/** Whether a float64 counts as an integer, with a relative error of 1e-9 tolerated. */
export function isJsonInteger(value: number): boolean {
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  if (Number.isInteger(value)) return true;
  if (value < 0) return false;
  const whole = Math.trunc(value);
  return whole !== 0 && (value - whole) / (value + whole) < epsilon;
}

interface NumberType {
  readonly name: "integer" | "number" | "";
  readonly format: string;
}

/** The type and format that decide which range a number must be in. */
export function numberType(types: readonly string[], format: string | undefined): NumberType {
  const [only] = types;
  if (types.length !== 1) return { name: "", format: "" };
  if (only === "integer") return { name: only, format: format === "int32" || format === "int64" ? format : "" };
  if (only === "number") return { name: only, format: format === "float" || format === "double" ? format : "" };
  return { name: "", format: "" };
}

const maxFloat32 = 3.4028235677973366e38;

function inRange(value: number | bigint, type: NumberType): boolean {
  if (type.name === "integer") return fitsBits(value, type.format === "int32" ? 32 : 64);
  return type.format !== "float" || Math.abs(Number(value)) < maxFloat32;
}

/** The server prints a float with the fewest digits that identify it, and tries to parse that text as an integer. */
function fitsBits(value: number | bigint, bits: 32 | 64): boolean {
  if (typeof value === "number" && (!Number.isInteger(value) || Math.abs(value) >= 1e21)) return false;
  const whole = BigInt(String(value));
  return BigInt.asIntN(bits, whole) === whole;
}

function rangeProblem(type: NumberType, what: { readonly prefix: string; readonly path: string }): Problem {
  const form = type.format === "" ? "(default format)" : `with format ${type.format}`;
  return plain(`${what.prefix} value must be of type ${type.name} ${form} in ${what.path}`);
}

/** The errors of a number, in the server's order: range, multiple, minimum, maximum. */
export function numberProblems(
  value: number | bigint,
  schema: Schema,
  where: { readonly path: string; readonly type: NumberType },
): Problem[] {
  const { path, type } = where;
  const problems: Problem[] = [];
  if (!inRange(value, type)) problems.push(rangeProblem(type, { prefix: "Checked", path }));
  const bounds: readonly [number | undefined, string, Bound][] = [
    [schema.multipleOf, "MultipleOf", multipleOf],
    [schema.minimum, "Minimum boundary", minimum],
    [schema.maximum, "Maximum boundary", maximum],
  ];
  for (const [bound, prefix, check] of bounds) {
    if (bound === undefined) continue;
    const usable = inRange(bound, type);
    if (!usable) problems.push(rangeProblem(type, { prefix, path }));
    const whole = usable && (typeof value === "bigint" || isInt64(value));
    const problem = check(whole ? value : Number(value), bound, { path, schema, whole });
    if (problem !== undefined) problems.push(problem);
  }
  return problems;
}

interface BoundContext {
  readonly path: string;
  readonly schema: Schema;
  /** Whether int64 arithmetic applies, in which the bound loses its fraction. */
  readonly whole: boolean;
}

type Bound = (value: number | bigint, bound: number, context: BoundContext) => Problem | undefined;

/** The bound as the server compares it: int64 arithmetic drops its fraction, and a bound beyond int64 becomes the minimum int64. */
function boundFor(given: number, whole: boolean): number | bigint {
  if (!whole) return given;
  const bound = Math.trunc(given);
  if (isInt64(bound)) return bound;
  return Math.abs(bound) < 2 ** 63 ? BigInt(bound) : -(2n ** 63n);
}

function shown(bound: number | bigint, whole: boolean): string {
  return whole ? String(bound) : formatFloat(Number(bound));
}

function held(value: number | bigint, whole: boolean): GoValue {
  // Integers beyond the safe range are bigints.
  return whole ? (value as GoValue) : asFloat(Number(value));
}

const maximum: Bound = (value, given, { path, schema, whole }) => {
  const bound = boundFor(given, whole);
  const exclusive = schema.exclusiveMaximum === true;
  if (exclusive ? value < bound : value <= bound) return undefined;
  const words = exclusive ? "less than" : "less than or equal to";
  return validation("max", path, {
    message: `${path} in body should be ${words} ${shown(bound, whole)}`,
    value: held(value, whole),
  });
};

const minimum: Bound = (value, given, { path, schema, whole }) => {
  const bound = boundFor(given, whole);
  const exclusive = schema.exclusiveMinimum === true;
  if (exclusive ? value > bound : value >= bound) return undefined;
  const words = exclusive ? "greater than" : "greater than or equal to";
  return validation("min", path, {
    message: `${path} in body should be ${words} ${shown(bound, whole)}`,
    value: held(value, whole),
  });
};

const multipleOf: Bound = (value, given, { path, whole }) => {
  const factor = boundFor(given, whole);
  if (factor <= 0)
    return validation("multipleOf", path, {
      message: `factor MultipleOf declared for ${path} must be positive: ${shown(factor, whole)}`,
      value: held(factor, whole),
    });
  const fits = whole ? BigInt(value) % BigInt(factor) === 0n : isMultiple(Number(value), Number(factor));
  if (fits) return undefined;
  return validation("multipleOf", path, {
    message: `${path} in body should be a multiple of ${shown(factor, whole)}`,
    value: held(value, whole),
  });
};

function isMultiple(value: number, factor: number): boolean {
  return isJsonInteger(factor < 1 ? (1 / factor) * value : value / factor);
}
