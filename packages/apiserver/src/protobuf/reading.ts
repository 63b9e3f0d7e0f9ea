/** Walks over the fields of a message. */
import type { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { ProtobufError } from "./error.ts";

/** Takes a field whose tag has been read; false when it does not know the field. */
export type OnField = (number: number, wireType: WireType) => boolean;

/** Hands each field of a message that has its length before it to a reader; what nobody knows is skipped. */
export function readMessage(reader: BinaryReader, onField: OnField): void {
  const end = reader.uint32() + reader.pos;
  checkEnd(reader, end);
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (!onField(tag >>> 3, tag & 7)) skipField(reader, tag);
  }
  checkPosition(reader, end);
}

/** Skips a field that nobody knows. */
export function skipField(reader: BinaryReader, tag: number): void {
  if (tag >>> 3 === 0) throw new ProtobufError("Malformed", "a field has the number 0");
  reader.skip(tag & 7, tag >>> 3);
}

/** Makes sure that a message ends within the bytes that carry it. */
export function checkEnd(reader: BinaryReader, end: number): void {
  if (end > reader.len) throw new ProtobufError("Malformed", "a message is longer than the bytes that carry it");
}

/** Makes sure that the last field of a message ended where the message does. */
export function checkPosition(reader: BinaryReader, end: number): void {
  if (reader.pos > end) throw new ProtobufError("Malformed", "a field is longer than the message that it is in");
}
