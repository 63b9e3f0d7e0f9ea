/** Finds the first differences of two recordings. */
import type { Recorded } from "./answer.ts";

/** The differing paths, one per line, limited to a few. */
export function firstDifference(expected: readonly Recorded[], actual: readonly Recorded[]): string {
  const lines: string[] = [];
  walk(expected, JSON.parse(JSON.stringify(actual)), { path: "", lines });
  return lines.slice(0, 8).join("\n");
}

function walk(expected: unknown, actual: unknown, { path, lines }: { path: string; lines: string[] }): void {
  if (Object.is(expected, actual)) return;
  const isBoth = typeof expected === "object" && typeof actual === "object" && expected !== null && actual !== null;
  if (!isBoth || Array.isArray(expected) !== Array.isArray(actual)) {
    lines.push(`    ${path}: expected ${show(expected)}, got ${show(actual)}`);
    return;
  }
  const keys = new Set([...Object.keys(expected), ...Object.keys(actual)]);
  for (const key of keys) {
    const [left, right] = [Reflect.get(expected, key) as unknown, Reflect.get(actual, key) as unknown];
    walk(left, right, { path: `${path}.${key}`, lines });
  }
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 700 ? `${text.slice(0, 700)}...` : text;
}
