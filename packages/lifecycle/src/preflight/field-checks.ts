/** The checks on one field of a CRD: which changes of its schema break stored objects or clients. */
import { quote } from "@capstan/model";
import type { Schema } from "./schema.ts";

/** A change that may break something: the name of the check, and its text. */
export interface Finding {
  readonly check: string;
  readonly message: string;
}

interface FieldCheck {
  readonly name: string;
  /** The keywords that the check judges; a change in another keyword is unhandled. */
  readonly keywords: readonly string[];
  readonly compare: (old: Schema, next: Schema) => string | undefined;
}

/** Compares the schemas of one field, without those of the fields in it. */
export function compareField(old: Schema, next: Schema): Finding[] {
  const found = checks.flatMap(({ name, compare }) => {
    const message = compare(old, next);
    return message === undefined ? [] : [{ check: name, message }];
  });
  const unhandled = unhandledChanges(old, next);
  return unhandled === undefined ? found : [...found, { check: "unhandled", message: unhandled }];
}

const children = new Set(["properties", "items"]);

/** The field without what is in it, so that a change is reported where it is. */
export function withoutChildren(schema: Schema): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !children.has(keyword)));
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function json(value: unknown): string {
  return JSON.stringify(value);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function compareDefault(old: Schema, next: Schema): string | undefined {
  const [before, after] = [old["default"], next["default"]];
  if (before === undefined && after === undefined) return undefined;
  if (before === undefined) return `default added when there was none previously : ${quote(json(after))}`;
  if (after === undefined) return `default value removed : ${quote(json(before))}`;
  if (json(before) === json(after)) return undefined;
  return `default value changed : ${quote(json(before))} -> ${quote(json(after))}`;
}

/** More values are allowed; fewer, or a first list of values, are not. */
function compareEnum(old: Schema, next: Schema): string | undefined {
  const [before, after] = [old, next].map((one) => new Set(listOf(one["enum"]).map(json)));
  if (before === undefined || after === undefined) return undefined;
  const format = (values: ReadonlySet<string>): string => `[${[...values].toSorted().join(" ")}]`;
  if (before.size === 0 && after.size > 0)
    return `enum constraint added when there was none previously : ${format(after)}`;
  const removed = before.difference(after);
  return removed.size > 0 ? `allowed enum values removed : ${format(removed)}` : undefined;
}

function compareRequired(old: Schema, next: Schema): string | undefined {
  const [before, after] = [new Set(listOf(old["required"])), new Set(listOf(next["required"]))];
  const added = [...after.difference(before)].map(String).toSorted();
  return added.length > 0 ? `new required fields: [${added.join(" ")}]` : undefined;
}

function compareType(old: Schema, next: Schema): string | undefined {
  const [before, after] = [textOf(old["type"]), textOf(next["type"])];
  return before === after ? undefined : `type changed : ${quote(before)} -> ${quote(after)}`;
}

function comparePattern(old: Schema, next: Schema): string | undefined {
  const [before, after] = [textOf(old["pattern"]), textOf(next["pattern"])];
  if (before === after) return undefined;
  const word = before === "" ? "added" : after === "" ? "removed" : "changed";
  return `pattern ${word} : ${quote(before)} -> ${quote(after)}`;
}

function compareNullable(old: Schema, next: Schema): string | undefined {
  const [before, after] = [old["nullable"] === true, next["nullable"] === true];
  return before === after ? undefined : `nullable ${after ? "added" : "removed"} : ${before} -> ${after}`;
}

function maximum(keyword: string): FieldCheck {
  const compare = (old: Schema, next: Schema): string | undefined => {
    const [before, after] = [old[keyword], next[keyword]];
    if (typeof after !== "number") return undefined;
    if (typeof before !== "number") return `maximum constraint added when there was none previously : ${after}`;
    return after < before ? `maximum decreased : ${before} -> ${after}` : undefined;
  };
  return { name: keyword, keywords: [keyword], compare };
}

function minimum(keyword: string): FieldCheck {
  const compare = (old: Schema, next: Schema): string | undefined => {
    const [before, after] = [old[keyword], next[keyword]];
    if (typeof after !== "number") return undefined;
    if (typeof before !== "number") return `minimum constraint added when there was none previously : ${after}`;
    return after > before ? `minimum increased : ${before} -> ${after}` : undefined;
  };
  return { name: keyword, keywords: [keyword], compare };
}

const checks: readonly FieldCheck[] = [
  { name: "default", keywords: ["default"], compare: compareDefault },
  { name: "description", keywords: ["description"], compare: () => undefined },
  { name: "enum", keywords: ["enum"], compare: compareEnum },
  ...["maximum", "maxItems", "maxLength", "maxProperties"].map(maximum),
  ...["minimum", "minItems", "minLength", "minProperties"].map(minimum),
  { name: "nullable", keywords: ["nullable"], compare: compareNullable },
  { name: "pattern", keywords: ["pattern"], compare: comparePattern },
  { name: "required", keywords: ["required"], compare: compareRequired },
  { name: "type", keywords: ["type"], compare: compareType },
];

const handled = new Set([...checks.flatMap(({ keywords }) => keywords), ...children]);

function unhandledChanges(old: Schema, next: Schema): string | undefined {
  const keywords = [...new Set([...Object.keys(old), ...Object.keys(next)])]
    .filter((keyword) => !handled.has(keyword) && canonical(old[keyword]) !== canonical(next[keyword]))
    .toSorted();
  if (keywords.length === 0) return undefined;
  const details = keywords.map((one) => `${fieldName(one)} ${formatValue(old[one])} -> ${formatValue(next[one])}`);
  return `unhandled changes found (${details.join("; ")})`;
}

/** JSON whose keys are sorted. Empty lists and objects count as absent, as in the original. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? "" : `[${value.map(canonical).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
    return entries.length === 0 ? "" : `{${entries.map(([key, one]) => `${key}:${canonical(one)}`).join(",")}}`;
  }
  return value === undefined || value === false || value === "" ? "" : json(value);
}

/** The name of the field in Go: `x-kubernetes-int-or-string` is XIntOrString. */
function fieldName(keyword: string): string {
  const words = keyword.replace(/^x-kubernetes-/, "x-").split("-");
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}

function formatValue(value: unknown): string {
  if (value === undefined) return "<empty>";
  return typeof value === "object" && value !== null ? "<complex value>" : json(value);
}
