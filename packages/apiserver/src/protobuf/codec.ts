/** The codec interface of a value: a scalar, a message, or a value with a special JSON form. */
import type { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";

/** Reads and writes values of one type, between JSON and protobuf. */
export interface Codec {
  /** The wire type of the value. */
  readonly wireType: WireType;
  /** Reads a value; the tag has been read. */
  decode(reader: BinaryReader): unknown;
  /** Writes a value; the tag has been written. */
  encode(writer: BinaryWriter, value: unknown): void;
  /** The JSON of Go's zero value. */
  zero(): unknown;
  /** Whether Go's `omitempty` leaves a value out; structs are never left out. */
  isEmpty(value: unknown): boolean;
  /** Whether Go keeps values of this type in a slice, which distinguishes nil from empty. */
  readonly isSlice: boolean;
}

/** An object in its JSON form. */
export type JsonFields = { [key: string]: unknown };
