/** The envelope of every object: four magic bytes, then a message that names the kind and carries the object. */
import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { protobufMessageOf } from "@capstan/kinds/protobuf";
import { formatApiVersion, type GroupVersionKind, parseApiVersion, quote } from "@capstan/model";
import type { JsonFields } from "./codec.ts";
import { complaintAbout, unknownMessage } from "./complaint.ts";
import { ProtobufError } from "./error.ts";
import { codecOf, decodeMessage } from "./message.ts";

const magic = [0x6b, 0x38, 0x73, 0x00] as const;

/** An object with the kind of its envelope. */
export interface DecodedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly object: JsonFields;
}

/** Whether bytes start with the magic bytes. */
export function hasEnvelope(bytes: Uint8Array): boolean {
  return bytes.length >= magic.length && magic.every((byte, i) => bytes[i] === byte);
}

/** Reads an enveloped object; a missing kind is taken from `fallback`. */
export function decodeEnvelope(bytes: Uint8Array, fallback?: GroupVersionKind): DecodedObject {
  if (bytes.length === 0) throw new ProtobufError("NotProtobuf", "empty data");
  if (!hasEnvelope(bytes)) {
    const message = `provided data does not appear to be a protobuf message, expected prefix [${magic.join(" ")}]`;
    throw new ProtobufError("NotProtobuf", message);
  }
  if (bytes.length === magic.length) throw new ProtobufError("NotProtobuf", "empty body");
  const body = bytes.subarray(magic.length);
  const unknown = explained(unknownMessage, body, undefined, () => readUnknown(body));
  return decodeUnknown(unknown, fallback);
}

/** Reads a message; fails with Go's error. */
function explained<T>(message: string, bytes: Uint8Array, said: GroupVersionKind | undefined, read: () => T): T {
  try {
    return read();
  } catch (error) {
    // The reader throws range errors for truncated bytes, as does Node for messages that nest too deep.
    const why = complaintAbout(message, bytes) ?? (error instanceof Error ? error.message : String(error));
    throw new ProtobufError("Malformed", why, { cause: error, ...(said === undefined ? {} : { said }) });
  }
}

function decodeUnknown(
  { apiVersion: named, kind: namedKind, raw }: Unknown,
  fallback?: GroupVersionKind,
): DecodedObject {
  const version = isApiVersion(named) ? named : "";
  const apiVersion = version || (fallback === undefined ? "" : formatApiVersion(fallback));
  const kind = namedKind || (fallback?.kind ?? "");
  const message = messageFor(apiVersion, kind);
  const said = { ...parseApiVersion(apiVersion), kind };
  const fields = explained(message, raw, said, () => decodeMessage(message, raw));
  return { apiVersion, kind, object: { kind, ...(apiVersion === "" ? {} : { apiVersion }), ...fields } };
}

/** An invalid version counts as missing. */
function isApiVersion(text: string): boolean {
  return text.split("/").length <= 2;
}

function messageFor(apiVersion: string, kind: string): string {
  const message = protobufMessageOf({ ...parseApiVersion(apiVersion), kind });
  if (message !== undefined) return message;
  const scheme = "pkg/runtime/scheme.go:111";
  const why = `no kind ${quote(kind)} is registered for version ${quote(apiVersion)} in scheme ${quote(scheme)}`;
  throw new ProtobufError("UnknownKind", why, { said: { ...parseApiVersion(apiVersion), kind } });
}

interface Unknown {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Uint8Array;
}

function readUnknown(bytes: Uint8Array): Unknown {
  const reader = new BinaryReader(bytes);
  let type = { apiVersion: "", kind: "" };
  let raw: Uint8Array = new Uint8Array();
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (number === 1) type = readTypeMeta(reader.bytes());
    else if (number === 2) raw = reader.bytes();
    else reader.skip(wireType, number);
  }
  return { ...type, raw };
}

function readTypeMeta(bytes: Uint8Array): { apiVersion: string; kind: string } {
  const reader = new BinaryReader(bytes);
  const type = { apiVersion: "", kind: "" };
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (number === 1) type.apiVersion = reader.string();
    else if (number === 2) type.kind = reader.string();
    else reader.skip(wireType, number);
  }
  return type;
}

/** The kind and version of an object. */
export interface TypeMeta {
  readonly apiVersion?: string;
  readonly kind: string;
}

/** Writes an object with its envelope, byte for byte as kube-apiserver does. */
export function encodeEnvelope(object: TypeMeta): Uint8Array {
  const message = messageFor(object.apiVersion ?? "", object.kind);
  return write((writer) => writeEnvelope(writer, object, () => codecOf(message).encode(writer, object)));
}

/** The bytes of an object as an item of a list, without an envelope. They can be cached and reused in many lists. */
export function encodeItem(object: TypeMeta): Uint8Array {
  const message = messageFor(object.apiVersion ?? "", object.kind);
  return write((writer) => codecOf(message).encode(writer, object));
}

/** Writes a list of items that {@link encodeItem} has encoded, so that a list need not be encoded at once. */
export function encodeListOf(list: TypeMeta & { readonly metadata: object }, items: Iterable<Uint8Array>): Uint8Array {
  const listMeta = codecOf("k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta");
  return write((writer) =>
    writeEnvelope(writer, list, () => {
      writer.fork().tag(1, WireType.LengthDelimited);
      listMeta.encode(writer, list.metadata);
      for (const item of items) writer.tag(2, WireType.LengthDelimited).raw(item);
      writer.join();
    }),
  );
}

function writeEnvelope(writer: BinaryWriter, { apiVersion = "", kind }: TypeMeta, writeObject: () => void): void {
  writer.raw(Uint8Array.from(magic)).tag(1, WireType.LengthDelimited).fork();
  writer.tag(1, WireType.LengthDelimited).string(apiVersion).tag(2, WireType.LengthDelimited).string(kind).join();
  writer.tag(2, WireType.LengthDelimited);
  writeObject();
  writer.tag(3, WireType.LengthDelimited).string("").tag(4, WireType.LengthDelimited).string("");
}

/** One writer is shared, because it keeps its buffer; after a very large object it is dropped. */
let spare: BinaryWriter | undefined;
const hugeBytes = 1 << 20;

function write(fill: (writer: BinaryWriter) => void): Uint8Array {
  const writer = spare ?? new BinaryWriter();
  // A failure leaves the writer half filled, so it is put back only after success.
  spare = undefined;
  try {
    fill(writer);
  } catch (error) {
    if (error instanceof ProtobufError) throw error;
    throw new ProtobufError("Unencodable", `could not write the object as protobuf: ${String(error)}`, {
      cause: error,
    });
  }
  const bytes = writer.finish();
  if (bytes.length < hugeBytes) spare = writer;
  return bytes;
}
