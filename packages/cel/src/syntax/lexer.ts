/** Cuts the text of an expression into tokens. */

/** The kind of a token; punctuation and keywords are their own kinds. */
export type TokenKind =
  | "IDENTIFIER"
  | "ESC_IDENTIFIER"
  | "NUM_INT"
  | "NUM_UINT"
  | "NUM_FLOAT"
  | "STRING"
  | "BYTES"
  | "<EOF>"
  | Punctuation;

type Punctuation = (typeof PUNCTUATION)[number] | "in" | "true" | "false" | "null";

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly position: number;
}

/** Where the lexer met something that begins no token. */
export interface LexicalError {
  readonly position: number;
  readonly text: string;
}

const PUNCTUATION = [
  "==",
  "!=",
  "<=",
  ">=",
  "&&",
  "||",
  "<",
  ">",
  "[",
  "]",
  "{",
  "}",
  "(",
  ")",
  ".",
  ",",
  "-",
  "!",
  "?",
  ":",
  "+",
  "*",
  "/",
  "%",
] as const;

const ESCAPE =
  String.raw`\\(?:[abfnrtv"'\\?` +
  "`" +
  String.raw`]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2})`;
const STRING_BODY = [
  String.raw`"""(?:${ESCAPE}|[^\\])*?"""`,
  String.raw`'''(?:${ESCAPE}|[^\\])*?'''`,
  String.raw`"(?:${ESCAPE}|[^\\"\n\r])*"`,
  String.raw`'(?:${ESCAPE}|[^\\'\n\r])*'`,
].join("|");
const RAW_BODY = String.raw`[rR]"""[^]*?"""|[rR]'''[^]*?'''|[rR]"[^"\n\r]*"|[rR]'[^'\n\r]*'`;
const ANY_STRING = `(?:${STRING_BODY}|${RAW_BODY})`;

/** These patterns are constant and linear; user input never becomes a RegExp. */
const SPACE = /(?:[\t \r\n\f]+|\/\/[^\n]*)+/y;
const STRING = new RegExp(ANY_STRING, "yu");
const BYTES = new RegExp(`[bB]${ANY_STRING}`, "yu");
const WORD = /[A-Za-z_][A-Za-z0-9_]*/y;
const ESCAPED_WORD = /`[A-Za-z0-9_.\-/ ]+`/y;
const ESCAPED_START = /`[A-Za-z0-9_.\-/ ]*/y;
const FLOAT = /(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)/y;
const UINT = /(?:0x[0-9a-fA-F]+|\d+)[uU]/y;
const INT = /(?:0x[0-9a-fA-F]+|\d+)/y;
const KEYWORDS: ReadonlySet<string> = new Set(["in", "true", "false", "null"]);

/** All tokens, ended by `<EOF>`, and what could not be read. */
export function tokenize(source: string): {
  readonly tokens: readonly Token[];
  readonly errors: readonly LexicalError[];
} {
  const tokens: Token[] = [];
  const errors: LexicalError[] = [];
  let position = skipSpace(source, 0);
  while (position < source.length) {
    const token = nextToken(source, position);
    if (token) tokens.push(token);
    else errors.push({ position, text: unreadable(source, position) });
    const length = token?.text.length ?? errors.at(-1)?.text.length ?? 1;
    position = skipSpace(source, position + length);
  }
  tokens.push({ kind: "<EOF>", text: "<EOF>", position: source.length });
  return { tokens, errors };
}

function skipSpace(source: string, position: number): number {
  SPACE.lastIndex = position;
  return SPACE.test(source) ? SPACE.lastIndex : position;
}

function match(pattern: RegExp, source: string, position: number): string | undefined {
  pattern.lastIndex = position;
  return pattern.exec(source)?.[0];
}

function nextToken(source: string, position: number): Token | undefined {
  const char = source[position] ?? "";
  if (/[A-Za-z_]/.test(char)) return wordOrString(source, position);
  if (/[0-9.]/.test(char)) return number(source, position);
  if (char === '"' || char === "'") return tokenOf("STRING", match(STRING, source, position), position);
  if (char === "`") return tokenOf("ESC_IDENTIFIER", match(ESCAPED_WORD, source, position), position);
  return punctuation(source, position);
}

function tokenOf(kind: TokenKind, text: string | undefined, position: number): Token | undefined {
  return text === undefined ? undefined : { kind, text, position };
}

function wordOrString(source: string, position: number): Token | undefined {
  const string = /[rR]/.test(source[position] ?? "") ? match(STRING, source, position) : undefined;
  if (string !== undefined) return { kind: "STRING", text: string, position };
  const bytes = /[bB]/.test(source[position] ?? "") ? match(BYTES, source, position) : undefined;
  if (bytes !== undefined) return { kind: "BYTES", text: bytes, position };
  const word = match(WORD, source, position) ?? "";
  return { kind: KEYWORDS.has(word) ? (word as Punctuation) : "IDENTIFIER", text: word, position };
}

/** The longest of the number forms; a dot alone is punctuation. */
function number(source: string, position: number): Token | undefined {
  const float = match(FLOAT, source, position);
  if (float !== undefined) return { kind: "NUM_FLOAT", text: float, position };
  const uint = match(UINT, source, position);
  if (uint !== undefined) return { kind: "NUM_UINT", text: uint, position };
  const int = match(INT, source, position);
  return int === undefined ? punctuation(source, position) : { kind: "NUM_INT", text: int, position };
}

function punctuation(source: string, position: number): Token | undefined {
  const text = PUNCTUATION.find((candidate) => source.startsWith(candidate, position));
  return text === undefined ? undefined : { kind: text, text, position };
}

/** What the lexer gave up on: half an operator or a string with the character that broke it, else one character. */
function unreadable(source: string, position: number): string {
  const char = String.fromCodePoint(source.codePointAt(position) ?? 0);
  if (char === "=" || char === "&" || char === "|") return source.slice(position, position + 2);
  if (char === "`") return source.slice(position, position + (match(ESCAPED_START, source, position) ?? "").length + 1);
  if (char !== '"' && char !== "'") return char;
  BROKEN_STRING.lastIndex = position + 1;
  BROKEN_STRING.test(source);
  return source.slice(position, Math.min(BROKEN_STRING.lastIndex + 1, source.length));
}

const BROKEN_STRING = new RegExp(
  String.raw`(?:${ESCAPE}|[^\\\n\r])*(?:\\(?:[xX][0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7}|[0-3][0-7]?)?)?`,
  "yu",
);
