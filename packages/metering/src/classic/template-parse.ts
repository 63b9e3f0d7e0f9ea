/** Parses the templates of report queries: the language of Go's text/template between the delimiters of metering. */
import { MeterError } from "../error.ts";

/** A part of an expression. */
export type Expression =
  | { readonly type: "value"; readonly value: string | number | boolean | undefined }
  /** Fields of the dot, of a variable, or of another expression. */
  | { readonly type: "field"; readonly of: Expression | undefined; readonly names: readonly string[] }
  | { readonly type: "variable"; readonly name: string }
  | { readonly type: "call"; readonly name: string; readonly given: readonly Expression[] }
  /** The result of each stage is the last argument of the next one. */
  | { readonly type: "pipe"; readonly stages: readonly Expression[] };

/** A part of a template. */
export type Node =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "print"; readonly what: Expression }
  | { readonly type: "assign"; readonly name: string; readonly what: Expression }
  | {
      readonly type: "if" | "with";
      readonly what: Expression;
      readonly then: readonly Node[];
      readonly otherwise: readonly Node[];
    }
  | {
      readonly type: "range";
      readonly what: Expression;
      readonly names: readonly string[];
      readonly then: readonly Node[];
      readonly otherwise: readonly Node[];
    };

const open = "{|";
const close = "|}";

type Piece = { readonly type: "text"; readonly text: string } | { readonly type: "action"; readonly source: string };

/** Parses a template. */
export function parseTemplate(source: string): readonly Node[] {
  const reader = new Reader(split(source));
  const nodes = reader.nodes();
  if (reader.ended !== undefined) throw wrong(`unexpected ${reader.ended}`);
  return nodes;
}

function wrong(message: string): MeterError {
  return new MeterError("BadInput", `error parsing query: ${message}`);
}

/** Texts and actions; a dash beside a delimiter trims the space there. */
function split(source: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  let trimsNext = false;
  while (at <= source.length) {
    const from = source.indexOf(open, at);
    const text = source.slice(at, from === -1 ? source.length : from);
    const started = trimsNext ? text.trimStart() : text;
    if (from === -1) {
      pieces.push({ type: "text", text: started });
      return pieces;
    }
    const trimsBefore = /^-\s/.test(source.slice(from + open.length));
    pieces.push({ type: "text", text: trimsBefore ? started.trimEnd() : started });
    const begin = from + open.length + (trimsBefore ? 1 : 0);
    const to = endOf(source, begin);
    const inside = source.slice(begin, to);
    trimsNext = /\s-$/.test(inside);
    pieces.push({ type: "action", source: trimsNext ? inside.slice(0, -1) : inside });
    at = to + close.length;
  }
  return pieces;
}

/** The end of an action; delimiters in strings do not count. */
function endOf(source: string, from: number): number {
  let quote = "";
  for (let at = from; at < source.length; at += 1) {
    const character = source[at] ?? "";
    if (quote !== "") {
      if (character === "\\" && quote === '"') at += 1;
      else if (character === quote) quote = "";
    } else if (character === '"' || character === "`") quote = character;
    else if (source.startsWith(close, at)) return at;
  }
  throw wrong(`${open} is not closed`);
}

/** Reads nodes until an action that ends them. */
class Reader {
  readonly #pieces: readonly Piece[];
  #at = 0;
  /** The word that ended the last nodes: `end` or `else`. */
  ended: string | undefined;
  #rest: readonly string[] = [];

  constructor(pieces: readonly Piece[]) {
    this.#pieces = pieces;
  }

  nodes(): readonly Node[] {
    const nodes: Node[] = [];
    this.ended = undefined;
    for (let piece = this.#pieces[this.#at]; piece !== undefined; piece = this.#pieces[this.#at]) {
      this.#at += 1;
      if (piece.type === "text") {
        if (piece.text !== "") nodes.push({ type: "text", text: piece.text });
        continue;
      }
      if (/^\s*\/\*[\s\S]*\*\/\s*$/.test(piece.source)) continue;
      const words = tokens(piece.source);
      const [first = ""] = words;
      if (first === "end" || first === "else") {
        this.ended = first;
        this.#rest = words.slice(1);
        return nodes;
      }
      nodes.push(this.#node(words));
    }
    this.ended = undefined;
    return nodes;
  }

  #node(words: readonly string[]): Node {
    const [first = "", second = "", ...rest] = words;
    if (first === "if" || first === "with") return this.#choice(first, words.slice(1));
    if (first === "range") return this.#range(words.slice(1));
    if (["define", "template", "block", "break", "continue"].includes(first)) throw wrong(`${first} is not supported`);
    if (first.startsWith("$") && (second === ":=" || second === "="))
      return { type: "assign", name: first.slice(1), what: expression(rest) };
    return { type: "print", what: expression(words) };
  }

