/** Decodes header blocks (RFC 7541). A decoder belongs to one connection and keeps its dynamic table. */
import { decodeHuffman } from "./huffman.ts";
import { sizeOf, staticTable } from "./static-table.ts";
import type { Field } from "./static-table.ts";

/** Invalid header block; the connection must close. */
export class HpackError extends Error {
  override readonly name = "HpackError";
}

/** The default limit, which we never change. */
const TABLE_LIMIT = 4096;

/** Decodes the header blocks of one connection, in order. */
export class HpackDecoder {
  /** The newest field last. */
  readonly #table: Field[] = [];
  #size = 0;
  #limit = TABLE_LIMIT;
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;

  /** Calls `onField` for each field of a block. */
  decode(block: Buffer, onField: (name: string, value: string) => void): void {
    this.#bytes = block;
    this.#at = 0;
    while (this.#at < block.length) {
      const first = block[this.#at] ?? 0;
      if ((first & 0x80) !== 0) {
        const [name, value] = this.#field(this.#integer(7));
        onField(name, value);
      } else if ((first & 0x40) !== 0) {
        const [name, value] = this.#literal(6);
        this.#remember(name, value);
        onField(name, value);
      } else if ((first & 0x20) !== 0) {
        this.#resize(this.#integer(5));
      } else {
        const [name, value] = this.#literal(4);
        onField(name, value);
      }
    }
  }

  #literal(prefix: number): Field {
    const index = this.#integer(prefix);
    const name = index === 0 ? this.#text() : this.#field(index)[0];
    return [name, this.#text()];
  }

  #field(index: number): Field {
    const fixed = staticTable[index - 1];
    const field = fixed ?? this.#table[this.#table.length - (index - staticTable.length)];
    if (field === undefined) throw new HpackError(`field index ${index} does not exist`);
    return field;
  }

  /** Section 5.1: larger numbers continue in groups of seven bits. */
  #integer(prefix: number): number {
    const most = 2 ** prefix - 1;
    let value = this.#byte() & most;
    if (value < most) return value;
    for (let shift = 0; shift <= 21; shift += 7) {
      const byte = this.#byte();
      value += (byte & 0x7f) << shift;
      if ((byte & 0x80) === 0) return value;
    }
    throw new HpackError("a number is too large");
  }

  #text(): string {
    const isCoded = ((this.#bytes[this.#at] ?? 0) & 0x80) !== 0;
    const length = this.#integer(7);
    const from = this.#at;
    const to = from + length;
    if (to > this.#bytes.length) throw new HpackError("a text is cut off");
    this.#at = to;
    if (!isCoded) return this.#bytes.toString("latin1", from, to);
    const text = decodeHuffman(this.#bytes, from, to);
    if (text === undefined) throw new HpackError("a text is not coded as it says");
    return text;
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new HpackError("a block is cut off");
    return byte;
  }

  #remember(name: string, value: string): void {
    this.#size += sizeOf(name, value);
    this.#table.push([name, value]);
    this.#evict();
  }

  #resize(limit: number): void {
    if (limit > TABLE_LIMIT) throw new HpackError("the table was made larger than allowed");
    this.#limit = limit;
    this.#evict();
  }

  #evict(): void {
    while (this.#size > this.#limit) {
      const oldest = this.#table.shift();
      if (oldest === undefined) return;
      this.#size -= sizeOf(...oldest);
    }
  }
}
