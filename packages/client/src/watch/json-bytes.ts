/** Walks over JSON bytes without creating values. */
import { decode } from "../transport/body.ts";

export const quote = 0x22;
export const comma = 0x2c;
export const openBrace = 0x7b;
export const closeBrace = 0x7d;
const backslash = 0x5c;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/** The bytes do not go on as JSON would. */
export class MalformedJsonError extends Error {
  override readonly name = "MalformedJsonError";
}

/** The position of the first byte that is not white space. */
export function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && (bytes[at] ?? 0) <= 0x20) at += 1;
  return at;
}

/** Requires one byte and returns the position after it. */
export function expect(bytes: Uint8Array, from: number, byte: number): number {
  const at = skipSpace(bytes, from);
  if (bytes[at] !== byte) throw new MalformedJsonError(`expected ${String.fromCharCode(byte)} at byte ${at}`);
  return at + 1;
}

/** Up to this length a loop is faster than a call into native code. */
const shortString = 64;

/** The position after a string, given that of its opening quote. */
export function skipString(bytes: Uint8Array, from: number): number {
  const near = Math.min(bytes.length, from + shortString);
  let at = from + 1;
  while (at < near) {
    const byte = bytes[at];
    if (byte === quote) return at + 1;
    at += byte === backslash ? 2 : 1;
  }
  return skipLongString(bytes, at);
}

function skipLongString(bytes: Uint8Array, from: number): number {
  let at = from;
  for (;;) {
    const end = bytes.indexOf(quote, at);
    if (end === -1) throw new MalformedJsonError("a string does not end");
    if (!isEscaped(bytes, at, end)) return end + 1;
    at = end + 1;
  }
}

/** A quote is escaped by an odd number of backslashes before it. */
function isEscaped(bytes: Uint8Array, from: number, at: number): boolean {
  let before = at - 1;
  while (before >= from && bytes[before] === backslash) before -= 1;
  return (at - before) % 2 === 0;
}

/** The position after a value of any type. */
export function skipValue(bytes: Uint8Array, from: number): number {
  const at = skipSpace(bytes, from);
  const first = bytes[at];
  if (first === quote) return skipString(bytes, at);
  if (first === openBrace || first === openBracket) return skipNested(bytes, at);
  return skipScalar(bytes, at);
}

function skipNested(bytes: Uint8Array, from: number): number {
  let depth = 0;
  let at = from;
  while (at < bytes.length) {
    const byte = bytes[at];
    if (byte === quote) {
      at = skipString(bytes, at);
      continue;
    }
    at += 1;
    if (byte === openBrace || byte === openBracket) depth += 1;
    else if (byte === closeBrace || byte === closeBracket) depth -= 1;
    if (depth === 0) return at;
  }
  throw new MalformedJsonError("an object or array does not end");
}

function skipScalar(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length) {
    const byte = bytes[at];
    if (byte === comma || byte === closeBrace || byte === closeBracket) break;
    at += 1;
  }
  if (at === from) throw new MalformedJsonError(`a value is missing at byte ${from}`);
  return at;
}

/** A string value, given the position of its opening quote and that after its closing one. */
export function stringAt(bytes: Uint8Array, from: number, to: number): string {
  for (let at = from + 1; at < to - 1; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === backslash || byte > 0x7e) return JSON.parse(decode(bytes.subarray(from, to))) as string;
  }
  return asciiAt(bytes, from + 1, to - 1);
}

/** Text that is known to be ASCII. */
function asciiAt(bytes: Uint8Array, from: number, to: number): string {
  if (bytes instanceof Buffer) return bytes.toString("latin1", from, to);
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString("latin1");
}

/** Whether the bytes at a position spell this word. */
export function spells(bytes: Uint8Array, from: number, word: Uint8Array): boolean {
  for (let index = 0; index < word.length; index += 1) {
    if (bytes[from + index] !== word[index]) return false;
  }
  return true;
}

/** A member of an object: where its key and its value begin and end (quotes included). */
export interface Member {
  readonly keyFrom: number;
  readonly keyTo: number;
  readonly from: number;
  readonly to: number;
}

/**
 * Visits the members of the object that begins at `from`, until the visitor answers true.
 */
export function visitMembers(bytes: Uint8Array, from: number, visit: (member: Member) => boolean): void {
  let at = skipSpace(bytes, expect(bytes, from, openBrace));
  if (bytes[at] === closeBrace) return;
  for (;;) {
    const keyFrom = skipSpace(bytes, at);
    if (bytes[keyFrom] !== quote) throw new MalformedJsonError(`a key is missing at byte ${keyFrom}`);
    const keyTo = skipString(bytes, keyFrom);
    const valueFrom = skipSpace(bytes, expect(bytes, keyTo, 0x3a));
    const to = skipValue(bytes, valueFrom);
    if (visit({ keyFrom, keyTo, from: valueFrom, to })) return;
    at = skipSpace(bytes, to);
    if (bytes[at] === closeBrace) return;
    at = expect(bytes, at, comma);
  }
}
