/** Reads tar archives from a stream of bytes: ustar, pax and GNU's long names. */
import { OciError } from "../errors.ts";
import { blockSize, type Entry, type EntryType, padding } from "./entry.ts";
import { ByteReader } from "./byte-reader.ts";

/** An entry with its bytes; unread bytes are skipped before the next entry. */
export interface ReadEntry extends Entry {
  readonly body: () => AsyncGenerator<Uint8Array>;
}

const types: { readonly [flag: string]: EntryType } = {
  "0": "file",
  "\0": "file",
  "7": "file",
  "1": "link",
  "2": "symlink",
  "3": "character",
  "4": "block",
  "5": "directory",
  "6": "fifo",
};

// Names and attributes are small and few; megabytes of them, or endless headers, are an attack.
const maxHeaderBytes = 1 << 20;
const maxHeadersOfAnEntry = 8;

export async function* readTar(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ReadEntry> {
  const reader = new ByteReader(chunks);
  let pax: Record<string, string> = {};
  let headers = 0;
  for (;;) {
    const block = await reader.take(blockSize);
    if (block.length === 0 || isEmpty(block)) return;
    if (block.length < blockSize) throw broken("it ends in the middle of an entry");
    checkSum(block);
    const flag = String.fromCharCode(block[156] ?? 0);
    const size = number(block, 124, 12);
    if (flag === "x" || flag === "g" || flag === "L" || flag === "K") {
      if (++headers > maxHeadersOfAnEntry) throw broken(`an entry has more than ${maxHeadersOfAnEntry} headers`);
      const text = await readText(reader, size);
      if (flag === "x") pax = { ...pax, ...parsePax(text) };
      else if (flag === "L") pax["path"] = trimNul(text.toString());
      else if (flag === "K") pax["linkpath"] = trimNul(text.toString());
      continue;
    }
    yield* entryOf(block, flag, pax, reader);
    pax = {};
    headers = 0;
  }
}

async function* entryOf(
  block: Buffer,
  flag: string,
  pax: Readonly<Record<string, string>>,
  reader: ByteReader,
): AsyncGenerator<ReadEntry> {
  const type = types[flag];
  if (type === undefined) throw broken(`it has an entry of the unknown type ${JSON.stringify(flag)}`);
  const size = type === "file" ? (count(pax["size"]) ?? number(block, 124, 12)) : 0;
  let left = size;
  const entry: Entry = { ...headerOf(block, pax), type, size };
  async function* body(): AsyncGenerator<Uint8Array> {
    while (left > 0) {
      const chunk = await reader.takeSome(left);
      if (chunk.length === 0) throw broken(`it ends in the middle of ${entry.path}`);
      left -= chunk.length;
      yield chunk;
    }
  }
  yield { ...entry, body };
  for await (const _ of body()) {
    // Bytes that the caller did not read are skipped.
  }
  await reader.take(padding(size));
}

function headerOf(block: Buffer, pax: Readonly<Record<string, string>>): Omit<Entry, "type" | "size"> {
  const prefix = block.toString("latin1", 257, 262) === "ustar" ? text(block, 345, 155) : "";
  const name = text(block, 0, 100);
  const attributes = Object.entries(pax).filter(([key]) => key.startsWith("SCHILY.xattr."));
  return {
    path: pax["path"] ?? (prefix === "" ? name : `${prefix}/${name}`),
    mode: number(block, 100, 8) & 0o7777,
    uid: count(pax["uid"]) ?? number(block, 108, 8),
    gid: count(pax["gid"]) ?? number(block, 116, 8),
    mtime: moment(pax["mtime"]) ?? number(block, 136, 12),
    target: pax["linkpath"] ?? text(block, 157, 100),
    major: number(block, 329, 8),
    minor: number(block, 337, 8),
    attributes: Object.fromEntries(attributes.map(([key, value]) => [key.slice("SCHILY.xattr.".length), value])),
  };
}

async function readText(reader: ByteReader, size: number): Promise<Buffer> {
  if (size > maxHeaderBytes) throw broken(`a name or attribute of ${size} bytes is longer than any honest one`);
  const bytes = await reader.take(size);
  await reader.take(padding(size));
  return bytes;
}

/** Lengths count bytes, so the records are split before they are decoded. */
function parsePax(bytes: Buffer): Record<string, string> {
  const records: Record<string, string> = {};
  for (let at = 0; at < bytes.length;) {
    // A length has few digits: a long row of zeros would be read again for each record.
    const digits = bytes.subarray(at, at + 12).indexOf(0x20);
    const space = digits === -1 ? -1 : at + digits;
    const length = Number(bytes.toString("latin1", at, space));
    if (space === -1 || !Number.isInteger(length) || length <= 0) throw broken("an extended header is malformed");
    const record = bytes.toString("utf8", space + 1, at + length - 1);
    const equals = record.indexOf("=");
    records[record.slice(0, equals)] = record.slice(equals + 1);
    at += length;
  }
  return records;
}

/** A non-negative number of an extended header. */
function count(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = /^[0-9]+$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(value)) throw broken(`${JSON.stringify(text)} in an extended header is no number`);
  return value;
}

/** Whole seconds since 1970 from an extended header, which may have fractions. */
function moment(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Math.floor(/^-?[0-9]+(\.[0-9]*)?$/.test(text) ? Number(text) : Number.NaN);
  if (!Number.isSafeInteger(value)) throw broken(`${JSON.stringify(text)} in an extended header is no time`);
  return value;
}

/** Octal digits, or a binary number when the first bit is set. */
function number(block: Buffer, at: number, length: number): number {
  if (((block[at] ?? 0) & 0x80) !== 0) {
    let value = 0;
    for (let i = at + 1; i < at + length; i++) value = value * 256 + (block[i] ?? 0);
    if (!Number.isSafeInteger(value)) throw broken("a number in it is larger than any honest one");
    return value;
  }
  const digits = text(block, at, length).trim();
  const value = digits === "" ? 0 : Number.parseInt(digits, 8);
  if (Number.isNaN(value) || value < 0) throw broken("a number in it is not octal");
  return value;
}

function text(block: Buffer, at: number, length: number): string {
  return trimNul(block.toString("utf8", at, at + length));
}

function trimNul(value: string): string {
  const end = value.indexOf("\0");
  return end === -1 ? value : value.slice(0, end);
}

function isEmpty(block: Buffer): boolean {
  return block.every((byte) => byte === 0);
}

function checkSum(block: Buffer): void {
  let sum = 0;
  for (let i = 0; i < blockSize; i++) sum += i >= 148 && i < 156 ? 0x20 : (block[i] ?? 0);
  if (sum !== number(block, 148, 8)) throw broken("the check sum of an entry is wrong");
}

function broken(why: string): OciError {
  return new OciError("BadArchive", `could not read the archive: ${why}; make or fetch it again`);
}
