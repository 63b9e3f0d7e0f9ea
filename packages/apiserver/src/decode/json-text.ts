/** Reads JSON text: fast if it is valid, and with the messages of Go's decoder if it is not. */
import { parseExactJson, quote } from "@capstan/model";
import type { JsonObject, JsonValue } from "../builtin/draft.ts";
import { NumberLiteral, parseWithLiterals } from "./number-literal.ts";
import type { StrictProblems } from "./strict.ts";

/** Text that is not JSON, with the message of Go's decoder. */
export class JsonSyntaxError extends Error {
  override readonly name = "JsonSyntaxError";
  readonly code = "JsonSyntaxError";
}

/** The nesting limit of Go's decoder. */
const maxDepth = 10_000;

/** Reads JSON text. Duplicate fields are reported; the last one counts. */
export function parseJson(text: string, problems?: StrictProblems): JsonValue {
  return parseText(text, { problems, parse: parseExactJson, merges: false });
}

/** The same for readers of Go types: numbers that are not plain integers keep their spelling. */
export function parseJsonLiterals(text: string, problems?: StrictProblems): JsonValue {
  return parseText(text, { problems, parse: parseWithLiterals, merges: true });
}

interface Reading {
  readonly problems: StrictProblems | undefined;
  readonly parse: (text: string) => unknown;
  /** Go reads duplicate objects into the same struct or map: later fields are added. */
  readonly merges: boolean;
}

function parseText(text: string, { problems, parse, merges }: Reading): JsonValue {
  let value: JsonValue;
  try {
    value = parse(text) as JsonValue;
  } catch {
    return new SlowReader(text, problems, merges).read();
  }
  const { pairs, tooDeep } = surveyText(text);
  if (tooDeep !== undefined) throw new JsonSyntaxError(`invalid character '${tooDeep}' exceeded max depth`);
  if (halfPair.test(text)) value = wellFormed(value);
  if ((problems === undefined && !merges) || countFields(value) === pairs) return value;
  const read = new SlowReader(text, problems, merges).read();
  return merges ? read : value;
}

/** An escape that may be an unpaired surrogate. */
const halfPair = /\\u[dD][89a-fA-F]/;

/** Replaces unpaired surrogates by U+FFFD. */
function wellFormed(value: JsonValue): JsonValue {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value !== "object" || value === null || value instanceof NumberLiteral) return value;
  if (Array.isArray(value)) return value.map(wellFormed);
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key.toWellFormed(), wellFormed(part ?? null)]));
}

/** The number of key-value pairs in valid JSON text, and the bracket that exceeds the nesting limit. */
function surveyText(text: string): { pairs: number; tooDeep: string | undefined } {
  let pairs = 0;
  let depth = 0;
  let tooDeep: string | undefined;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: // a string: skip to its end
        at = endOfString(text, at);
        break;
      case 0x3a:
        pairs++;
        break;
      case 0x5b:
      case 0x7b:
        if (++depth > maxDepth) tooDeep ??= text[at];
        break;
      case 0x5d:
      case 0x7d:
        depth--;
        break;
      default:
    }
  }
  return { pairs, tooDeep };
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end > 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === 0x5c) backslashes++;
  return backslashes % 2 === 1;
}

/** Without recursion: text may nest deeper than the stack. */
function countFields(value: JsonValue): number {
  let count = 0;
  const open: JsonValue[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== "object" || next === null || next instanceof NumberLiteral) continue;
    if (Array.isArray(next)) {
      for (const item of next) open.push(item);
      continue;
    }
    for (const key in next) {
      count++;
      open.push(next[key] ?? null);
    }
  }
  return count;
}

const whitespace = new Set([" ", "\t", "\n", "\r"]);
const simpleEscapes = new Set(['"', "\\", "/", "b", "f", "n", "r", "t"]);

/** Reads character by character, tracks the path, and fails with Go's messages. Used only for text with a problem. */
class SlowReader {
  readonly #text: string;
  readonly #problems: StrictProblems | undefined;
  readonly #merges: boolean;
  #at = 0;
  #depth = 0;

  constructor(text: string, problems: StrictProblems | undefined, merges: boolean) {
    this.#text = text;
    this.#problems = problems;
    this.#merges = merges;
  }

  read(): JsonValue {
    const value = this.#value("");
    this.#skip();
    if (this.#at < this.#text.length) this.#unexpected("after top-level value");
    return value;
  }

  #value(path: string): JsonValue {
    this.#skip();
    const character = this.#peek();
    if (character === "{") return this.#nested(() => this.#object(path));
    if (character === "[") return this.#nested(() => this.#array(path));
    if (character === '"') return this.#string();
    if (character === "t") return this.#literal("true", true);
    if (character === "f") return this.#literal("false", false);
    if (character === "n") return this.#literal("null", null);
    if (character === "-" || isDigit(character)) return this.#number();
    return this.#unexpected("looking for beginning of value");
  }

