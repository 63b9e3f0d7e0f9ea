/** The functions of templates: those of Go, and of Sprig all that report queries use; none of them reads a clock. */
import { MeterError } from "../error.ts";
import { formatGoTime } from "./go-time.ts";
import { type Functions, isTrue, show } from "./template-render.ts";

const text = (value: unknown): string => (value === undefined || value === null ? "" : show(value));

function number(value: unknown): number {
  const found = typeof value === "string" ? Number(value) : value;
  if (typeof found === "number" && Number.isFinite(found)) return Math.trunc(found);
  if (typeof value === "boolean") return value ? 1 : 0;
  return 0;
}

function compare(a: unknown, b: unknown): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "string" && typeof b === "string") return a < b ? -1 : Number(a > b);
  throw new MeterError(
    "BadInput",
    `error executing template: incompatible types for comparison: ${show(a)} and ${show(b)}`,
  );
}

const isEqual = (a: unknown, b: unknown): boolean =>
  a instanceof Date && b instanceof Date ? a.getTime() === b.getTime() : a === b;

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
}

/** A time, or a text of RFC 3339. */
export function timeOf(value: unknown, purpose: string): Date {
  const time = value instanceof Date ? value : new Date(typeof value === "string" ? value : Number.NaN);
  if (!Number.isNaN(time.getTime())) return time;
  throw new MeterError("BadInput", `error executing template: couldn't convert ${show(value)} to ${purpose}`);
}

function indexed(value: unknown, ...keys: readonly unknown[]): unknown {
  return keys.reduce<unknown>((found, key) => {
    if (Array.isArray(found)) return (found as readonly unknown[])[number(key)];
    if (typeof found === "object" && found !== null) return (found as { readonly [name: string]: unknown })[text(key)];
    throw new MeterError("BadInput", `error executing template: can't index ${show(found)}`);
  }, value);
}

function formatted(format: unknown, ...given: readonly unknown[]): string {
  let at = 0;
  return text(format).replaceAll(/%(0?\d*)([svdqt%])/g, (_all, width: string, verb: string) => {
    if (verb === "%") return "%";
    const value = given[at++];
    const shown = verb === "q" ? JSON.stringify(text(value)) : text(value);
    return width.startsWith("0") ? shown.padStart(Number(width), "0") : shown.padStart(Number(width));
  });
}

/** Go's functions. */
const ofGo: Functions = {
  and: (...given) => given.find((one) => !isTrue(one)) ?? given.at(-1),
  or: (...given) => given.find(isTrue) ?? given.at(-1),
  not: (one) => !isTrue(one),
  eq: (a, ...others) => others.some((b) => isEqual(a, b)),
  ne: (a, b) => !isEqual(a, b),
  lt: (a, b) => compare(a, b) < 0,
  le: (a, b) => compare(a, b) <= 0,
  gt: (a, b) => compare(a, b) > 0,
  ge: (a, b) => compare(a, b) >= 0,
  len: (one) =>
    typeof one === "string" ? one.length : Array.isArray(one) ? one.length : Object.keys(one ?? {}).length,
  index: indexed,
  print: (...given) => given.map(text).join(""),
  println: (...given) => `${given.map(text).join(" ")}\n`,
  printf: formatted,
};

/** Sprig's. */
const ofSprig: Functions = {
  default: (usual, given) => (isTrue(given) ? given : usual),
  empty: (one) => !isTrue(one),
  coalesce: (...given) => given.find(isTrue),
  ternary: (yes, no, condition) => (isTrue(condition) ? yes : no),
  upper: (one) => text(one).toUpperCase(),
  lower: (one) => text(one).toLowerCase(),
  title: (one) => text(one).replaceAll(/\b\w/g, (letter) => letter.toUpperCase()),
  trim: (one) => text(one).trim(),
  trimAll: (cut, one) => trimmed(text(one), text(cut)),
  trimPrefix: (prefix, one) => (text(one).startsWith(text(prefix)) ? text(one).slice(text(prefix).length) : text(one)),
  trimSuffix: (suffix, one) =>
    text(suffix) !== "" && text(one).endsWith(text(suffix)) ? text(one).slice(0, -text(suffix).length) : text(one),
  quote: (...given) =>
    given
      .filter((one) => one !== undefined)
      .map((one) => JSON.stringify(text(one)))
      .join(" "),
  squote: (...given) =>
    given
      .filter((one) => one !== undefined)
      .map((one) => `'${text(one)}'`)
      .join(" "),
  join: (separator, all) => list(all).map(text).join(text(separator)),
  splitList: (separator, one) => text(one).split(text(separator)),
  replace: (from, to, one) => text(one).replaceAll(text(from), text(to)),
  contains: (part, one) => text(one).includes(text(part)),
  hasPrefix: (prefix, one) => text(one).startsWith(text(prefix)),
  hasSuffix: (suffix, one) => text(one).endsWith(text(suffix)),
  repeat: (count, one) => text(one).repeat(number(count)),
  nospace: (one) => text(one).replaceAll(/\s/g, ""),
  cat: (...given) => given.map(text).join(" "),
  list: (...given) => given,
  first: (all) => list(all)[0],
  last: (all) => list(all).at(-1),
  toString: text,
  int: number,
  int64: number,
  add: (...given) => given.reduce<number>((sum, one) => sum + number(one), 0),
  add1: (one) => number(one) + 1,
  sub: (a, b) => number(a) - number(b),
  mul: (...given) => given.reduce<number>((product, one) => product * number(one), 1),
  div: (a, b) => Math.trunc(number(a) / number(b)),
  mod: (a, b) => number(a) % number(b),
  max: (...given) => Math.max(...given.map(number)),
  min: (...given) => Math.min(...given.map(number)),
  date: (layout, time) => formatGoTime(timeOf(time, "a date"), text(layout)),
  dateInZone: (layout, time, zone) => {
    if (text(zone) !== "UTC") throw new MeterError("BadInput", "error executing template: dateInZone is for UTC only");
    return formatGoTime(timeOf(time, "a date"), text(layout));
  },
  htmlDate: (time) => formatGoTime(timeOf(time, "a date"), "2006-01-02"),
  toDate: (_layout, value) => timeOf(value, "a date"),
  unixEpoch: (time) => String(Math.trunc(timeOf(time, "a date").getTime() / 1000)),
};

function trimmed(value: string, cut: string): string {
  let [from, to] = [0, value.length];
  while (from < to && cut.includes(value[from] ?? "")) from += 1;
  while (to > from && cut.includes(value[to - 1] ?? "")) to -= 1;
  return value.slice(from, to);
}

/** Those of metering that need no other object. */
const ofMetering: Functions = {
  prestoTimestamp: (time) => formatGoTime(timeOf(time, "a Presto timestamp"), "2006-01-02 15:04:05.000"),
  prometheusMetricPartitionFormat: (time) => formatGoTime(timeOf(time, "a partition"), "2006-01-02"),
  billingPeriodTimestamp: (time) => formatGoTime(timeOf(time, "a billing period"), "20060102"),
};

/** All functions that need no object of the cluster. */
export const templateFunctions: Functions = { ...ofGo, ...ofSprig, ...ofMetering };
