/** What every codec of a value can do, be it a scalar, a message or a value with a form of its own. */
import type { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";

/** Reads and writes values of one type, in the JSON form on our side and as protobuf on the other. */
export interface Codec {
  /** How a value of this type stands on the wire. */
  readonly wireType: WireType;
  /** Reads a value; the reader stands behind the tag. */
  decode(reader: BinaryReader): unknown;
  /** Writes a value; the tag has been written. */
  encode(writer: BinaryWriter, value: unknown): void;
  /** The JSON of the value that Go has when nothing was sent. */
  zero(): unknown;
  /** Whether Go's `omitempty` leaves a value out; structs are never left out. */
  isEmpty(value: unknown): boolean;
  /** Whether Go keeps values of this type in a slice, of which absence is a state of its own. */
  readonly isSlice: boolean;
}

/** An object in its JSON form. */
export type JsonFields = { [key: string]: unknown };