  #choice(type: "if" | "with", words: readonly string[]): Node {
    const what = expression(words);
    const then = this.nodes();
    return { type, what, then, otherwise: this.#otherwise(type) };
  }

  #otherwise(type: string): readonly Node[] {
    if (this.ended === "end") return [];
    if (this.ended !== "else") throw wrong(`${type} has no end`);
    const [word = "", ...rest] = this.#rest;
    if (word === "if" || word === "with") return [this.#choice(word, rest)];
    return this.#last();
  }

  /** The nodes behind `else`. */
  #last(): readonly Node[] {
    const nodes = this.nodes();
    if (this.ended !== "end") throw wrong("else has no end");
    return nodes;
  }

  #range(words: readonly string[]): Node {
    const at = words.indexOf(":=");
    const names = words.slice(0, Math.max(at, 0)).filter((word) => word.startsWith("$"));
    const what = expression(words.slice(at + 1));
    const then = this.nodes();
    return {
      type: "range",
      what,
      names: names.map((name) => name.slice(1)),
      then,
      otherwise: this.#otherwise("range"),
    };
  }
}

const token =
  /\s*(?:("(?:[^"\\]|\\.)*"|`[^`]*`)|(\$[\w.]*|\.[\w.]*|[A-Za-z_]\w*)|([+-]?\d+(?:\.\d+)?)|(:=|=|\||\(|\)|,))/y;

function tokens(source: string): readonly string[] {
  const words: string[] = [];
  token.lastIndex = 0;
  const text = source.trimEnd();
  while (token.lastIndex < text.length) {
    const at = token.lastIndex;
    const found = token.exec(text);
    if (found === null) throw wrong(`unexpected ${JSON.stringify(text.slice(at).trim().slice(0, 20))}`);
    words.push(found[1] ?? found[2] ?? found[3] ?? found[4] ?? "");
  }
  return words;
}

/** Stages that pipes separate. */
function expression(words: readonly string[]): Expression {
  if (words.length === 0) throw wrong("missing value for command");
  const stages: string[][] = [[]];
  let depth = 0;
  for (const word of words) {
    if (word === "(") depth += 1;
    if (word === ")") depth -= 1;
    if (word === "|" && depth === 0) stages.push([]);
    else stages.at(-1)?.push(word);
  }
  if (depth !== 0) throw wrong("unclosed parenthesis");
  const parts = stages.map(command);
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : { type: "pipe", stages: parts };
}

/** An operand, or a function with its arguments. */
function command(words: readonly string[]): Expression {
  const given: Expression[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (word !== "(") {
      given.push(operand(word));
      continue;
    }
    const end = closing(words, at);
    const inner = expression(words.slice(at + 1, end));
    at = end;
    const next = words[at + 1] ?? "";
    if (/^\.\w/.test(next)) {
      given.push({ type: "field", of: inner, names: next.slice(1).split(".") });
      at += 1;
    } else given.push(inner);
  }
  const [first, ...rest] = given;
  if (first === undefined) throw wrong("missing value for command");
  if (first.type === "call") return { ...first, given: rest };
  if (rest.length > 0) throw wrong("can't give argument to non-function");
  return first;
}

function closing(words: readonly string[], from: number): number {
  let depth = 0;
  for (let at = from; at < words.length; at += 1) {
    if (words[at] === "(") depth += 1;
    if (words[at] === ")" && --depth === 0) return at;
  }
  throw wrong("unclosed parenthesis");
}

function operand(word: string): Expression {
  if (word.startsWith('"')) return { type: "value", value: JSON.parse(word) as string };
  if (word.startsWith("`")) return { type: "value", value: word.slice(1, -1) };
  if (/^[+-]?\d/.test(word)) return { type: "value", value: Number(word) };
  if (word === "true" || word === "false") return { type: "value", value: word === "true" };
  if (word === "nil") return { type: "value", value: undefined };
  if (word === ".") return { type: "field", of: undefined, names: [] };
  if (word.startsWith(".")) return { type: "field", of: undefined, names: word.slice(1).split(".") };
  if (word.startsWith("$")) {
    const [name = "", ...names] = word.slice(1).split(".");
    const variable = { type: "variable", name } as const;
    return names.length === 0 ? variable : { type: "field", of: variable, names };
  }
  if (/^[A-Za-z_]/.test(word)) return { type: "call", name: word, given: [] };
  throw wrong(`unexpected ${JSON.stringify(word)}`);
}
