/** Evaluates a JSONPath on a value, and prints the results like kubectl and printer columns. */
import { isLargeInteger, type Json } from "@capstan/model";

import { plainText } from "../structural/enumeration.ts";
import { formatNumber, marshal } from "../structural/go-text.ts";
import { isJsonObject } from "../structural/schema.ts";
import type { PathNode } from "./jsonpath-parser.ts";
import { JsonPathError, parseJsonPath } from "./jsonpath-parser.ts";

/** Options of an evaluation. */
export interface JsonPathOptions {
  /** A missing field yields nothing instead of an error. */
  readonly allowMissingKeys?: boolean;
}

/** A template that can be used many times. */
export interface JsonPath {
  /** The values that each piece of the template yields. */
  readonly find: (data: Json) => Json[][];
  /** The template filled in. */
  readonly print: (data: Json) => string;
}

/** Compiles a template such as `{.status.conditions[?(@.type=="Ready")].status}`. */
export function compileJsonPath(template: string, options: JsonPathOptions = {}): JsonPath {
  const nodes = parseJsonPath(template);
  const find = (data: Json): Json[][] => new Evaluation(options.allowMissingKeys === true).run(nodes, data);
  return { find, print: (data) => find(data).map(printValues).join("") };
}

/** Values side by side, as PrintResults writes them. */
export function printValues(values: readonly Json[]): string {
  return values.map(printValue).join(" ");
}

function printValue(value: Json): string {
  if (value === null) return "null";
  if (typeof value === "string") return value;
  return typeof value === "number" ? formatNumber(value) : marshal(value);
}

function fail(message: string): never {
  throw new JsonPathError("evaluation", message);
}

/** One evaluation of a template; ranges are found while it runs. */
class Evaluation {
  private readonly allowMissingKeys: boolean;

  constructor(allowMissingKeys: boolean) {
    this.allowMissingKeys = allowMissingKeys;
  }

  run(nodes: readonly PathNode[], data: Json): Json[][] {
    return this.runFrom(nodes, { index: 0, data, depth: 0 }).results;
  }

  /** Runs until the end of the template, or of the range that began at this depth. */
  private runFrom(
    nodes: readonly PathNode[],
    from: { readonly index: number; readonly data: Json; readonly depth: number },
  ): { results: Json[][]; end: number | undefined } {
    const results: Json[][] = [];
    const input = [from.data];
    let { index } = from;
    for (; index < nodes.length; index++) {
      const node = nodes[index];
      if (node === undefined) break;
      const word = rangeWord(node);
      if (word === "end" && from.depth === 0) fail("not in range, nothing to end");
      if (word === "end") return { results, end: index };
      const values = this.walk(input, word === "range" ? withoutRange(node) : node);
      if (word !== "range") results.push(values);
      else {
        const inner = { index: index + 1, depth: from.depth + 1 };
        const runs = (values.length > 0 ? values : [null]).map((data) => this.runFrom(nodes, { ...inner, data }));
        if (values.length > 0) for (const run of runs) results.push(...run.results);
        // A range that is never closed repeats the remainder of the template, as in kubectl.
        index = runs[0]?.end ?? index;
      }
    }
    return { results, end: undefined };
  }

  private walk(input: readonly Json[], node: PathNode): Json[] {
    switch (node.kind) {
      case "list":
        return node.nodes.reduce<Json[]>((values, step) => this.walk(values, step), [...input]);
      case "text":
        return [node.text];
      case "field":
        return this.field(input, node.name);
      case "slice":
        return input.flatMap((value) => slice(value, node));
      case "filter":
        return input.flatMap((value) => this.filter(value, node));
      case "constant":
        return input.map(() => node.value);
      case "wildcard":
        return input.flatMap(children);
      case "recursive":
        return input.flatMap(descendants);
      case "union":
        return node.lists.flatMap((list) => this.walk(input, list));
      case "identifier":
        return fail(`unrecognized identifier ${node.name}`);
      default:
        return node satisfies never;
    }
  }

  private field(input: readonly Json[], name: string): Json[] {
    if (input.length === 0) return [];
    const found = input.flatMap((value) => {
      const field = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
      return field === undefined ? [] : [field];
    });
    if (found.length === 0 && !this.allowMissingKeys) fail(`${name} is not found`);
    return found;
  }

