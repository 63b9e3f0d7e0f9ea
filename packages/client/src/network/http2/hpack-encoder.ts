/** Encodes header blocks (RFC 7541): repeated fields are sent once and indexed afterwards. */
import { sizeOf, staticNames, staticTable } from "./static-table.ts";

/** The headers of a request; an array is sent as one field for each of its values. */
export type Headers = Readonly<Record<string, string | readonly string[]>>;

/** Paths differ with every request: indexing them would evict useful fields. */
const NOT_INDEXED: ReadonlySet<string> = new Set([":path"]);

/** Encodes the header blocks of one connection, to be sent in order. */
export class HpackEncoder {
  #bytes: Buffer = Buffer.allocUnsafe(4096);
  #at = 0;
  /** Indexed fields by name and value, with their position; fields are never evicted. */
  readonly #sent = new Map<string, Map<string, number>>();
  #count = 0;
  #size = 0;
  #room: number;
  #told = true;

  /** Uses up to 4096 bytes of the server's table. */
  constructor(allowed = 4096) {
    this.#room = Math.min(4096, allowed);
    this.#told = allowed >= 4096;
  }

  /** The server changed its table size: the indexed fields are no longer used. */
  reset(): void {
    this.#sent.clear();
    this.#room = 0;
    this.#told = false;
  }

  /** Encodes a block; the bytes are valid until the next one. */
  encode(headers: Headers): Buffer {
    this.#at = 0;
    if (!this.#told) this.#integer(this.#room, 5, 0x20);
    this.#told = true;
    for (const name in headers) {
      const value = headers[name];
      if (value === undefined) continue;
      if (typeof value === "string") this.#field(name, value);
      else for (const one of value) this.#field(name, one);
    }
    return this.#bytes.subarray(0, this.#at);
  }

  #field(name: string, value: string): void {
    const place = this.#sent.get(name)?.get(value);
    if (place !== undefined) return this.#integer(staticTable.length + this.#count - place, 7, 0x80);
    const index = staticNames.get(name) ?? 0;
    const whole = staticIndexOf(name, value, index);
    if (whole !== 0) return this.#integer(whole, 7, 0x80);
    const isKept = !NOT_INDEXED.has(name) && this.#keep(name, value);
    this.#integer(index, isKept ? 6 : 4, isKept ? 0x40 : 0);
    if (index === 0) this.#text(name);
    this.#text(value);
  }

  #keep(name: string, value: string): boolean {
    const size = sizeOf(name, value);
    if (this.#size + size > this.#room) return false;
    this.#size += size;
    const values = this.#sent.get(name) ?? new Map<string, number>();
    this.#sent.set(name, values.set(value, this.#count++));
    return true;
  }

  #text(text: string): void {
    const length = Buffer.byteLength(text, "utf8");
    this.#ensure(length + 8);
    this.#integer(length, 7, 0);
    this.#at += this.#bytes.write(text, this.#at, "utf8");
  }

  #integer(value: number, prefix: number, flags: number): void {
    this.#ensure(8);
    const most = 2 ** prefix - 1;
    if (value < most) {
      this.#bytes[this.#at++] = flags | value;
      return;
    }
    this.#bytes[this.#at++] = flags | most;
    let rest = value - most;
    while (rest >= 128) {
      this.#bytes[this.#at++] = (rest & 0x7f) | 0x80;
      rest >>= 7;
    }
    this.#bytes[this.#at++] = rest;
  }

  #ensure(length: number): void {
    if (this.#at + length <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#at + length));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
  }
}

/** The index of a static table field with this name and value. */
function staticIndexOf(name: string, value: string, from: number): number {
  for (let index = from; index > 0 && staticTable[index - 1]?.[0] === name; index += 1) {
    if (staticTable[index - 1]?.[1] === value) return index;
  }
  return 0;
}
