/** Parses YAML text into nodes in linear time and memory: the number of tokens is bounded, and parsing stops at the second error. */
import { createRequire } from "node:module";
import type * as Yaml from "yaml";

// Loaded at the first use: the library is large and YAML bodies are rare.
const require = createRequire(import.meta.url);

export function yamlLibrary(): typeof Yaml {
  return require("yaml") as typeof Yaml;
}

/**
 * Some 25,000 lines of keys and values, spaces and line ends included; JSON has no such limit, and clients such as kubectl send JSON. The
 * event loop is busy while a text is read: with so many tokens for about 0.2 s, whatever the tokens are.
 */
const maxTokens = 150_000;

export interface ComposeError {
  readonly code: string;
  readonly message: string;
  /** The first and the last line, counted from 1. */
  readonly lines: readonly [number, number];
}

/** The nodes of a text, or its errors. */
export interface Composed {
  readonly contents: Yaml.Node | null;
  /** At most two. */
  readonly errors: readonly ComposeError[];
  /** The line of an offset, counted from 1. */
  readonly lineAt: (offset: number) => number;
}

/** Parses the first document of a text. */
export function composeYaml(text: string): Composed {
  const { Composer, LineCounter, Parser } = yamlLibrary();
  const lines = new LineCounter();
  lines.addNewLine(0);
  const lineAt = (offset: number): number => lines.linePos(offset).line;
  const composer = new Composer(options);
  const errors = collectErrors(composer);
  try {
    const document = firstDocument(composer, countedTokens(new Parser(lines.addNewLine), text), text.length);
    for (const { code, message, pos } of document.errors) errors.add(code, message, pos);
    return { contents: document.contents, errors: errors.found(lineAt), lineAt };
  } catch (error) {
    if (!(error instanceof EnoughErrors)) throw error;
    return { contents: null, errors: errors.found(lineAt), lineAt };
  }
}

/** All scalars stay strings here: their type follows the rules of Go's library, not of this one. */
const options = {
  version: "1.1",
  schema: "failsafe",
  resolveKnownTags: false,
  uniqueKeys: false,
  merge: false,
  prettyErrors: false,
  logLevel: "silent",
} as const;

function firstDocument(composer: Yaml.Composer, tokens: Iterable<Yaml.CST.Token>, end: number): Yaml.Document {
  for (const document of composer.compose(tokens, true, end)) return document;
  throw new TypeError("the composer made no document");
}

/** The tokens of a text, up to the second error. */
function* countedTokens(parser: Yaml.Parser, text: string): Generator<Yaml.CST.Token> {
  const lexer = new (yamlLibrary().Lexer)();
  let count = 0;
  let errors = 0;
  for (const lexeme of lexer.lex(text)) {
    if (++count > maxTokens) throw new YamlTooLarge();
    for (const token of parser.next(lexeme)) {
      yield token;
      if (token.type === "error" && ++errors === 2) return;
    }
  }
  yield* parser.end();
}

/** A text with too many tokens. */
export class YamlTooLarge extends Error {
  override readonly name = "YamlTooLarge";
  readonly code = "YamlTooLarge";

  constructor() {
    super(`document contains more than ${maxTokens} tokens`);
  }
}

/** Stops the parsing after two errors. */
class EnoughErrors extends Error {
  override readonly name = "EnoughErrors";
  readonly code = "EnoughErrors";
}

interface Errors {
  add(code: string, message: string, range: readonly [number, number]): void;
  found(lineAt: (offset: number) => number): readonly ComposeError[];
}

/** Replaces the composer's error list, which creates an error with a stack trace for every problem and every unknown tag. */
function collectErrors(composer: Yaml.Composer): Errors {
  const kept: (readonly [code: string, message: string, range: readonly [number, number]])[] = [];
  const add: Errors["add"] = (code, message, range) => {
    if (kept.length < 2) kept.push([code, message, range]);
  };
  const onError = (at: ErrorPlace, code: string, message: string, isWarning?: boolean): void => {
    if (isWarning === true) return;
    add(code, message, rangeOf(at));
    if (kept.length === 2) throw new EnoughErrors();
  };
  Object.assign(composer, { onError });
  return {
    add,
    found: (lineAt) =>
      kept.map(([code, message, [start, end]]) => ({ code, message, lines: [lineAt(start), lineAt(end)] })),
  };
}

type ErrorPlace = number | readonly number[] | { readonly offset: number; readonly source?: string };

function rangeOf(at: ErrorPlace): [number, number] {
  if (typeof at === "number") return [at, at + 1];
  if (isRange(at)) return [at[0] ?? 0, at[1] ?? (at[0] ?? 0) + 1];
  return [at.offset, at.offset + (at.source?.length ?? 1)];
}

function isRange(at: ErrorPlace): at is readonly number[] {
  return Array.isArray(at);
}
