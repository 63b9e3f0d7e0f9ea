/** Removes numbers that a source cannot represent exactly from a schema, and reports them. */
import type { JsonSchema } from "@capstan/schema";

/** A schema that can be stated, and what it lost. */
export interface Stated {
  readonly schema: JsonSchema;
  readonly differences: readonly string[];
}

/** Bounds are kept as doubles by the API server itself. */
const bounds: ReadonlySet<string> = new Set(["minimum", "maximum", "multipleOf"]);

/** The same schema with numbers that mean to a program what they mean to a cluster. */
export function withStatedNumbers(schema: JsonSchema, path: string): Stated {
  const differences: string[] = [];
  const below = (part: JsonSchema, at: string): JsonSchema => {
    const stated = withStatedNumbers(part, at);
    differences.push(...stated.differences);
    return stated.schema;
  };
  const entries = Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
    if (keyword === "properties") {
      const fields = Object.entries(value as { readonly [name: string]: JsonSchema });
      const join = (name: string): string => (path === "" ? name : `${path}.${name}`);
      return [[keyword, Object.fromEntries(fields.map(([name, field]) => [name, below(field, join(name))]))]];
    }
    if (keyword === "items") return [[keyword, below(value as JsonSchema, `${path}[]`)]];
    if (keyword === "additionalProperties" && typeof value === "object")
      return [[keyword, below(value as JsonSchema, `${path}.*`)]];
    const bad = badNumberIn(bounds.has(keyword) && typeof value === "bigint" ? Number(value) : value);
    if (bad === undefined) return [[keyword, toNumbers(value)]];
    differences.push(`${keyword} of ${path}: ${bad} is no number of a program`);
    return [];
  });
  // The schema keeps its shape except for optional keywords.
  return { schema: Object.fromEntries(entries) as JsonSchema, differences };
}

/** A number in a value that a program would take for another one. */
function badNumberIn(value: unknown): string | undefined {
  if (typeof value === "bigint") return isExact(value) ? undefined : String(value);
  if (typeof value === "number") return Number.isFinite(value) ? undefined : String(value);
  if (typeof value !== "object" || value === null) return undefined;
  return Object.values(value)
    .map(badNumberIn)
    .find((bad) => bad !== undefined);
}

function isExact(value: bigint): boolean {
  return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER);
}

/** Exactly parsed integers as ordinary numbers. */
export function toNumbers(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(toNumbers);
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, toNumbers(item)]));
}
