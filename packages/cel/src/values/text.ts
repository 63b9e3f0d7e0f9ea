/** Strings in the order and the encoding of Go: code points and UTF-8 bytes. */

const encoder = new TextEncoder();
const strictDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function encodeUtf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** The text of UTF-8 bytes, or undefined when they are invalid. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return strictDecoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** The code points of a text, each as a string. */
export function codePoints(text: string): string[] {
  return Array.from(text);
}

/** Where a code point begins in a text, in units of JavaScript; the length for every index beyond the last one. */
export function unitIndex(text: string, codePoint: number): number {
  if (!SURROGATE.test(text)) return Math.min(codePoint, text.length);
  let unit = 0;
  for (let count = 0; count < codePoint && unit < text.length; count++) {
    unit += (text.codePointAt(unit) ?? 0) > 0xffff ? 2 : 1;
  }
  return unit;
}

/** Only texts with these have code points of two units. */
const SURROGATE = /[\ud800-\udfff]/;

/** Compares by code points: -1, 0 or 1. JavaScript's own order differs beyond the basic plane. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right) return codePointRank(left) < codePointRank(right) ? -1 : 1;
  }
  return a.length < b.length ? -1 : 1;
}

/** Surrogates stand for code points above every other unit. */
function codePointRank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return Math.sign(difference);
  }
  return Math.sign(a.length - b.length);
}

export function toHex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += byte.toString(16).padStart(2, "0");
  return text;
}

const ESCAPES: Record<string, string> = {
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

/** A string as Go's `%q` writes it. */
export function quote(text: string): string {
  let quoted = '"';
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    quoted += ESCAPES[char] ?? (code < 0x20 || code === 0x7f ? `\\x${code.toString(16).padStart(2, "0")}` : char);
  }
  return `${quoted}"`;
}