  #nested<T>(read: () => T): T {
    if (++this.#depth > maxDepth) this.#unexpected("exceeded max depth");
    this.#at++;
    const value = read();
    this.#depth--;
    return value;
  }

  #object(path: string): JsonObject {
    const fields = new Map<string, JsonValue>();
    this.#skip();
    if (this.#take("}")) return {};
    for (;;) {
      this.#skip();
      if (this.#peek() !== '"') this.#unexpected("looking for beginning of object key string");
      const key = this.#string();
      this.#skip();
      if (!this.#take(":")) this.#unexpected("after object key");
      const fieldPath = path === "" ? key : `${path}.${key}`;
      const before = fields.get(key);
      if (before !== undefined) this.#problems?.duplicateField(fieldPath);
      const value = this.#value(fieldPath);
      fields.set(key, this.#merges ? merged(before, value) : value);
      this.#skip();
      if (this.#take("}")) return Object.fromEntries(fields);
      if (!this.#take(",")) this.#unexpected("after object key:value pair");
    }
  }

  #array(path: string): JsonValue[] {
    const items: JsonValue[] = [];
    this.#skip();
    if (this.#take("]")) return items;
    for (;;) {
      items.push(this.#value(`${path}[${items.length}]`));
      this.#skip();
      if (this.#take("]")) return items;
      if (!this.#take(",")) this.#unexpected("after array element");
    }
  }

  #string(): string {
    const start = this.#at++;
    for (;;) {
      const character = this.#peek();
      if (character === '"') break;
      if (character < " ") this.#unexpected("in string literal");
      this.#at++;
      if (character === "\\") this.#escape();
    }
    this.#at++;
    return (JSON.parse(this.#text.slice(start, this.#at)) as string).toWellFormed();
  }

  #escape(): void {
    const character = this.#text[this.#at] ?? "";
    if (character === "u") {
      for (let digit = 0; digit < 4; digit++) {
        this.#at++;
        if (!/[0-9a-fA-F]/.test(this.#text[this.#at] ?? "")) this.#cutShort("in \\u hexadecimal character escape");
      }
    } else if (!simpleEscapes.has(character)) this.#cutShort("in string escape code");
    this.#at++;
  }

  #literal<T>(word: string, value: T): T {
    for (let index = 0; index < word.length; index++) {
      if (this.#text[this.#at] !== word[index]) this.#cutShort(`in literal ${word} (expecting '${word[index]}')`);
      this.#at++;
    }
    return value;
  }

  #number(): number {
    const start = this.#at;
    this.#take("-");
    if (!this.#take("0")) this.#digits("in numeric literal");
    if (this.#take(".")) this.#digits("after decimal point in numeric literal");
    if (this.#take("e") || this.#take("E")) {
      if (!this.#take("+")) this.#take("-");
      this.#digits("in exponent of numeric literal");
    }
    return Number(this.#text.slice(start, this.#at));
  }

  #digits(where: string): void {
    if (!isDigit(this.#text[this.#at] ?? "")) this.#cutShort(where);
    while (this.#at < this.#text.length && isDigit(this.#peek())) this.#at++;
  }

  /** The current character; throws at the end of the text. */
  #peek(): string {
    const character = this.#text[this.#at];
    if (character === undefined) throw new JsonSyntaxError("unexpected end of JSON input");
    return character;
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #skip(): void {
    while (whitespace.has(this.#text[this.#at] ?? "")) this.#at++;
  }

  /** Go appends a space to the text. Where a space is not allowed, the error names it. */
  #cutShort(where: string): never {
    if (this.#at >= this.#text.length) throw new JsonSyntaxError(`invalid character ' ' ${where}`);
    this.#unexpected(where);
  }

  #unexpected(where: string): never {
    const character = String.fromCodePoint(this.#text.codePointAt(this.#at) ?? 0);
    if (this.#at >= this.#text.length) throw new JsonSyntaxError("unexpected end of JSON input");
    throw new JsonSyntaxError(`invalid character ${quoteCharacter(character)} ${where}`);
  }
}

function isDigit(character: string): boolean {
  return character >= "0" && character <= "9";
}

function merged(before: JsonValue | undefined, value: JsonValue): JsonValue {
  if (!isFields(before) || !isFields(value)) return value;
  const result: JsonObject = { ...before };
  for (const [key, part] of Object.entries(value)) result[key] = merged(before[key], part ?? null);
  return result;
}

function isFields(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A character in Go's messages: Go reads bytes and prints each byte as a character. */
/** A byte that is not UTF-8, as `fromGoBytes` keeps it. */
const rawByte = /^[\udc80-\udcff]$/;

function quoteCharacter(character: string): string {
  if (character === "'") return `'\\''`;
  if (character === '"') return `'"'`;
  const [byte = 0] = rawByte.test(character) ? [character.charCodeAt(0) - 0xdc00] : Buffer.from(character);
  return `'${quote(String.fromCodePoint(byte)).slice(1, -1)}'`;
}
