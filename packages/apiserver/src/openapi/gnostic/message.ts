/** Messages of the protocol buffers that describe an API, written from the JSON that describes it. */
import { type BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import type { Json } from "@capstan/model";
import { toYaml } from "../../encode/yaml.ts";
import type { JsonValue } from "../../builtin/draft.ts";

/** A part of the document. */
export type Fields = { readonly [name: string]: Json | undefined };

/** Writes what a message contains; the frame around it is its field's. */
export type Message = (writer: BinaryWriter, value: Json) => void;

/** Writes a value under the number of its field. */
type Write = (writer: BinaryWriter, value: Json, number: number) => void;

/** A field: what it is called in JSON, its number, and how it is written. */
export type Field = readonly [name: string, number: number, write: Write];

/** A message with these fields, in the order of their numbers; what begins with `x-` goes into the field `extensions`. */
export function message(fields: () => readonly Field[], extensions?: number): Message {
  let sorted: readonly Field[] | undefined;
  return (writer, value) => {
    sorted ??= fields().toSorted(([, a], [, b]) => a - b);
    const object = value as Fields;
    for (const [name, number, write] of sorted) {
      const part = object[name];
      if (part !== undefined) write(writer, part, number);
    }
    if (extensions !== undefined) writeNamed(writer, extensionsOf(object), { number: extensions, of: anyValue });
  };
}

function* extensionsOf(object: Fields): Iterable<[string, Json]> {
  for (const name in object) if (name.startsWith("x-")) yield [name, object[name] ?? null];
}

/** The zero of each scalar is not written. */
export const string: Write = (writer, value, number) => {
  if (value !== "") writer.tag(number, WireType.LengthDelimited).string(textOf(value));
};
export const bool: Write = (writer, value, number) => {
  if (value === true) writer.tag(number, WireType.Varint).bool(true);
};
export const int64: Write = (writer, value, number) => {
  if (value !== 0) writer.tag(number, WireType.Varint).int64(Number(value));
};
export const double: Write = (writer, value, number) => {
  if (value !== 0) writer.tag(number, WireType.Bit64).double(Number(value));
};

/** A field with one message. */
export function one(of: Message): Write {
  return (writer, value, number) => {
    writer.tag(number, WireType.LengthDelimited).fork();
    of(writer, value);
    writer.join();
  };
}

/** A field with a message for each item; a value that is no list is a list of one. */
export function many(of: Message): Write {
  const each = one(of);
  return (writer, value, number) => {
    for (const item of asList(value)) each(writer, item, number);
  };
}

/** A field with a text for each item; empty ones count. */
export const strings: Write = (writer, value, number) => {
  for (const item of asList(value)) writer.tag(number, WireType.LengthDelimited).string(textOf(item));
};

/** What ought to be a text and is none is written as it would read. */
export function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}

function asList(value: Json): readonly Json[] {
  return Array.isArray(value) ? value : [value];
}

/** A message around one field: how lists and choices are spelled. */
export function wrapped(number: number, write: Write): Message {
  return (writer, value) => write(writer, value, number);
}

/** A value of any form, as YAML with its keys as they came. */
export const anyValue: Message = (writer, value) => string(writer, toYaml(value as JsonValue, "given"), 2);

/** A message with a field of pairs: name and value. */
export function map(of: Message, number = 1): Message {
  return (writer, value) => writeNamed(writer, Object.entries(value as { [name: string]: Json }), { number, of });
}

/** A map that has extensions of its own beside its entries. */
export function mapWithExtensions(
  of: Message,
  numbers: { readonly entries: number; readonly extensions: number },
): Message {
  return (writer, value) => {
    const isExtension = ([name]: [string, Json]): boolean => name.startsWith("x-");
    const all = Object.entries(value as { [name: string]: Json });
    const extensions = { number: numbers.extensions, of: anyValue };
    const entries = { number: numbers.entries, of };
    const inOrder = [
      { ...extensions, pairs: all.filter(isExtension) },
      { ...entries, pairs: all.filter((pair) => !isExtension(pair)) },
    ].toSorted((a, b) => a.number - b.number);
    for (const { pairs, ...field } of inOrder) writeNamed(writer, pairs, field);
  };
}

function writeNamed(
  writer: BinaryWriter,
  pairs: Iterable<[string, Json]>,
  field: { number: number; of: Message },
): void {
  for (const [name, value] of pairs) {
    writer.tag(field.number, WireType.LengthDelimited).fork();
    string(writer, name, 1);
    one(field.of)(writer, value, 2);
    writer.join();
  }
}