  private filter(value: Json, node: PathNode & { kind: "filter" }): Json[] {
    if (!Array.isArray(value)) return fail(`${plainText(value)} is not array or slice and cannot be filtered`);
    return (value as readonly Json[]).filter((item) => this.passes(item, node));
  }

  private passes(item: Json, { left, right, operator }: PathNode & { kind: "filter" }): boolean {
    if (right === undefined) return this.exists(item, left);
    const [a, moreLeft] = this.walk([item], left);
    if (a === undefined) return false;
    if (moreLeft !== undefined) fail("can only compare one element at a time");
    const [b, moreRight] = this.walk([item], right);
    if (b === undefined) return false;
    if (moreRight !== undefined) fail("can only compare one element at a time");
    return compare(a, b, operator);
  }

  private exists(item: Json, path: PathNode): boolean {
    try {
      return this.walk([item], path).length > 0;
    } catch (error) {
      if (error instanceof JsonPathError) return false;
      throw error;
    }
  }
}

function rangeWord(node: PathNode): "range" | "end" | undefined {
  const first = node.kind === "list" ? node.nodes[0] : undefined;
  if (first?.kind !== "identifier") return undefined;
  return first.name === "range" || first.name === "end" ? first.name : undefined;
}

function withoutRange(node: PathNode): PathNode {
  return node.kind === "list" ? { kind: "list", nodes: node.nodes.slice(1) } : node;
}

const goTypes: Readonly<Record<string, string>> = { string: "string", boolean: "bool", number: "int64" };

function slice(value: Json, node: PathNode & { kind: "slice" }): Json[] {
  if (value === null) return [];
  if (!Array.isArray(value)) return fail(`${goTypes[typeof value] ?? "map[string]interface {}"} is not array or slice`);
  const bounds = sliceBounds(value.length, node);
  if (bounds === undefined) return [];
  const step = node.step ?? 1;
  if (step <= 0) fail("step must be > 0");
  return (value as readonly Json[]).slice(...bounds).filter((_item, i) => i % step === 0);
}

/** The first and the last index of a slice, negative ones counted from the end; undefined for an empty slice. */
function sliceBounds(size: number, node: PathNode & { kind: "slice" }): [number, number] | undefined {
  let { start = 0, end = size } = node;
  if (start < 0) start += size;
  if (end < 0 || (end === 0 && node.derivedEnd)) end += size;
  if (start === end) return undefined;
  if (start >= size || start < 0) fail(`array index out of bounds: index ${start}, length ${size}`);
  if (end > size || end < 0) fail(`array index out of bounds: index ${end - 1}, length ${size}`);
  if (start > end) fail(`starting index ${start} is greater than ending index ${end}`);
  return [start, end];
}

function children(value: Json): Json[] {
  if (Array.isArray(value)) return [...(value as readonly Json[])];
  return isJsonObject(value) ? Object.values(value).filter((item) => item !== undefined) : [];
}

function descendants(value: Json): Json[] {
  const inner = children(value);
  return inner.length === 0 ? [] : [value, ...inner.flatMap(descendants)];
}

type Basic = "bool" | "float" | "int" | "string";

function basicKind(value: Json): Basic | undefined {
  if (typeof value === "boolean") return "bool";
  if (typeof value === "string") return "string";
  if (typeof value === "number") return Number.isSafeInteger(value) ? "int" : "float";
  if (isLargeInteger(value)) return "int";
  return undefined;
}

function compare(a: Json, b: Json, operator: string): boolean {
  const [left, right] = [basicKind(a), basicKind(b)];
  if (left === undefined || right === undefined) return fail("invalid type for comparison");
  if (left !== right) return fail("incompatible types for comparison");
  const [x, y] = [a as string | number | boolean, b as string | number | boolean];
  switch (operator) {
    case "==":
      return x === y;
    case "!=":
      return x !== y;
    default:
      return order(x, y, { operator, kind: left });
  }
}

function order(
  x: string | number | boolean,
  y: string | number | boolean,
  { operator, kind }: { readonly operator: string; readonly kind: Basic },
): boolean {
  if (!["<", "<=", ">", ">="].includes(operator)) return fail(`unrecognized filter operator ${operator}`);
  if (kind === "bool") return fail("invalid type for comparison");
  if (operator === "<") return x < y;
  if (operator === "<=") return x <= y;
  return operator === ">" ? x > y : x >= y;
}
