/** Go's error for bytes that are not a valid message. Reads them again, field by field, as Go's generated code does. */
import { protobufFlags, protobufMessage, type ProtobufField } from "@capstan/kinds/protobuf";
import { goNameOf } from "./go-name.ts";

/** The error for bytes that should be a message; `undefined` if Go can read them. */
export function complaintAbout(message: string, bytes: Uint8Array): string | undefined {
  try {
    new Walk(bytes).message(message);
    return undefined;
  } catch (error) {
    if (error instanceof ComplaintError) return error.message;
    // The message nests too deep to be read again.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

class ComplaintError extends Error {
  override readonly name = "ComplaintError";
  readonly code = "Complaint";
}

const endsEarly = "unexpected EOF";
const [varint, bit64, lengthDelimited, startGroup, endGroup, bit32] = [0, 1, 2, 3, 4, 5];
const wireTypes: Readonly<Record<string, number>> = { bool: varint, int32: varint, int64: varint, double: bit64 };

const meta = "k8s.io.apimachinery.pkg.apis.meta.v1";
const timestamp: readonly ProtobufField[] = [
  [1, "seconds", "int64", 0],
  [2, "nanos", "int32", 0],
];

/** The envelope of every object. */
export const unknownMessage = "k8s.io.apimachinery.pkg.runtime.Unknown";
const typeMeta = "k8s.io.apimachinery.pkg.runtime.TypeMeta";

/** Messages that are not in the table of kinds, or have a special JSON form, by their Go name. */
const others: Readonly<Record<string, readonly [name: string, fields: readonly ProtobufField[]]>> = {
  [`${meta}.Time`]: ["Timestamp", timestamp],
  [`${meta}.MicroTime`]: ["MicroTime", timestamp],
  "k8s.io.apimachinery.pkg.api.resource.Quantity": ["Quantity", [[1, "string_", "string", 0]]],
  [unknownMessage]: [
    "Unknown",
    [
      [1, "typeMeta", typeMeta, 0],
      [2, "raw", "bytes", 0],
      [3, "contentEncoding", "string", 0],
      [4, "contentType", "string", 0],
    ],
  ],
  [typeMeta]: [
    "TypeMeta",
    [
      [1, "apiVersion", "string", 0],
      [2, "kind", "string", 0],
    ],
  ],
};

class Walk {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  message(type: string): void {
    const [name, fields] = others[type] ?? [type.slice(type.lastIndexOf(".") + 1), protobufMessage(type) ?? []];
    while (this.#at < this.#bytes.length) {
      const start = this.#at;
      const tag = this.#varint();
      const [number, wireType] = [Number(BigInt.asIntN(32, tag >> 3n)), Number(tag & 7n)];
      if (wireType === endGroup) throw new ComplaintError(`proto: ${name}: wiretype end group for non-group`);
      if (number <= 0) throw new ComplaintError(`proto: ${name}: illegal tag ${number} (wire type ${tag})`);
      const field = fields.find(([one]) => one === number);
      if (field === undefined) this.#skip(start);
      else this.#field(field, wireType);
    }
  }

  #field(field: ProtobufField, wireType: number): void {
    const [, , type, flags] = field;
    const isMap = (flags & protobufFlags.map) !== 0;
    const wanted = isMap ? lengthDelimited : (wireTypes[type] ?? lengthDelimited);
    const isPacked = (flags & protobufFlags.repeated) !== 0 && wireType === lengthDelimited;
    if (wireType !== wanted && !isPacked) {
      throw new ComplaintError(`proto: wrong wireType = ${wireType} for field ${goNameOf(field)}`);
    }
    if (isMap) this.#entry(type);
    else if (isPacked && wanted !== lengthDelimited) this.#take(this.#length());
    else this.#value(type);
  }

  #value(type: string): void {
    const wanted = wireTypes[type];
    if (wanted === varint) this.#varint();
    else if (wanted === bit64) this.#take(8);
    else {
      const part = this.#take(this.#length());
      if (type !== "string" && type !== "bytes") new Walk(part).message(type);
    }
  }

  /** Keys and values of map entries are read whatever their wire type. */
  #entry(type: string): void {
    const length = this.#length();
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new ComplaintError(endsEarly);
    while (this.#at < end) {
      const start = this.#at;
      const number = Number(BigInt.asIntN(32, this.#varint() >> 3n));
      if (number === 1) this.#take(this.#length());
      else if (number === 2) this.#value(type);
      else this.#skip(start);
    }
    this.#at = end;
  }

  #varint(): bigint {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      if (shift >= 64n) throw new ComplaintError("proto: integer overflow");
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new ComplaintError(endsEarly);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
  }

  #length(): number {
    const length = BigInt.asIntN(64, this.#varint());
    if (length < 0n || BigInt.asIntN(64, length + BigInt(this.#at)) < 0n) {
      throw new ComplaintError("proto: negative length found during unmarshaling");
    }
    return Number(length);
  }

  #take(length: number): Uint8Array {
    const part = this.#bytes.subarray(this.#at, this.#at + length);
    if (part.length < length) throw new ComplaintError(endsEarly);
    this.#at += length;
    return part;
  }

  /** Skips an unknown field and all groups in it. */
  #skip(start: number): void {
    this.#at = start;
    for (let depth = 0; ;) {
      const wireType = Number(this.#varint() & 7n);
      if (wireType === varint) this.#varint();
      else if (wireType === bit64) this.#take(8);
      else if (wireType === lengthDelimited) this.#take(this.#length());
      else if (wireType === startGroup) depth++;
      else if (wireType === endGroup && depth > 0) depth--;
      else if (wireType === endGroup) throw new ComplaintError("proto: unexpected end of group");
      else if (wireType === bit32) this.#take(4);
      else throw new ComplaintError(`proto: illegal wireType ${wireType}`);
      if (depth === 0) return;
    }
  }
}
