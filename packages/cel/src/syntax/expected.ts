/** The tokens that are possible where the parser failed, in the words of ANTLR, which cel-go parses with. */

import type { TokenKind } from "./lexer.ts";

/** The order in which the grammar lists its tokens. */
const ORDER: readonly TokenKind[] = [
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
  "true",
  "false",
  "null",
  "NUM_FLOAT",
  "NUM_INT",
  "NUM_UINT",
  "STRING",
  "BYTES",
  "IDENTIFIER",
  "ESC_IDENTIFIER",
];

/** What can begin an expression. */
export const EXPRESSION: readonly TokenKind[] = [
  "[",
  "{",
  "(",
  ".",
  "-",
  "!",
  "true",
  "false",
  "null",
  "NUM_FLOAT",
  "NUM_INT",
  "NUM_UINT",
  "STRING",
  "BYTES",
  "IDENTIFIER",
];

/** Operators that can follow any operand. */
export const FOLLOWS_OPERAND: ReadonlySet<TokenKind> = new Set([
  "==",
  "!=",
  "in",
  "<",
  "<=",
  ">=",
  ">",
  "&&",
  "||",
  "[",
  ".",
  "-",
  "?",
  "+",
  "*",
  "/",
  "%",
]);

/** One token, or a set of them in braces. */
export function formatExpected(kinds: readonly TokenKind[]): string {
  const [only, ...more] = kinds;
  if (only !== undefined && more.length === 0) return formatKind(only);
  const sorted = [...kinds].sort((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b));
  return `{${sorted.map(formatKind).join(", ")}}`;
}

function formatKind(kind: TokenKind): string {
  return /^[A-Z_]+$|^<EOF>$/.test(kind) ? kind : `'${kind}'`;
}
