/** Reads YAML as Kubernetes' tools read it: YAML 1.1 without times and sexagesimals, one document of a stream, and no bombs. */
import type { Json } from "@capstan/model";
import { isAlias, isCollection, isPair, isScalar, type Tags } from "yaml";
import { readYamlDocument } from "./documents.ts";

/** What a text turned out to be. */
export type Parsed = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly problem: string };

/** Aliases may make a value at most this much larger than the text that it came from. */
const maxGrowth = 64;
const maxDepth = 500;

/** The first document of a text. */
export function parseYaml(text: string): Parsed {
  try {
    return parseWhole(firstDocument(text));
  } catch (error) {
    // Brackets by the thousand are more than any stack holds.
    if (error instanceof RangeError) return tooDeep;
    throw error;
  }
}

const tooDeep: Parsed = { ok: false, problem: `exceeded max depth of ${maxDepth}` };

/** A document ends at a line that holds nothing but the separator. */
function firstDocument(text: string): string {
  const lines = text.split("\n");
  const end = lines.findIndex((line, at) => at > 0 && line.startsWith("---") && line.slice(3).trim() === "");
  return end === -1 ? text : lines.slice(0, end).join("\n");
}

function parseWhole(text: string): Parsed {
  const document = readYamlDocument(text, {
    version: "1.1",
    schema: "yaml-1.1",
    merge: true,
    customTags: asGo,
    uniqueKeys: false,
    logLevel: "silent",
    stringKeys: false,
  });
  const [error] = document.errors;
  if (error !== undefined)
    return error.message.startsWith("Maximum call stack") ? tooDeep : { ok: false, problem: firstLine(error.message) };
  const { contents } = document;
  if (contents === null) return { ok: true, value: null };
  const { size, depth } = expanded(contents, new Map());
  if (depth > maxDepth) return tooDeep;
  if (size > Math.max(10_000, text.length * maxGrowth))
    return { ok: false, problem: "document contains excessive aliasing" };
  return toJson(() => document.toJS({ maxAliasCount: -1 }) as unknown);
}

/** Neither times nor numbers to the base of sixty: they stay texts. */
function asGo(tags: Tags): Tags {
  return tags.filter((tag) => {
    if (typeof tag === "string") return true;
    const isSexagesimal = "format" in tag && tag.format === "TIME";
    return !isSexagesimal && tag.tag !== "tag:yaml.org,2002:timestamp";
  });
}

interface Extent {
  readonly size: number;
  readonly depth: number;
}

/** The size of a value after alias expansion. */
function expanded(node: unknown, anchors: Map<string, Extent>): Extent {
  if (isAlias(node)) return anchors.get(node.source) ?? { size: 1, depth: 1 };
  const below = isPair(node) ? [node.key, node.value] : isCollection(node) ? node.items : [];
  let [size, depth] = [1, 0];
  for (const item of below) {
    const extent = expanded(item, anchors);
    size = Math.min(size + extent.size, Number.MAX_SAFE_INTEGER);
    depth = Math.max(depth, extent.depth);
  }
  const extent = { size, depth: depth + 1 };
  if ((isScalar(node) || isCollection(node)) && node.anchor !== undefined) anchors.set(node.anchor, extent);
  return extent;
}

function toJson(read: () => unknown): Parsed {
  try {
    return { ok: true, value: plain(read()) };
  } catch (error) {
    if (error instanceof RangeError) throw error;
    const { message } = error as Error;
    const anchor = /^Unresolved alias .*: (.*)$/s.exec(message)?.[1];
    return { ok: false, problem: anchor === undefined ? firstLine(message) : `unknown anchor '${anchor}' referenced` };
  }
}

/** What YAML knows and JSON does not becomes text; a number that JSON cannot hold is refused. */
function plain(value: unknown): Json {
  if (value === null || value === undefined) return null;
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new TypeError(`json: unsupported value: ${formatInfinite(value)}`);
    return value;
  }
  if (value instanceof Uint8Array) return Buffer.from(value).toString("latin1");
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, item]) => [String(key), plain(item)]));
  if (value instanceof Set) return Object.fromEntries([...value].map((key) => [String(key), null]));
  return Object.fromEntries(Object.entries(value as object).map(([key, item]) => [key, plain(item)]));
}

function formatInfinite(value: number): string {
  return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
}

function firstLine(text: string): string {
  return (text.split("\n", 1)[0] ?? "").replace(/:$/, "");
}
