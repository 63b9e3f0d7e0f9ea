/** What the text of a literal token means. */

import { CelUint } from "../values/value.ts";
import type { LiteralValue } from "./ast.ts";
import type { Token } from "./lexer.ts";
import { MAX_INT, MAX_UINT, MIN_INT } from "../values/number.ts";
import { encodeUtf8 } from "../values/text.ts";

/** Why a literal has no value. */
export class LiteralError extends Error {
  override readonly name = "LiteralError";
}

/** The value of a token, with the minus sign that may stand before numbers. */
export function literalValue(token: Token, negative: boolean): LiteralValue {
  switch (token.kind) {
    case "NUM_INT":
      return parseIntLiteral(token.text, negative);
    case "NUM_UINT":
      return new CelUint(parseUintLiteral(token.text));
    case "NUM_FLOAT":
      return negative ? -parseDoubleLiteral(token.text) : parseDoubleLiteral(token.text);
    case "STRING":
      return parseStringLiteral(token.text);
    case "BYTES":
      return parseBytesLiteral(token.text);
    case "true":
      return true;
    case "false":
      return false;
    default:
      return null;
  }
}

function parseIntLiteral(text: string, negative: boolean): bigint {
  const value = negative ? -BigInt(text) : BigInt(text);
  if (value > MAX_INT || value < MIN_INT) throw new LiteralError("invalid int literal");
  return value;
}

function parseUintLiteral(text: string): bigint {
  const value = BigInt(text.slice(0, -1));
  if (value > MAX_UINT) throw new LiteralError("invalid uint literal");
  return value;
}

function parseDoubleLiteral(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value)) throw new LiteralError("invalid double literal");
  return value;
}

function parseStringLiteral(text: string): string {
  const { body, raw } = stripQuotes(text);
  if (raw || !body.includes("\\")) return body;
  return body.replaceAll(ESCAPE, (_, escape: string) => String.fromCodePoint(codePointOf(escape)));
}

function parseBytesLiteral(text: string): Uint8Array {
  const { body, raw } = stripQuotes(text.slice(1));
  if (raw || !body.includes("\\")) return encodeUtf8(body);
  const bytes: number[] = [];
  let last = 0;
  for (const found of body.matchAll(ESCAPE)) {
    bytes.push(...encodeUtf8(body.slice(last, found.index)), byteOf(found[1] ?? ""));
    last = found.index + found[0].length;
  }
  bytes.push(...encodeUtf8(body.slice(last)));
  return Uint8Array.from(bytes);
}

const ESCAPE = /\\([xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2}|[^])/g;

const SIMPLE: Record<string, number> = { a: 7, b: 8, f: 12, n: 10, r: 13, t: 9, v: 11 };

function stripQuotes(text: string): { readonly body: string; readonly raw: boolean } {
  const normal = text.replaceAll(/\r\n?/g, "\n");
  const raw = normal.startsWith("r") || normal.startsWith("R");
  const quoted = raw ? normal.slice(1) : normal;
  const width = quoted.length >= 6 && /^("""|''')/.test(quoted) ? 3 : 1;
  return { body: quoted.slice(width, -width), raw };
}

function codePointOf(escape: string): number {
  const code = escapeValue(escape);
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) throw new LiteralError("invalid unicode code point");
  return code;
}

function byteOf(escape: string): number {
  if (escape.startsWith("u") || escape.startsWith("U")) throw new LiteralError("unable to unescape string");
  return escapeValue(escape);
}

function escapeValue(escape: string): number {
  if (escape.length > 1 && /^[xXuU]/.test(escape)) return Number.parseInt(escape.slice(1), 16);
  if (/^[0-3][0-7]{2}$/.test(escape)) return Number.parseInt(escape, 8);
  return SIMPLE[escape] ?? escape.codePointAt(0) ?? 0;
}
