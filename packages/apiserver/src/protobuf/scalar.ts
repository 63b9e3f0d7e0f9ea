/** Scalars: numbers, strings, booleans and bytes. */
import { type BinaryReader, type BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import type { Codec } from "./codec.ts";

interface Scalar<T> {
  readonly wireType: WireType;
  readonly zero: T;
  readonly decode: (reader: BinaryReader) => T;
  readonly encode: (writer: BinaryWriter, value: T) => unknown;
}

function scalar<T>({ wireType, zero, decode, encode }: Scalar<T>): Codec {
  return {
    wireType,
    isSlice: false,
    decode,
    encode: (writer, value) => void encode(writer, value as T),
    zero: () => zero,
    isEmpty: (value) => value === zero,
  };
}

/** Bytes are base64 in JSON, and nil differs from empty. */
const bytes: Codec = {
  wireType: WireType.LengthDelimited,
  isSlice: true,
  decode: (reader) => Buffer.from(reader.bytes()).toString("base64"),
  encode: (writer, value) => void writer.bytes(Buffer.from(value as string, "base64")),
  zero: () => null,
  isEmpty: (value) => value === "" || value === null,
};

/** A bigint only if a number would not be exact. */
function toInteger(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** The codecs of the scalar types in use, by their name in .proto files. */
export const scalars: Readonly<Record<string, Codec>> = {
  string: scalar({
    wireType: WireType.LengthDelimited,
    zero: "",
    decode: (reader) => reader.string(),
    encode: (writer, value) => writer.string(value),
  }),
  bool: scalar({
    wireType: WireType.Varint,
    zero: false,
    decode: (reader) => reader.bool(),
    encode: (writer, value) => writer.bool(value),
  }),
  int32: scalar({
    wireType: WireType.Varint,
    zero: 0,
    decode: (reader) => reader.int32(),
    encode: (writer, value) => writer.int32(value),
  }),
  int64: scalar<number | bigint>({
    wireType: WireType.Varint,
    zero: 0,
    decode: (reader) => toInteger(BigInt(reader.int64())),
    encode: (writer, value) => writer.int64(value),
  }),
  double: scalar({
    wireType: WireType.Bit64,
    zero: 0,
    decode: (reader) => reader.double(),
    encode: (writer, value) => writer.double(value),
  }),
  bytes,
};
