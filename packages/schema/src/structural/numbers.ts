/** Number checks with the server's arithmetic: int64 where the value is whole, float64 where it is not. */
import type { GoValue } from "./go-text.ts";
import { asFloat, formatFloat, formatNumber, isInt64 } from "./go-text.ts";
import type { Problem } from "./problem.ts";
import { plain, validation } from "./problem.ts";
import type { Schema } from "./schema.ts";

const epsilon = 1e-9;

/** Whether a float64 counts as an integer, with a relative error of 1e-9 forgiven. */
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

function inRange(value: number, type: NumberType): boolean {
  if (type.name === "integer") {
    if (type.format !== "int32") return isInt64(value);
    return Number.isInteger(value) && value >= -(2 ** 31) && value < 2 ** 31;
  }
  return type.format !== "float" || Math.abs(value) < maxFloat32;
}

function rangeProblem(
  value: number,
  type: NumberType,
  what: { readonly prefix: string; readonly path: string },
): Problem {
  const form = type.format === "" ? "(default format)" : `with format ${type.format}`;
  return plain(`${what.prefix} value must be of type ${type.name} ${form} in ${what.path}`);
}

/** What is wrong with a number, in the server's order: range, multiple, minimum, maximum. */
export function numberProblems(
  value: number,
  schema: Schema,
  where: { readonly path: string; readonly type: NumberType },
): Problem[] {
  const { path, type } = where;
  const problems: Problem[] = [];
  if (!inRange(value, type)) problems.push(rangeProblem(value, type, { prefix: "Checked", path }));
  const bounds: readonly [number | undefined, string, Bound][] = [
    [schema.multipleOf, "MultipleOf", multipleOf],
    [schema.minimum, "Minimum boundary", minimum],
    [schema.maximum, "Maximum boundary", maximum],
  ];
  for (const [bound, prefix, check] of bounds) {
    if (bound === undefined) continue;
    const usable = inRange(bound, type);
    if (!usable) problems.push(rangeProblem(bound, type, { prefix, path }));
    const problem = check(value, bound, { path, schema, whole: usable && isInt64(value) });
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

type Bound = (value: number, bound: number, context: BoundContext) => Problem | undefined;

function toInt64(value: number): number {
  const whole = Math.trunc(value);
  return isInt64(whole) ? whole : -(2 ** 63);
}

function shown(bound: number, whole: boolean): string {
  return whole ? formatNumber(bound) : formatFloat(bound);
}

function held(value: number, whole: boolean): GoValue {
  return whole ? value : asFloat(value);
}

const maximum: Bound = (value, given, { path, schema, whole }) => {
  const bound = whole ? toInt64(given) : given;
  const exclusive = schema.exclusiveMaximum === true;
  if (exclusive ? value < bound : value <= bound) return undefined;
  const words = exclusive ? "less than" : "less than or equal to";
  return validation("max", path, {
    message: `${path} in body should be ${words} ${shown(bound, whole)}`,
    value: held(value, whole),
  });
};

const minimum: Bound = (value, given, { path, schema, whole }) => {
  const bound = whole ? toInt64(given) : given;
  const exclusive = schema.exclusiveMinimum === true;
  if (exclusive ? value > bound : value >= bound) return undefined;
  const words = exclusive ? "greater than" : "greater than or equal to";
  return validation("min", path, {
    message: `${path} in body should be ${words} ${shown(bound, whole)}`,
    value: held(value, whole),
  });
};

const multipleOf: Bound = (value, given, { path, whole }) => {
  const factor = whole ? toInt64(given) : given;
  if (factor <= 0)
    return validation("multipleOf", path, {
      message: `factor MultipleOf declared for ${path} must be positive: ${shown(factor, whole)}`,
      value: held(factor, whole),
    });
  const fits = whole ? value % factor === 0 : isJsonInteger(factor < 1 ? (1 / factor) * value : value / factor);
  if (fits) return undefined;
  return validation("multipleOf", path, {
    message: `${path} in body should be a multiple of ${shown(factor, whole)}`,
    value: held(value, whole),
  });
};
