/** One text and one order for JSON values, regardless of the order of their fields: for hashes, comparisons and stable output. */
import { stringifyExact } from "./exact-json.ts";

/** JSON with the fields of every object sorted. */
export function toCanonicalJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return stringifyExact(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(toCanonicalJson).join(",")}]`;
  const fields: string[] = [];
  for (const [key, part] of Object.entries(value).sort(byKey)) {
    if (part !== undefined) fields.push(`${JSON.stringify(key)}:${toCanonicalJson(part)}`);
  }
  return `{${fields.join(",")}}`;
}

function byKey([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A total order on JSON values: null, booleans, numbers, strings, lists, objects; within a type by content. */
export function compareJson(a: unknown, b: unknown): number {
  const ranks = rank(a) - rank(b);
  if (ranks !== 0) return ranks;
  if (Array.isArray(a) && Array.isArray(b)) return compareLists(a, b);
  if (typeof a === "object") return compareTexts(toCanonicalJson(a), toCanonicalJson(b));
  return typeof a === "string" ? compareTexts(a, b as string) : Number(a) - Number(b);
}

function rank(value: unknown): number {
  if (value === null || value === undefined) return 0;
  if (Array.isArray(value)) return 4;
  if (typeof value === "bigint") return 2;
  return ["boolean", "number", "string", "", "object"].indexOf(typeof value) + 1;
}

function compareLists(a: readonly unknown[], b: readonly unknown[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const order = compareJson(a[i], b[i]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
