/** Walks over the fields of a message. */
import type { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { ProtobufError } from "./error.ts";

/** Takes a field whose tag has been read; false when it does not know the field. */
export type OnField = (number: number, wireType: WireType) => boolean;

/** Hands each field of a message that has its length before it to a reader; what nobody knows is skipped. */
export function readMessage(reader: BinaryReader, onField: OnField): void {
  readFields(reader, reader.uint32() + reader.pos, onField);
}

/** Hands each field up to a position to a reader; what nobody knows is skipped. */
export function readFields(reader: BinaryReader, end: number, onField: OnField): void {
  if (end > reader.len) throw new ProtobufError("Malformed", "a message is longer than the bytes that carry it");
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag >>> 3 === 0) throw new ProtobufError("Malformed", "a field has the number 0");
    if (!onField(tag >>> 3, tag & 7)) reader.skip(tag & 7, tag >>> 3);
  }
  if (reader.pos > end) throw new ProtobufError("Malformed", "a field is longer than the message that it is in");
}
