/** Go's measures and forms of text: messages of the API server contain quoted values, and its limits count bytes. */
import { stringifyExact } from "./exact-json.ts";

const shortEscapes: Readonly<Record<string, string>> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"',
};
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;
const plainAscii = /^[ !#-[\]-~]*$/;

/** The text as `%q` prints it. A byte that is not UTF-8 is kept as the code unit 0xdc00 plus the byte, as in `fromGoBytes`. */
export function quote(text: string): string {
  if (plainAscii.test(text)) return `"${text}"`;
  let quoted = '"';
  for (const char of text) quoted += quoteChar(char);
  return `${quoted}"`;
}

function quoteChar(char: string): string {
  const short = shortEscapes[char];
  if (short !== undefined) return short;
  if (printable.test(char)) return char;
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x20 || code === 0x7f) return `\\x${hex(code, 2)}`;
  if (code >= 0xdc80 && code <= 0xdcff) return `\\x${hex(code - 0xdc00, 2)}`;
  if (code >= 0xd800 && code <= 0xdfff) return "\ufffd";
  return code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
}

/** The text of bytes in UTF-8. A byte that is not UTF-8 becomes a lone surrogate, 0xdc00 plus the byte, so that it is not lost. */
export function fromGoBytes(bytes: Uint8Array): string {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  if (!whole.includes("\ufffd")) return whole;
  let text = "";
  for (let at = 0; at < bytes.length;) {
    const length = sequenceLength(bytes, at);
    text += length === 0 ? String.fromCharCode(0xdc00 + (bytes[at] ?? 0)) : charAt(bytes, at, length);
    at += Math.max(length, 1);
  }
  return text;
}

/** The length of the character at a position; 0 if the byte there does not begin one. A decoder that throws would be slow. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  const [least, most] = secondBytes.get(first) ?? [0x80, 0xbf];
  const second = bytes[at + 1] ?? 0;
  if (second < least || second > most) return 0;
  for (let next = at + 2; next < at + length; next++) if (((bytes[next] ?? 0) & 0xc0) !== 0x80) return 0;
  return length;
}

/** First bytes whose second byte has narrower bounds: no surrogates, and nothing that fits into fewer bytes. */
const secondBytes: ReadonlyMap<number, readonly [least: number, most: number]> = new Map([
  [0xe0, [0xa0, 0xbf]],
  [0xed, [0x80, 0x9f]],
  [0xf0, [0x90, 0xbf]],
  [0xf4, [0x80, 0x8f]],
]);

function charAt(bytes: Uint8Array, at: number, length: number): string {
  const first = bytes[at] ?? 0;
  let code = length === 1 ? first : first & (0xff >> (length + 1));
  for (let next = at + 1; next < at + length; next++) code = (code << 6) | ((bytes[next] ?? 0) & 0x3f);
  return String.fromCodePoint(code);
}

function hex(code: number, width: number): string {
  return code.toString(16).padStart(width, "0");
}

/** The text as package time quotes it in its errors: each byte outside of printable ASCII in hexadecimal. */
export function quoteBytes(text: string): string {
  let quoted = "";
  for (const char of text) {
    if (char === '"' || char === "\\") quoted += `\\${char}`;
    else quoted += char < " " || char > "\u007f" ? hexBytes(char) : char;
  }
  return `"${quoted}"`;
}

function hexBytes(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  if (code >= 0xdc80 && code <= 0xdcff) return `\\x${hex(code - 0xdc00, 2)}`;
  return encodeURIComponent(char.toWellFormed()).replaceAll("%", "\\x").toLowerCase();
}

/** The length of the text in UTF-8 bytes. */
export function byteLength(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit > 0x7f) bytes += unit > 0x7ff ? 2 : 1;
    // Each half of a surrogate pair has been counted as three bytes; a pair takes four.
    if (unit >= 0xd800 && unit <= 0xdbff && isLowSurrogate(text.charCodeAt(i + 1))) bytes -= 2;
  }
  return bytes;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

const htmlEscapes = /[<>&\u2028\u2029]/g;

/**
 * The value as Go's `json.Marshal` prints it: like `JSON.stringify`, with characters escaped that HTML could misread; on several lines
 * when indented.
 */
export function toGoJson(value: unknown, indent?: number): string {
  const plain = stringifyExact(value, indent) ?? "null";
  const json = numericKey.test(plain) ? (stringifyExact(inGoOrder(value), indent) ?? "null") : plain;
  const escaped = json.replace(htmlEscapes, (char) => `\\u${hex(char.charCodeAt(0), 4)}`);
  return escaped.includes("\\ud")
    ? escaped.replace(loneSurrogates, (all, before: string) => `${before}\\ufffd`)
    : escaped;
}

/** Escapes of lone surrogates, which stand for bytes that are not UTF-8; an escaped backslash before it is no escape. */
const loneSurrogates = /((?<!\\)(?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g;

/** A key that JavaScript puts before all others, in numeric order, wherever it was written. */
const numericKey = /[{,]\s*"(?:0|[1-9]\d*)":/;
const isNumeric = /^(?:0|[1-9]\d*)$/;

/** The value with such keys in Go's position: only maps have them, and Go sorts the keys of maps as strings. */
function inGoOrder(value: unknown): unknown {
  if (typeof value !== "object" || value === null || "toJSON" in value) return value;
  if (Array.isArray(value)) return value.map(inGoOrder);
  const parts = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, inGoOrder(part)]));
  const keys = Object.keys(parts);
  return keys.some((key) => isNumeric.test(key)) ? new Proxy(parts, { ownKeys: () => keys.toSorted() }) : parts;
}

/** Whether the text is a decimal integer that an int64 can hold, as `strconv.ParseInt` with base 10 reads it. */
export function parseInt64(text: string): bigint | undefined {
  if (!/^[+-]?[0-9]+$/.test(text)) return undefined;
  const value = text.startsWith("+") ? BigInt(text.slice(1)) : BigInt(text);
  return value >= -(2n ** 63n) && value < 2n ** 63n ? value : undefined;
}
