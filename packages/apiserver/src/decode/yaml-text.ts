/** Reads YAML bodies into JSON values. The library is large and such bodies are rare: the first one loads it. */
import { createRequire } from "node:module";
import type * as Yaml from "yaml";
import type { JsonValue } from "../builtin/draft.ts";
import { nestsDeeper } from "./nesting.ts";
import type { StrictProblems } from "./strict.ts";
import { complaintOf } from "./yaml-complaint.ts";
import { settleNodes } from "./yaml-nodes.ts";

const require = createRequire(import.meta.url);
const parseDocument: typeof Yaml.parseDocument = (text, options) =>
  (require("yaml") as typeof Yaml).parseDocument(text, options);

/** Text that is not YAML. */
export class YamlSyntaxError extends Error {
  override readonly name = "YamlSyntaxError";
  readonly code = "YamlSyntaxError";
}

const maxDepth = 10_000;

/** Reads one YAML document; keys that occur twice are reported, the last one counts. */
export function parseYaml(text: string, problems?: StrictProblems): JsonValue {
  // Brackets nest; indentation of such depth would not fit into a body.
  if (nestsDeeper(text, maxDepth)) throw new YamlSyntaxError(`yaml: exceeded max depth of ${maxDepth}`);
  if (otherVersion.test(text)) throw new YamlSyntaxError("yaml: found incompatible YAML document");
  if (text.startsWith("\t")) throw new YamlSyntaxError("yaml: found character that cannot start any token");
  if (unknownDirective.test(text)) throw new YamlSyntaxError("yaml: found unknown directive name");
  if (endAtStart.test(text)) throw new YamlSyntaxError("yaml: did not find expected node content");
  const emptyKey = emptyBrackets.exec(text)?.[1];
  if (emptyKey !== undefined) return parseYaml(emptyKey, problems);
  if (control.test(text)) throw new YamlSyntaxError("yaml: control characters are not allowed");
  const document = parseDocument(text, { version: "1.1", uniqueKeys: false, merge: true, logLevel: "silent" });
  const [error] = document.errors;
  if (error !== undefined) {
    // Go reads one document and does not look at what comes after it.
    const end = endOfBrackets(text);
    if (end !== undefined && end < text.length) return parseYaml(text.slice(0, end), problems);
    const { code, message } = error;
    throw new YamlSyntaxError(complaintOf({ code, message, line: lineOf(document.errors), text }));
  }
  settleNodes(require("yaml") as typeof Yaml, document, (why) => new YamlSyntaxError(why));
  if (halfPair.test(text)) throw new YamlSyntaxError("yaml: found invalid Unicode character escape code");
  if (problems !== undefined) reportDuplicates(text, problems);
  return toJsonValue(resolved(document));
}

/** Where Go stops: of a key that goes over several lines at its end. */
function lineOf([first, second]: readonly Yaml.YAMLError[]): number {
  const isLong = first?.code === "BLOCK_AS_IMPLICIT_KEY" && second?.code === "MULTILINE_IMPLICIT_KEY";
  return (isLong ? second.linePos?.[1]?.line : first?.linePos?.[0].line) ?? 1;
}

/** Other versions of YAML than the one that Go reads. */
const otherVersion = /^%YAML[ \t]+(?!1\.1\b)/m;

/** Go knows directives for the version and for tags only. */
const unknownDirective = /^%(?!YAML\b|TAG\b)[^\s]+/;

/** A document that ends before anything was in it. */
const endAtStart = /^\s*\.\.\.(?:\s|$)/;

/** Empty brackets are the whole document, even if they are written as a key. */
const emptyBrackets = /^\s*(\{\s*\}|\[\s*\])\s*:(?:\s|$)/;

/** What may not stand in YAML, even in its texts. */
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u0080-\u0084\u0086-\u009f]/;

/** An escaped half of a character, which YAML does not know. */
export const halfPair: RegExp = /^[^#]*"(?:[^"\\]|\\.)*\\u[dD][89a-fA-F]/;

/** Where a document that is one pair of brackets ends. */
function endOfBrackets(text: string): number | undefined {
  const start = text.search(/\S/);
  if (text[start] !== "{" && text[start] !== "[") return undefined;
  let depth = 0;
  for (const { 0: token, index } of text.slice(start).matchAll(/"(?:[^"\\]|\\.)*"|'[^']*'|[{}[\]]/gs)) {
    if (token === "{" || token === "[") depth++;
    else if (token === "}" || token === "]") depth--;
    if (depth === 0) return start + index + 1;
  }
  return undefined;
}

/** Aliases are followed only now, and not without end. */
function resolved(document: Yaml.Document): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    const name = /^Unresolved alias.*: (.*)$/.exec(error.message)?.[1];
    const why = name === undefined ? "document contains excessive aliasing" : `unknown anchor '${name}' referenced`;
    throw new YamlSyntaxError(`yaml: ${why}`);
  }
}

function reportDuplicates(text: string, problems: StrictProblems): void {
  const strict = parseDocument(text, { version: "1.1", uniqueKeys: true, merge: true, logLevel: "silent" });
  for (const error of strict.errors) {
    if (error.code !== "DUPLICATE_KEY") continue;
    const key = /^"([^"]*)"|^[^:\s]+/.exec(text.slice(error.pos[0]));
    problems.duplicateKey(error.linePos?.[0].line ?? 0, key?.[1] ?? key?.[0] ?? "");
  }
}

/** What YAML has beyond JSON becomes what Go makes of it: bytes are text, keys are text. */
function toJsonValue(value: unknown): JsonValue {
  if (value === null || value === undefined) return null;
  if (value instanceof Uint8Array) return Buffer.from(value).toString("utf8");
  if (typeof value === "number" && !Number.isFinite(value)) throw new YamlSyntaxError(unsupported(value));
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (Array.isArray(value)) return value.map(toJsonValue);
  if (value instanceof Map) {
    return toSorted([...value].map(([key, part]) => [String(key), part]));
  }
  if (typeof value === "object") return toSorted(Object.entries(value));
  return value as JsonValue;
}

/** JSON has no such numbers. */
function unsupported(value: number): string {
  return `json: unsupported value: ${Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf"}`;
}

/** YAML is made into JSON before it is read, and that sorts its fields. */
function toSorted(entries: readonly (readonly [string, unknown])[]): JsonValue {
  const sorted = entries.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return Object.fromEntries(sorted.map(([key, part]) => [key, toJsonValue(part)]));
}
