/** Iterates over the fields of a message. */
import type { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { ProtobufError } from "./error.ts";

/** Handles a field after its tag was read; returns false if the field is unknown. */
export type OnField = (number: number, wireType: WireType) => boolean;

/** Passes each field of a length-prefixed message to a callback; skips unknown fields. */
export function readMessage(reader: BinaryReader, onField: OnField): void {
  const end = reader.uint32() + reader.pos;
  checkEnd(reader, end);
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (!onField(tag >>> 3, tag & 7)) skipField(reader, tag);
  }
  checkPosition(reader, end);
}

/** Skips an unknown field. */
export function skipField(reader: BinaryReader, tag: number): void {
  if (tag >>> 3 === 0) throw new ProtobufError("Malformed", "a field has the number 0");
  reader.skip(tag & 7, tag >>> 3);
}

/** Checks that a message ends within its bytes. */
export function checkEnd(reader: BinaryReader, end: number): void {
  if (end > reader.len) throw new ProtobufError("Malformed", "a message is longer than the bytes that carry it");
}

/** Checks that the last field of a message ends where the message does. */
export function checkPosition(reader: BinaryReader, end: number): void {
  if (reader.pos > end) throw new ProtobufError("Malformed", "a field is longer than the message that it is in");
}
