/** Finds the metadata of an object in its bytes without parsing the rest: for caches that keep bytes and make objects when read. */
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

/** A range of bytes, from the first up to, not including, the last. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/** Where the metadata stands, and within it the managed fields (key and value), which caches like to cut out. */
export interface ScannedMetadata {
  readonly range: ByteRange;
  readonly managedFields: ByteRange | undefined;
}

/** Scans the JSON of one object; throws `MalformedJson` where the bytes up to the end of the metadata are none. */
export function scanMetadata(bytes: Uint8Array): ScannedMetadata | undefined {
  return matchMetadata(bytes) ?? walkToMetadata(bytes);
}

/** The metadata without its managed fields, which are half of many objects. */
export function parseMetadata(bytes: Uint8Array, { range, managedFields }: ScannedMetadata): object {
  const gap = managedFields === undefined ? { from: range.to, to: range.to } : withComma(bytes, managedFields);
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = (encoding: "latin1" | "utf8"): string =>
    buffer.toString(encoding, range.from, gap.from) + buffer.toString(encoding, gap.to, range.to);
  // Nearly all metadata is ASCII, of which every byte is a character.
  const plainText = text("latin1");
  return JSON.parse(beyondAscii.test(plainText) ? text("utf8") : plainText) as object;
}

const beyondAscii = /[\u0080-\u00ff]/u;

/** A member with the comma that goes when it goes: the one before it, or else the one after. */
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

/** What servers write before the metadata of most kinds. */
const beginning: RegExp = new RegExp(String.raw`\{(?:"(?:kind|apiVersion)":${text},)*"metadata":`, "y");
/** Metadata as servers write it: no space, nothing nested but owners and managed fields. Every text matches in one way only. */
const metadata: RegExp = new RegExp(String.raw`\{${separated(member)}\}`, "y");
const managedFields: RegExp = new RegExp(managed, "y");

/** Further in than this, metadata is looked for byte by byte. */
const nearBytes = 64 * 1024;

/** Machine code from the first object on: when many objects come at the start of a program, code of ours is not compiled yet. */
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

/** Where the managed fields begin. With a brace or a comma before it, a quote can only begin a key; nothing else here has a list in it. */
function managedFieldsIn(near: string, from: number): number {
  if (near.startsWith('{"managedFields":[', from)) return from + 1;
  const at = near.indexOf(',"managedFields":[', from);
  return at === -1 ? -1 : at + 1;
}

/** Where a match ends that begins at a position; 0 where there is none. */
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

/** The position of the next key, or of the brace that ends the object. */
function next(bytes: Uint8Array, from: number): number {
  const at = skipSpace(bytes, from);
  return bytes[at] === closeBrace ? at : skipSpace(bytes, expect(bytes, at, comma));
}

/** Keys are compared as written: no Kubernetes server escapes these names. */
function isKey(bytes: Uint8Array, from: number, to: number, key: Uint8Array): boolean {
  return to - from === key.length && spells(bytes, from, key);
}
