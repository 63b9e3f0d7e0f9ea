/** Values that nest deeper than any type of a built-in kind: what lies below is in fields that nobody knows, and is never looked at. */
import type { JsonValue } from "../builtin/draft.ts";
import { nestsDeeper } from "./nesting.ts";
import { NumberLiteral } from "./number-literal.ts";

/** Far more than any type nests, far less than the stack holds. */
const deepest = 500;

/** The value without what lies too deep; most texts are too short to hold any such thing. */
export function shallow(value: JsonValue, text: string): JsonValue {
  return text.length >= 2 * deepest && nestsDeeper(text, deepest) ? cut(value, 0) : value;
}

function cut(value: JsonValue, depth: number): JsonValue {
  if (typeof value !== "object" || value === null || value instanceof NumberLiteral) return value;
  if (depth === deepest) return null;
  if (Array.isArray(value)) return value.map((item) => cut(item, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, cut(part ?? null, depth + 1)]));
}
