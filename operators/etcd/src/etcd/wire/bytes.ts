/** Wire format of protocol buffers: varints and length-delimited bytes. */

const TWO_32 = 2 ** 32;

/** Appends fields to a growing buffer. */
export class ByteWriter {
  #bytes: Buffer = Buffer.allocUnsafe(256);
  #length = 0;

  finish(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  tag(field: number, wireType: WireType): void {
    this.varint(field * 8 + wireType);
  }

  /** A number between 0 and 2^53. */
  varint(value: number): void {
    this.#reserve(10);
    let left = value;
    while (left >= 0x80) {
      this.#bytes[this.#length++] = (left % 0x80) | 0x80;
      left = Math.floor(left / 0x80);
    }
    this.#bytes[this.#length++] = left;
  }

  /** Any 64-bit number; negative ones in two's complement. */
  varint64(value: bigint): void {
    this.#reserve(10);
    let left = BigInt.asUintN(64, value);
    while (left >= 0x80n) {
      this.#bytes[this.#length++] = Number(left & 0x7fn) | 0x80;
      left >>= 7n;
    }
    this.#bytes[this.#length++] = Number(left);
  }

  bytes(value: Uint8Array): void {
    this.varint(value.length);
    this.#reserve(value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + more));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

/** Wire types. */
export const WIRE = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

/** A supported wire type; any other one is malformed. */
export type WireType = (typeof WIRE)[keyof typeof WIRE];

/** A message is truncated or has an unknown wire type. */
export class WireError extends Error {
  override readonly name = "WireError";
  readonly code = "Malformed";
}

/** Reads fields from a message. */
export class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** An unsigned number as its upper and lower 32 bits. */
  halves(): { readonly high: number; readonly low: number } {
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new WireError("the message ends within a number");
      const bits = byte & 0x7f;
      if (shift < 28) low |= bits << shift;
      else if (shift === 28) {
        low |= bits << 28;
        high |= bits >> 4;
      } else high |= bits << (shift - 32);
      if (byte < 0x80) return { high: high >>> 0, low: low >>> 0 };
    }
    throw new WireError("a number has more than ten bytes");
  }

  /** A signed number. Fails if JavaScript cannot represent it exactly. */
  integer(): number {
    const { high, low } = this.halves();
    const value = high < TWO_32 / 2 ? high * TWO_32 + low : (high - TWO_32) * TWO_32 + low;
    if (!Number.isSafeInteger(value)) throw new WireError("a number is larger than 2^53");
    return value;
  }

  /** All 64 bits, unsigned. */
  integer64(): bigint {
    const { high, low } = this.halves();
    return (BigInt(high) << 32n) | BigInt(low);
  }

  /** A view of the bytes, not a copy. */
  bytes(): Buffer {
    const length = this.integer();
    const end = this.#at + length;
    if (length < 0 || end > this.#bytes.length) throw new WireError("the message ends within a field");
    const view = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return view;
  }

  /** Skips an unknown field. */
  skip(wireType: number): void {
    if (wireType === WIRE.varint) this.halves();
    else if (wireType === WIRE.bytes) this.bytes();
    else if (wireType === WIRE.fixed64) this.#at += 8;
    else if (wireType === WIRE.fixed32) this.#at += 4;
    else throw new WireError(`there is no wire type ${wireType}`);
  }
}
