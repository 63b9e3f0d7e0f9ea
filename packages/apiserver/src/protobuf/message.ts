/** Messages: each one is compiled from the table into a codec at its first use. */
import { BinaryReader, type BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { type ProtobufField, protobufFlags, protobufMessage } from "@capstan/kinds/protobuf";
import type { Codec, JsonFields } from "./codec.ts";
import { ProtobufError } from "./error.ts";
import { compileField, type FieldCodec } from "./field.ts";
import { checkEnd, checkPosition, readMessage, skipField } from "./reading.ts";
import { scalars } from "./scalar.ts";
import { specials } from "./special.ts";

const compiled = new Map<string, Codec>();

/** The codec of a type: a scalar, a message by its full name, or a special value. */
export function codecOf(type: string): Codec {
  const known = compiled.get(type);
  if (known !== undefined) return known;
  const codec = scalars[type] ?? specials(codecOf)[type] ?? compileMessage(type);
  compiled.set(type, codec);
  return codec;
}

/** Decodes one message. */
export function decodeMessage(name: string, bytes: Uint8Array): JsonFields {
  const codec = codecOf(name);
  if (codec instanceof MessageCodec) return codec.decodeUntil(new BinaryReader(bytes), bytes.length);
  throw new ProtobufError("UnknownKind", `${name} is not a message of its own`);
}

function compileMessage(name: string): Codec {
  const fields = protobufMessage(name);
  if (fields === undefined) throw new ProtobufError("UnknownKind", `there is no protobuf message ${name}`);
  return isListWrapper(fields) ? new ListWrapper() : new MessageCodec(fields);
}

/** A named slice type in Go is a message with one repeated field, but a plain list in JSON. */
function isListWrapper(fields: readonly ProtobufField[]): boolean {
  const [field, ...more] = fields;
  const flags = protobufFlags.pointer | protobufFlags.repeated;
  return field !== undefined && more.length === 0 && field[1] === "items" && (field[3] & flags) === flags;
}

/** A named list of strings. */
class ListWrapper implements Codec {
  readonly wireType = WireType.LengthDelimited;
  readonly isSlice = true;

  decode(reader: BinaryReader): unknown {
    const items: string[] = [];
    readMessage(reader, (number) => number === 1 && items.push(reader.string()) > 0);
    return items;
  }

  encode(writer: BinaryWriter, value: unknown): void {
    writer.fork();
    for (const item of value as readonly string[]) writer.tag(1, WireType.LengthDelimited).string(item);
    writer.join();
  }

  zero(): unknown {
    return null;
  }

  isEmpty(value: unknown): boolean {
    return value === null || (value as readonly string[]).length === 0;
  }
}

/** A Go struct: read in any order, shown in the order of the struct, written in the order of field numbers. */
class MessageCodec implements Codec {
  readonly wireType = WireType.LengthDelimited;
  readonly isSlice = false;
  private readonly table: readonly ProtobufField[];
  private fields: readonly FieldCodec[] | undefined;
  private byNumber: readonly (number | undefined)[] = [];
  private ascending: readonly FieldCodec[] = [];

  constructor(table: readonly ProtobufField[]) {
    this.table = table;
  }

  decode(reader: BinaryReader): JsonFields {
    return this.decodeUntil(reader, reader.uint32() + reader.pos);
  }

  /** Reads the fields up to a position; the root message has no length prefix. */
  decodeUntil(reader: BinaryReader, end: number): JsonFields {
    const fields = this.compiledFields();
    const values: unknown[] = [];
    checkEnd(reader, end);
    while (reader.pos < end) {
      const tag = reader.uint32();
      const index = this.byNumber[tag >>> 3];
      const field = index === undefined ? undefined : fields[index];
      if (index === undefined || field === undefined) skipField(reader, tag);
      else values[index] = field.read(reader, tag & 7, values[index]);
    }
    checkPosition(reader, end);
    return show(fields, values);
  }

  encode(writer: BinaryWriter, value: unknown): void {
    this.compiledFields();
    writer.fork();
    for (const field of this.ascending) field.write(writer, (value ?? {}) as JsonFields);
    writer.join();
  }

  zero(): unknown {
    return show(this.compiledFields(), []);
  }

  isEmpty(): boolean {
    return false;
  }

  /** Compiled lazily, because messages may contain themselves. */
  private compiledFields(): readonly FieldCodec[] {
    if (this.fields === undefined) {
      const fields = this.table.map((field) => compileField(field, codecOf(field[2]), this.isListOf(field)));
      const byNumber: (number | undefined)[] = [];
      for (const [index, field] of fields.entries()) byNumber[field.number] = index;
      this.byNumber = byNumber;
      this.ascending = fields.toSorted((a, b) => a.number - b.number);
      this.fields = fields;
    }
    return this.fields;
  }

  /** The items of a list kind: the server never leaves them null, except in lists of PartialObjectMetadata. */
  private isListOf([, name, type]: ProtobufField): boolean {
    if (name !== "items" || type.endsWith(".PartialObjectMetadata")) return false;
    return this.table.some(([, , type]) => type.endsWith(".meta.v1.ListMeta"));
  }
}

function show(fields: readonly FieldCodec[], values: readonly unknown[]): JsonFields {
  const object: JsonFields = {};
  for (let i = 0; i < fields.length; i++) fields[i]?.show(object, values[i]);
  return object;
}
