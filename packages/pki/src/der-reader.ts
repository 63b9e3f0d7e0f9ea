/** Reads DER into elements, and rejects anything that runs past its end. */
import { PkiError } from "./errors.ts";
import { tag } from "./der-writer.ts";

/** One element: its tag, its content, and its whole encoding. */
export interface Element {
  readonly tag: number;
  readonly content: Buffer;
  readonly whole: Buffer;
}

/** The only element of these bytes; trailing bytes are an error. */
export function readElement(bytes: Buffer): Element {
  const read = elementAt(bytes, 0);
  if (read.whole.length !== bytes.length) throw malformed("bytes follow the end of the value");
  return read;
}

/** The elements inside a constructed element, in order. */
export function readChildren(parent: Element): Element[] {
  const children: Element[] = [];
  for (let offset = 0; offset < parent.content.length;) {
    const child = elementAt(parent.content, offset);
    children.push(child);
    offset += child.whole.length;
  }
  return children;
}

/** The element at a position, which must exist and, when a tag is given, must have it. */
export function childAt(children: readonly Element[], index: number, expectedTag?: number): Element {
  const child = children[index];
  if (child === undefined) throw malformed(`element ${index} is missing`);
  if (expectedTag !== undefined && child.tag !== expectedTag) {
    throw malformed(`element ${index} has tag ${child.tag} where ${expectedTag} was expected`);
  }
  return child;
}

/** The dotted form of an object identifier. */
export function readObjectId(read: Element): string {
  const numbers: number[] = [];
  let value = 0;
  for (const byte of read.content) {
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) {
      numbers.push(value);
      value = 0;
    }
  }
  const [joined = 0, ...rest] = numbers;
  const first = Math.min(Math.floor(joined / 40), 2);
  return [first, joined - first * 40, ...rest].join(".");
}

/** The characters of any of the string types that names are written in. */
export function readText(read: Element): string {
  if (read.tag === tag.bmpString) return Buffer.from(read.content).swap16().toString("utf16le");
  return read.content.toString("utf8");
}

/** The time of a UTCTime or GeneralizedTime. */
export function readTime(read: Element): Date {
  const digits = read.content.toString("latin1");
  const century = Number(digits.slice(0, 2)) >= 50 ? "19" : "20";
  const full = read.tag === tag.utcTime ? century + digits : digits;
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(full);
  if (parts === null) throw malformed(`"${digits}" is not a time`);
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.slice(1).map(Number);
  return new Date(Date.UTC(year, month - 1, day, hour, minute, second));
}

/** The bytes of a bit string that is a whole number of bytes long. */
export function readBits(read: Element): Buffer {
  if (read.tag !== tag.bitString || read.content.length === 0) throw malformed("a bit string was expected");
  return read.content.subarray(1);
}

function elementAt(bytes: Buffer, offset: number): Element {
  const [tagByte, first] = [bytes[offset], bytes[offset + 1]];
  if (tagByte === undefined || first === undefined) throw malformed("the value ends too early");
  const extra = first < 0x80 ? 0 : first & 0x7f;
  const start = offset + 2 + extra;
  if (extra > 4 || first === 0x80 || start > bytes.length) throw malformed("a length cannot be read");
  const size = extra === 0 ? first : bytes.readUIntBE(offset + 2, extra);
  if (start + size > bytes.length) throw malformed("the value ends too early");
  return { tag: tagByte, content: bytes.subarray(start, start + size), whole: bytes.subarray(offset, start + size) };
}

function malformed(why: string): PkiError {
  return new PkiError("MalformedDer", `could not read DER: ${why}`);
}
