/** Reads YAML bodies into JSON values, with the errors of Go's library. */
import type { JsonValue } from "../builtin/draft.ts";
import { nestsDeeper } from "./nesting.ts";
import type { StrictProblems } from "./strict.ts";
import { complaintOf } from "./yaml-complaint.ts";
import { type ComposeError, composeYaml, YamlTooLarge } from "./yaml-compose.ts";
import { hasHalfPair } from "./yaml-escape.ts";
import { toYamlValue } from "./yaml-value.ts";

/** Text that is not YAML. */
export class YamlSyntaxError extends Error {
  override readonly name = "YamlSyntaxError";
  readonly code = "YamlSyntaxError";
}

const maxDepth = 10_000;
const tooDeep = `yaml: exceeded max depth of ${maxDepth}`;

/** Reads one YAML document. Duplicate keys are reported; the last one counts. */
export function parseYaml(text: string, problems?: StrictProblems): JsonValue {
  const { value, duplicates } = readYaml(text);
  for (const { line, key } of duplicates) problems?.duplicateKey(line, key);
  return value;
}

/** The parsed content of a text. */
interface YamlContent {
  readonly value: JsonValue;
  readonly duplicates: readonly { readonly line: number; readonly key: string }[];
}

function readYaml(text: string): YamlContent {
  try {
    return readChecked(text);
  } catch (error) {
    if (error instanceof YamlTooLarge) throw new YamlSyntaxError(`yaml: ${error.message}`);
    // Lists in lists need no brackets ("- - - 1"), and some depths below the limit exceed the stack.
    if (error instanceof RangeError) throw new YamlSyntaxError(tooDeep);
    throw error;
  }
}

function readChecked(text: string): YamlContent {
  if (nestsDeeper(text, maxDepth)) throw new YamlSyntaxError(tooDeep);
  if (otherVersion.test(text)) throw new YamlSyntaxError("yaml: found incompatible YAML document");
  if (text.startsWith("\t")) throw new YamlSyntaxError("yaml: found character that cannot start any token");
  if (unknownDirective.test(text)) throw new YamlSyntaxError("yaml: found unknown directive name");
  if (endAtStart.test(text)) throw new YamlSyntaxError("yaml: did not find expected node content");
  const emptyKey = emptyBrackets.exec(text)?.[1];
  if (emptyKey !== undefined) return readChecked(emptyKey);
  if (control.test(text)) throw new YamlSyntaxError("yaml: control characters are not allowed");
  const { contents, errors, lineAt } = composeYaml(text);
  if (errors.length > 0) return readBrackets(text, errors);
  if (hasHalfPair(text, contents)) throw new YamlSyntaxError("yaml: found invalid Unicode character escape code");
  const { value, duplicates } = toYamlValue(contents, (why) => new YamlSyntaxError(why));
  return { value, duplicates: duplicates.map(({ offset, key }) => ({ line: lineAt(offset), key })) };
}

/** Go reads one document and ignores what follows: a closed pair of brackets is read even if invalid YAML follows. */
function readBrackets(text: string, errors: readonly ComposeError[]): YamlContent {
  const [{ code, message } = { code: "", message: "" }] = errors;
  if (code === "RESOURCE_EXHAUSTION") throw new YamlSyntaxError(tooDeep);
  const end = endOfBrackets(text);
  if (end !== undefined && end < text.length) return readChecked(text.slice(0, end));
  throw new YamlSyntaxError(complaintOf({ code, message, line: lineOf(errors), text }));
}

/** The line that Go reports: for a key over several lines, its last one. */
function lineOf([first, second]: readonly ComposeError[]): number {
  const isLong = first?.code === "BLOCK_AS_IMPLICIT_KEY" && second?.code === "MULTILINE_IMPLICIT_KEY";
  return (isLong ? second.lines[1] : first?.lines[0]) ?? 1;
}

/** YAML versions other than 1.1, which Go rejects. */
const otherVersion = /^%YAML[ \t]+(?!1\.1\b)/m;

/** Go accepts only %YAML and %TAG directives. */
const unknownDirective = /^%(?!YAML\b|TAG\b)[^\s]+/;

/** A document that ends before any content. */
const endAtStart = /^\s*\.\.\.(?:\s|$)/;

/** Empty brackets are the whole document, even if they are written as a key. */
const emptyBrackets = /^\s*(\{\s*\}|\[\s*\])\s*:(?:\s|$)/;

/** Characters that are not allowed in YAML, even in strings. */
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u0080-\u0084\u0086-\u009f]/;

/** The end of a document that is one pair of brackets. */
function endOfBrackets(text: string): number | undefined {
  const start = text.search(/\S/);
  if (text[start] !== "{" && text[start] !== "[") return undefined;
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = endOfDoubleQuoted(text, at);
    // An unclosed single quote is an ordinary character.
    else if (character === "'") at = Math.max(at, text.indexOf("'", at + 1));
    else if (character === "{" || character === "[") depth++;
    else if (character === "}" || character === "]") depth--;
    if (depth === 0) return at + 1;
  }
  return undefined;
}

/** The end of a double-quoted string; the end of the text if it is not closed. */
function endOfDoubleQuoted(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
}
