/** Protobuf messages as tables: each field has its number and codec; a message is a set of fields. */
import { ByteReader, ByteWriter, WIRE } from "./bytes.ts";
import type { WireType } from "./bytes.ts";

/** One field of a message. */
export interface Field<T> {
  readonly number: number;
  readonly wireType: WireType;
  /** The value if the field is missing. */
  missing(): T;
  write(writer: ByteWriter, value: T): void;
  /** The value after another occurrence of the field: repeated fields append, others replace. */
  read(reader: ByteReader, before: T): T;
}

/** A message type: encodes and decodes values. Unknown fields are skipped. */
export interface Message<T> {
  encode(value: Partial<T>): Buffer;
  decode(bytes: Buffer): T;
}

export function message<T extends object>(fields: { readonly [Name in keyof T]: Field<T[Name]> }): Message<T> {
  const names = Object.keys(fields) as (keyof T & string)[];
  const byNumber = new Map(names.map((name) => [fields[name].number, name]));
  return {
    encode: (value) => {
      const writer = new ByteWriter();
      for (const name of names) {
        const part = value[name];
        if (part !== undefined) fields[name].write(writer, part);
      }
      return writer.finish();
    },
    decode: (bytes) => {
      const reader = new ByteReader(bytes);
      const value = Object.fromEntries(names.map((name) => [name, fields[name].missing()])) as T;
      while (!reader.isAtEnd) readField(reader, value);
      return value;
    },
  };

  function readField(reader: ByteReader, value: T): void {
    const tag = reader.integer();
    const name = byNumber.get(Math.floor(tag / 8));
    if (name === undefined || fields[name].wireType !== tag % 8) reader.skip(tag % 8);
    else value[name] = fields[name].read(reader, value[name]);
  }
}

/** An integer. Zero is not sent. */
export function integer(number: number): Field<number> {
  return {
    number,
    wireType: WIRE.varint,
    missing: () => 0,
    write: (writer, value) => {
      if (value === 0) return;
      writer.tag(number, WIRE.varint);
      if (value > 0) writer.varint(value);
      else writer.varint64(BigInt(value));
    },
    read: (reader) => reader.integer(),
  };
}

/** A 64-bit id as hexadecimal text. Empty text means none. */
export function id(number: number): Field<string> {
  return {
    number,
    wireType: WIRE.varint,
    missing: () => "",
    write: (writer, value) => {
      if (value === "") return;
      writer.tag(number, WIRE.varint);
      writer.varint64(BigInt(`0x${value}`));
    },
    read: (reader) => formatId(reader.integer64()),
  };
}

/** etcd uses 0 for "none". */
function formatId(value: bigint): string {
  return value === 0n ? "" : value.toString(16);
}

/** A boolean. False is not sent. */
export function flag(number: number): Field<boolean> {
  return {
    number,
    wireType: WIRE.varint,
    missing: () => false,
    write: (writer, value) => {
      if (!value) return;
      writer.tag(number, WIRE.varint);
      writer.varint(1);
    },
    read: (reader) => reader.integer() !== 0,
  };
}

/** UTF-8 text. Empty text is not sent. */
export function text(number: number): Field<string> {
  return {
    number,
    wireType: WIRE.bytes,
    missing: () => "",
    write: (writer, value) => {
      if (value !== "") writeBytes(writer, number, Buffer.from(value));
    },
    read: (reader) => reader.bytes().toString("utf8"),
  };
}

/** Bytes. An empty value is not sent. */
export function bytes(number: number): Field<Buffer> {
  return {
    number,
    wireType: WIRE.bytes,
    missing: () => Buffer.alloc(0),
    write: (writer, value) => {
      if (value.length > 0) writeBytes(writer, number, value);
    },
    read: (reader) => reader.bytes(),
  };
}

/** An optional embedded message. */
export function one<T>(number: number, of: () => Message<T>): Field<T | undefined> {
  return {
    number,
    wireType: WIRE.bytes,
    missing: () => undefined,
    write: (writer, value) => {
      if (value !== undefined) writeBytes(writer, number, of().encode(value));
    },
    read: (reader) => of().decode(reader.bytes()),
  };
}

/** A repeated message. */
export function many<T>(number: number, of: () => Message<T>): Field<T[]> {
  return {
    number,
    wireType: WIRE.bytes,
    missing: () => [],
    write: (writer, values) => {
      for (const value of values) writeBytes(writer, number, of().encode(value));
    },
    read: (reader, before) => {
      before.push(of().decode(reader.bytes()));
      return before;
    },
  };
}

/** A repeated text. */
export function texts(number: number): Field<string[]> {
  return {
    number,
    wireType: WIRE.bytes,
    missing: () => [],
    write: (writer, values) => {
      for (const value of values) writeBytes(writer, number, Buffer.from(value));
    },
    read: (reader, before) => {
      before.push(reader.bytes().toString("utf8"));
      return before;
    },
  };
}

function writeBytes(writer: ByteWriter, number: number, value: Uint8Array): void {
  writer.tag(number, WIRE.bytes);
  writer.bytes(value);
}
