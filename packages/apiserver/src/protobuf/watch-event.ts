/** Watch events as frames: a length of four bytes, then the event, which carries its enveloped object. */
import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { decodeEnvelope, encodeEnvelope, type DecodedObject } from "./envelope.ts";
import { ProtobufError } from "./error.ts";

export interface WatchEvent {
  readonly type: string;
  readonly object: { readonly apiVersion: string; readonly kind: string };
}

/** Encodes one frame of a watch. */
export function encodeWatchEvent({ type, object }: WatchEvent): Uint8Array {
  return encodeWatchFrame(type, encodeEnvelope(object));
}

/** Encodes one frame around an encoded object, so that many watchers share its bytes. */
function encodeWatchFrame(type: string, enveloped: Uint8Array): Uint8Array {
  const event = new BinaryWriter().tag(1, WireType.LengthDelimited).string(type);
  event.tag(2, WireType.LengthDelimited).fork().tag(1, WireType.LengthDelimited).bytes(enveloped).join();
  const bytes = event.finish();
  const frame = new Uint8Array(bytes.length + 4);
  new DataView(frame.buffer).setUint32(0, bytes.length);
  frame.set(bytes, 4);
  return frame;
}

/** Decodes the complete frames at the beginning of some bytes, and returns the remaining bytes. */
export function decodeWatchEvents(bytes: Uint8Array): {
  readonly events: readonly (DecodedObject & { readonly type: string })[];
  readonly rest: Uint8Array;
} {
  const events: (DecodedObject & { type: string })[] = [];
  let rest = bytes;
  for (;;) {
    const size = rest.length < 4 ? Infinity : new DataView(rest.buffer, rest.byteOffset).getUint32(0);
    if (rest.length < 4 + size) return { events, rest };
    events.push(decodeWatchEvent(rest.subarray(4, 4 + size)));
    rest = rest.subarray(4 + size);
  }
}

function decodeWatchEvent(bytes: Uint8Array): DecodedObject & { type: string } {
  const reader = new BinaryReader(bytes);
  let [type, raw]: [string, Uint8Array | undefined] = ["", undefined];
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (number === 1) type = reader.string();
    else if (number === 2) raw = readRawExtension(reader.bytes());
    else reader.skip(wireType, number);
  }
  if (raw === undefined) throw new ProtobufError("Malformed", "a watch event has no object");
  return { type, ...decodeEnvelope(raw) };
}

function readRawExtension(bytes: Uint8Array): Uint8Array | undefined {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (number === 1) return reader.bytes();
    reader.skip(wireType, number);
  }
  return undefined;
}
