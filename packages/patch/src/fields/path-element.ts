/** Path elements: one step from a value to a part of it, in the text form of managed fields. */
import { isLargeInteger, compareJson, quote, toGoJson, type Json } from "@capstan/model";
import { isObject, type JsonObject } from "../json-value.ts";

/**
 * One step: `f:name` to a field, `k:{"name":"a"}` to the list item with these keys, `v:1` to the item with this value,
 * `i:0` to a position. The text is canonical (keys sorted, values as Go prints JSON), so equal steps are equal strings.
 */
export type PathElement = string;

const maxKnownFields = 10_000;
const knownFields = new Map<string, PathElement>();

/** The step to a field. Field names repeat: the same string is returned again, which makes sets of them fast. */
export function fieldElement(name: string): PathElement {
  const known = knownFields.get(name);
  if (known !== undefined) return known;
  if (knownFields.size >= maxKnownFields) knownFields.clear();
  const element = `f:${name}`;
  knownFields.set(name, element);
  return element;
}

export function valueElement(value: Json): PathElement {
  return `v:${jsonText(value)}`;
}

export function indexElement(index: number): PathElement {
  return `i:${index}`;
}

/** The step to the list item with these keys; undefined values are left out. */
export function keyElement(keys: readonly (readonly [string, Json])[]): PathElement {
  let parts = "";
  for (const [name, value] of keys) parts += `${parts === "" ? "" : ","}${jsonText(name)}:${jsonText(value)}`;
  return `k:{${parts}}`;
}

const plainText = /^[ !#-%'-;=?-[\]-~]*$/;

/** JSON as Go prints it; most keys are plain strings and numbers, for which this is a fast path. */
function jsonText(value: Json): string {
  if (typeof value === "string" && plainText.test(value)) return `"${value}"`;
  return typeof value === "number" ? JSON.stringify(value) : toGoJson(value);
}

/** The kind of a text from managed fields: a step, one of an unknown kind (which readers skip), or an error. */
export type ParsedElement = { readonly element: PathElement } | { readonly unknown: true } | { readonly error: string };

/** Parses a step and makes it canonical. */
export function parseElement(text: string): ParsedElement {
  if (text.length < 2) return { error: "key must be 2 characters long:" };
  if (text[1] !== ":") return { error: `missing colon: ${text}` };
  switch (text[0]) {
    case "f":
      return { element: text };
    case "v":
      return parseJsonElement(text, valueElement);
    case "k":
      return parseJsonElement(text, (value) => (isObject(value) ? keysElement(value) : undefined));
    case "i":
      return /^[+-]?\d+$/.test(text.slice(2))
        ? { element: indexElement(Number(text.slice(2))) }
        : { error: `strconv.Atoi: parsing ${quote(text.slice(2))}: invalid syntax` };
    default:
      return { unknown: true };
  }
}

function keysElement(keys: JsonObject): PathElement {
  const names = Object.keys(keys).sort(compareText);
  return keyElement(names.map((name) => [name, keys[name] ?? null]));
}

function parseJsonElement(text: string, build: (value: Json) => PathElement | undefined): ParsedElement {
  try {
    const element = build(JSON.parse(text.slice(2)) as Json);
    if (element !== undefined) return { element };
  } catch {
    // Falls through to the result for everything that is not the expected JSON.
  }
  return { error: `could not read ${quote(text)}` };
}

const kindRank: Readonly<Record<string, number>> = { f: 0, k: 1, v: 2, i: 3 };

/** Steps in the order of managed fields: fields by name, then keys, then values, then positions. */
export function sortElements(elements: Iterable<PathElement>): PathElement[] {
  const all = [...elements];
  if (all.length < 2) return all;
  if (all.every((element) => element.startsWith("f:"))) return all.sort(compareText);
  const read = all.map((element) => ({ element, kind: element[0] ?? "", json: jsonOf(element) }));
  return read.sort(compareRead).map(({ element }) => element);
}

interface ReadElement {
  readonly element: PathElement;
  readonly kind: string;
  /** The text after the kind; empty for fields, which are compared as they are. */
  readonly json: Json;
}

function compareRead(left: ReadElement, right: ReadElement): number {
  if (left.kind !== right.kind) return (kindRank[left.kind] ?? 4) - (kindRank[right.kind] ?? 4);
  if (left.kind === "f") return compareText(left.element, right.element);
  return left.kind === "k"
    ? compareKeys(left.json as JsonObject, right.json as JsonObject)
    : compareValues(left.json, right.json);
}

/** The step as messages show it: `.name`, `[name="a"]`, `[=1]`, `[0]`. */
export function formatElement(element: PathElement): string {
  switch (element[0]) {
    case "f":
      return `.${element.slice(2)}`;
    case "k": {
      const keys = Object.entries(jsonOf(element) as JsonObject);
      return `[${keys.map(([name, value]) => `${name}=${formatValue(value ?? null)}`).join(",")}]`;
    }
    case "v":
      return `[=${formatValue(jsonOf(element))}]`;
    default:
      return `[${element.slice(2)}]`;
  }
}

function formatValue(value: Json): string {
  if (typeof value === "string") return quote(value);
  if (Array.isArray(value)) return `[${value.map(formatValue).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  return Object.entries(value)
    .map(([key, part]) => `${key}=${formatValue(part ?? null)}`)
    .join("");
}

function jsonOf(element: PathElement): Json {
  return element.startsWith("f:") ? null : (JSON.parse(element.slice(2)) as Json);
}

function compareKeys(left: JsonObject, right: JsonObject): number {
  const [leftKeys, rightKeys] = [Object.entries(left), Object.entries(right)];
  for (let i = 0; i < Math.min(leftKeys.length, rightKeys.length); i++) {
    const [leftKey, rightKey] = [leftKeys[i], rightKeys[i]];
    if (leftKey === undefined || rightKey === undefined) break;
    const order = compareText(leftKey[0], rightKey[0]) || compareValues(leftKey[1] ?? null, rightKey[1] ?? null);
    if (order !== 0) return order;
  }
  return leftKeys.length - rightKeys.length;
}

/** Numbers, then strings, then booleans, then lists, then objects, then null. */
function compareValues(left: Json, right: Json): number {
  const ranks = valueRank(left) - valueRank(right);
  if (ranks !== 0) return ranks;
  if (typeof left === "string" && typeof right === "string") return compareText(left, right);
  return compareJson(left, right);
}

function valueRank(value: Json): number {
  if (value === null) return 5;
  const rank = isLargeInteger(value) ? 0 : ["number", "string", "boolean"].indexOf(typeof value);
  return rank >= 0 ? rank : Array.isArray(value) ? 3 : 4;
}

const surrogates = /[\ud800-\udfff]/;

/** Order by UTF-8 bytes; UTF-16 order is the same unless a surrogate is involved. */
export function compareText(left: string, right: string): number {
  if (surrogates.test(left) || surrogates.test(right)) return compareCodePoints(Array.from(left), Array.from(right));
  return left < right ? -1 : left > right ? 1 : 0;
}

function compareCodePoints(left: readonly string[], right: readonly string[]): number {
  const at = left.findIndex((char, index) => char !== right[index]);
  if (at < 0) return left.length - right.length;
  return (left[at]?.codePointAt(0) ?? -1) - (right[at]?.codePointAt(0) ?? -1);
}
