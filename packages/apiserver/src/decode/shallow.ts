/** Cuts off values that nest deeper than any built-in type. They are below unknown fields and are never read. */
import type { JsonValue } from "../builtin/draft.ts";
import { nestsDeeper } from "./nesting.ts";
import { NumberLiteral } from "./number-literal.ts";

/** Far deeper than any type nests, and well within the stack. */
const deepest = 500;

/** The value without the parts that nest too deep. Most texts are too short to contain any. */
export function shallow(value: JsonValue, text: string): JsonValue {
  return text.length >= 2 * deepest && nestsDeeper(text, deepest) ? cut(value, 0) : value;
}

function cut(value: JsonValue, depth: number): JsonValue {
  if (typeof value !== "object" || value === null || value instanceof NumberLiteral) return value;
  if (depth === deepest) return null;
  if (Array.isArray(value)) return value.map((item) => cut(item, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, cut(part ?? null, depth + 1)]));
}
