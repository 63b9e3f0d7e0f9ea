/** Fields of messages: read, shown in JSON, and written by Go's rules. */
import { type BinaryReader, type BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { type ProtobufField, protobufFlags } from "@capstan/kinds/protobuf";
import type { Codec, JsonFields } from "./codec.ts";
import { ProtobufError } from "./error.ts";
import { scalars } from "./scalar.ts";

/** The codec of one field of a message. */
export interface FieldCodec {
  readonly number: number;
  /** Reads one occurrence; returns the value of all occurrences so far. */
  read(reader: BinaryReader, wireType: WireType, before: unknown): unknown;
  /** Puts the value, or Go's zero value, into the JSON object. */
  show(object: JsonFields, value: unknown): void;
  /** Writes the value of the JSON object, or what Go writes if it is absent. */
  write(writer: BinaryWriter, object: JsonFields): void;
}

/** Compiles a row of the table; a list kind without items shows an empty list. */
export function compileField(field: ProtobufField, codec: Codec, isListOf: boolean): FieldCodec {
  const flags = field[3];
  if (flags & protobufFlags.inline) return new InlineField(field, codec);
  if (flags & protobufFlags.map) return new MapField(field, codec);
  if (flags & protobufFlags.repeated) return new RepeatedField(field, codec, isListOf);
  if (flags & protobufFlags.pointer || codec.isSlice) return new PointerField(field, codec);
  return new PlainField(field, codec);
}

function expect(wireType: WireType, codec: Codec, name: string): void {
  if (wireType === codec.wireType) return;
  throw new ProtobufError("Malformed", `proto: wrong wireType = ${wireType} for field ${name}`);
}

abstract class BaseField {
  readonly number: number;
  protected readonly name: string;
  protected readonly codec: Codec;
  protected readonly omitEmpty: boolean;
  protected readonly omitZero: boolean;

  constructor([number, name, , flags]: ProtobufField, codec: Codec) {
    this.number = number;
    this.name = name;
    this.codec = codec;
    this.omitEmpty = (flags & protobufFlags.omitEmpty) !== 0;
    this.omitZero = (flags & protobufFlags.omitZero) !== 0;
  }

  read(reader: BinaryReader, wireType: WireType, _before: unknown): unknown {
    expect(wireType, this.codec, this.name);
    return this.codec.decode(reader);
  }

  protected writeValue(writer: BinaryWriter, value: unknown): void {
    writer.tag(this.number, this.codec.wireType);
    this.codec.encode(writer, value);
  }
}

/** A value that is always present in Go and always written. */
class PlainField extends BaseField implements FieldCodec {
  show(object: JsonFields, value: unknown): void {
    const shown = value === undefined ? this.codec.zero() : value;
    if (this.omitEmpty && this.codec.isEmpty(shown)) return;
    if (this.omitZero && shown === null) return;
    object[this.name] = shown;
  }

  write(writer: BinaryWriter, object: JsonFields): void {
    this.writeValue(writer, object[this.name] ?? this.codec.zero());
  }
}

/** A value that may be nil. */
class PointerField extends BaseField implements FieldCodec {
  show(object: JsonFields, value: unknown): void {
    if (value === undefined) {
      if (!this.omitEmpty) object[this.name] = null;
    } else if (!(this.omitEmpty && this.codec.isSlice && this.codec.isEmpty(value))) {
      object[this.name] = value;
    }
  }

  write(writer: BinaryWriter, object: JsonFields): void {
    const value = object[this.name];
    if (value !== undefined && value !== null) this.writeValue(writer, value);
  }
}

/** A struct that is inlined into the JSON of the outer struct. */
class InlineField extends BaseField implements FieldCodec {
  show(object: JsonFields, value: unknown): void {
    Object.assign(object, value ?? this.codec.zero());
  }

  write(writer: BinaryWriter, object: JsonFields): void {
    this.writeValue(writer, object);
  }
}

/** A list of values. */
class RepeatedField extends BaseField implements FieldCodec {
  private readonly isListOf: boolean;

  constructor(field: ProtobufField, codec: Codec, isListOf: boolean) {
    super(field, codec);
    this.isListOf = isListOf;
  }

  override read(reader: BinaryReader, wireType: WireType, before: unknown): unknown {
    const items = (before ?? []) as unknown[];
    if (wireType === WireType.LengthDelimited && this.codec.wireType !== WireType.LengthDelimited) {
      const end = reader.uint32() + reader.pos;
      while (reader.pos < end) items.push(this.codec.decode(reader));
      return items;
    }
    expect(wireType, this.codec, this.name);
    items.push(this.codec.decode(reader));
    return items;
  }

  show(object: JsonFields, value: unknown): void {
    if (value !== undefined) object[this.name] = value;
    else if (this.isListOf) object[this.name] = [];
    else if (!this.omitEmpty) object[this.name] = null;
  }

  write(writer: BinaryWriter, object: JsonFields): void {
    for (const item of (object[this.name] ?? []) as readonly unknown[]) {
      this.writeValue(writer, item ?? this.codec.zero());
    }
  }
}

/** A map from strings to values, written in the order of its keys. */
class MapField extends BaseField implements FieldCodec {
  override read(reader: BinaryReader, wireType: WireType, before: unknown): unknown {
    if (wireType !== WireType.LengthDelimited) expect(wireType, mapEntry, this.name);
    const map = (before ?? {}) as JsonFields;
    const end = reader.uint32() + reader.pos;
    let key = "";
    let value: unknown;
    while (reader.pos < end) {
      const tag = reader.uint32();
      if (tag >>> 3 === 1) key = reader.string();
      else if (tag >>> 3 === 2) value = this.codec.decode(reader);
      else reader.skip(tag & 7, tag >>> 3);
    }
    setOwn(map, key, value === undefined ? this.missing() : value);
    return map;
  }

  /** Missing bytes in a map entry are read as empty; elsewhere they stay absent. */
  private missing(): unknown {
    return this.codec === scalars["bytes"] ? "" : this.codec.zero();
  }

  show(object: JsonFields, value: unknown): void {
    if (value !== undefined) object[this.name] = value;
    else if (!this.omitEmpty) object[this.name] = null;
  }

  write(writer: BinaryWriter, object: JsonFields): void {
    const map = object[this.name];
    if (map === undefined || map === null) return;
    for (const [key, value] of Object.entries(map as JsonFields).sort(byKey)) this.writeEntry(writer, key, value);
  }

  private writeEntry(writer: BinaryWriter, key: string, value: unknown): void {
    writer.tag(this.number, WireType.LengthDelimited).fork();
    writer.tag(1, WireType.LengthDelimited).string(key);
    const written = value ?? this.codec.zero();
    if (written !== null || !this.codec.isSlice) {
      writer.tag(2, this.codec.wireType);
      this.codec.encode(writer, written);
    }
    writer.join();
  }
}

/** A key named `__proto__` must not set the prototype. */
function setOwn(map: JsonFields, key: string, value: unknown): void {
  if (key === "__proto__")
    Object.defineProperty(map, key, { value, enumerable: true, writable: true, configurable: true });
  else map[key] = value;
}

const mapEntry = { wireType: WireType.LengthDelimited } as Codec;

function byKey([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
