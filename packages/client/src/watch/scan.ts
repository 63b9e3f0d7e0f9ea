/** Finds the metadata of an object in its bytes without parsing the rest, for caches that keep bytes. */
import {
  MalformedJsonError,
  closeBrace,
  comma,
  expect,
  openBrace,
  quote,
  skipSpace,
  skipString,
  skipValue,
  spells,
} from "./json-bytes.ts";

/** A half-open range of bytes. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/** The ranges of the metadata and of its managed fields (key and value), which caches cut out. */
export interface ScannedMetadata {
  readonly range: ByteRange;
  readonly managedFields: ByteRange | undefined;
}

/** Scans the JSON of one object; throws `MalformedJsonError` if the bytes up to the end of the metadata are invalid. */
export function scanMetadata(bytes: Uint8Array): ScannedMetadata | undefined {
  return matchMetadata(bytes) ?? walkToMetadata(bytes);
}

/** The metadata without its managed fields, which are half of many objects. */
export function parseMetadata(bytes: Uint8Array, { range, managedFields }: ScannedMetadata): object {
  const gap = managedFields === undefined ? { from: range.to, to: range.to } : withComma(bytes, managedFields);
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = (encoding: "latin1" | "utf8"): string =>
    buffer.toString(encoding, range.from, gap.from) + buffer.toString(encoding, gap.to, range.to);
  // Nearly all metadata is ASCII, with one byte per character.
  const plainText = text("latin1");
  return JSON.parse(beyondAscii.test(plainText) ? text("utf8") : plainText) as object;
}

const beyondAscii = /[\u0080-\u00ff]/u;

/** A member with the comma to remove with it: the one before, or else the one after. */
export function withComma(bytes: Uint8Array, { from, to }: ByteRange): ByteRange {
  let before = from - 1;
  while ((bytes[before] ?? 0) <= 0x20) before -= 1;
  if (bytes[before] === comma) return { from: before, to };
  const after = skipSpace(bytes, to);
  return bytes[after] === comma ? { from, to: after + 1 } : { from, to };
}

const text = String.raw`"[^"\\]*(?:\\.[^"\\]*)*"`;
const plain = String.raw`(?:${text}|[-+.\w]+)`;
const flat = String.raw`\{${separated(`${text}:${plain}`)}\}`;
const list = String.raw`\[${separated(`(?:${plain}|${flat})`)}\]`;
const managed = String.raw`"managedFields":\[[^"[\]]*(?:${text}[^"[\]]*)*\]`;
const member = `(?:${managed}|${text}:(?:${plain}|${flat}|${list}))`;

function separated(item: string): string {
  return `(?:${item}(?:,${item})*)?`;
}

/** The text before the metadata of most kinds. */
const beginning: RegExp = new RegExp(String.raw`\{(?:"(?:kind|apiVersion)":${text},)*"metadata":`, "y");
/** Metadata in the servers' format: no spaces, only owners and managed fields nested. Every text matches in one way only. */
const metadata: RegExp = new RegExp(String.raw`\{${separated(member)}\}`, "y");
const managedFields: RegExp = new RegExp(managed, "y");

/** Beyond this position metadata is searched byte by byte. */
const nearBytes = 64 * 1024;

/** Regular expressions run as machine code from the first object; our code is not compiled yet when many objects arrive at the start. */
function matchMetadata(bytes: Uint8Array): ScannedMetadata | undefined {
  const near = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, nearBytes)).toString("latin1");
  const from = endOf(beginning, near, 0);
  const to = from === 0 ? 0 : endOf(metadata, near, from);
  if (to === 0) return undefined;
  const at = managedFieldsIn(near, from);
  const isWithin = at !== -1 && at < to;
  return {
    range: { from, to },
    managedFields: isWithin ? { from: at, to: endOf(managedFields, near, at) } : undefined,
  };
}

/** The start of the managed fields. After a brace or comma a quote can only start a key; no other member here has a list. */
function managedFieldsIn(near: string, from: number): number {
  if (near.startsWith('{"managedFields":[', from)) return from + 1;
  const at = near.indexOf(',"managedFields":[', from);
  return at === -1 ? -1 : at + 1;
}

/** The end of a match at a position; 0 without a match. */
function endOf(pattern: RegExp, near: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(near) ? pattern.lastIndex : 0;
}

const word = (key: string): Uint8Array => Buffer.from(JSON.stringify(key));
const metadataKey = word("metadata");
const managedFieldsKey = word("managedFields");
const colon = 0x3a;

function walkToMetadata(bytes: Uint8Array): ScannedMetadata | undefined {
  let at = skipSpace(bytes, expect(bytes, 0, openBrace));
  while (bytes[at] !== closeBrace) {
    const keyTo = skipKey(bytes, at);
    const from = skipSpace(bytes, expect(bytes, keyTo, colon));
    if (isKey(bytes, at, keyTo, metadataKey)) return walkWithin(bytes, from);
    at = next(bytes, skipValue(bytes, from));
  }
  return undefined;
}

function walkWithin(bytes: Uint8Array, start: number): ScannedMetadata {
  let found: ByteRange | undefined;
  let at = skipSpace(bytes, expect(bytes, start, openBrace));
  while (bytes[at] !== closeBrace) {
    const keyTo = skipKey(bytes, at);
    const to = skipValue(bytes, skipSpace(bytes, expect(bytes, keyTo, colon)));
    if (isKey(bytes, at, keyTo, managedFieldsKey)) found = { from: at, to };
    at = next(bytes, to);
  }
  return { range: { from: start, to: at + 1 }, managedFields: found };
}

function skipKey(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== quote) throw new MalformedJsonError(`a key is missing at byte ${at}`);
  return skipString(bytes, at);
}

/** The position of the next key or of the closing brace. */
function next(bytes: Uint8Array, from: number): number {
  const at = skipSpace(bytes, from);
  return bytes[at] === closeBrace ? at : skipSpace(bytes, expect(bytes, at, comma));
}

/** Keys are compared without unescaping: no Kubernetes server escapes these names. */
function isKey(bytes: Uint8Array, from: number, to: number, key: Uint8Array): boolean {
  return to - from === key.length && spells(bytes, from, key);
}
