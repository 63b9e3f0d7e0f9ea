/** Encodes OpenAPI JSON as the protobuf messages of gnostic. */
import { type BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import type { Json } from "@capstan/model";
import { toYaml } from "../../encode/yaml.ts";
import type { JsonValue } from "../../builtin/draft.ts";

/** An object of the document. */
export type Fields = { readonly [name: string]: Json | undefined };

/** Writes the content of a message; its field writes tag and length. */
export type Message = (writer: BinaryWriter, value: Json) => void;

/** Writes a value with its field number. */
type Write = (writer: BinaryWriter, value: Json, number: number) => void;

/** A field: its JSON name, its number and its encoder. */
export type Field = readonly [name: string, number: number, write: Write];

/** A message with these fields, in the order of their numbers; keys that begin with `x-` go into the field `extensions`. */
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

/** Zero values of scalars are not written. */
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

/** A message field. */
export function one(of: Message): Write {
  return (writer, value, number) => {
    writer.tag(number, WireType.LengthDelimited).fork();
    of(writer, value);
    writer.join();
  };
}

/** A repeated message field; a value that is not a list counts as a list of one. */
export function many(of: Message): Write {
  const each = one(of);
  return (writer, value, number) => {
    for (const item of asList(value)) each(writer, item, number);
  };
}

/** A repeated string field; empty strings are written. */
export const strings: Write = (writer, value, number) => {
  for (const item of asList(value)) writer.tag(number, WireType.LengthDelimited).string(textOf(item));
};

/** A value that should be a string but is not is written as JSON. */
export function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}

function asList(value: Json): readonly Json[] {
  return Array.isArray(value) ? value : [value];
}

/** A message with one field: the encoding of lists and unions. */
export function wrapped(number: number, write: Write): Message {
  return (writer, value) => write(writer, value, number);
}

/** Any value, as YAML with its keys in the given order. */
export const anyValue: Message = (writer, value) => string(writer, toYaml(value as JsonValue, "given"), 2);

/** A message with a repeated field of name and value pairs. */
export function map(of: Message, number = 1): Message {
  return (writer, value) => writeNamed(writer, Object.entries(value as { [name: string]: Json }), { number, of });
}

/** A map with extensions besides its entries. */
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
