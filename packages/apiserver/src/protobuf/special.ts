/** Values with a JSON form that differs from their message: times, quantities, IntOrString, raw JSON, parts of JSON schemas. */
import { type BinaryReader, type BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import {
  formatDuration,
  formatInstant,
  formatMicroInstant,
  type Instant,
  normalizeQuantity,
  parseDuration,
  parseMicroTime,
  parseTime,
} from "@capstan/model";
import type { Codec } from "./codec.ts";
import { readMessage } from "./reading.ts";

const meta = "k8s.io.apimachinery.pkg.apis.meta.v1";
const extensions = "k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1";

type CodecOf = (type: string) => Codec;
type Fields = Map<number, unknown>;

interface Special {
  /** The types of the message's fields by number, and whether they are lists. */
  readonly fields: Readonly<Record<number, { readonly type: string; readonly list?: boolean }>>;
  readonly toJson: (fields: Fields) => unknown;
  /** The fields to write in the order of their numbers; undefined values are omitted. */
  readonly fromJson: (value: unknown) => readonly (readonly [number: number, value: unknown])[];
}

let table: Readonly<Record<string, Codec>> | undefined;

/** The codecs by full message name. */
export function specials(codecOf: CodecOf): Readonly<Record<string, Codec>> {
  table ??= Object.fromEntries(
    Object.entries(descriptions).map(([name, description]) => [name, specialCodec(description, codecOf)]),
  );
  return table;
}

function specialCodec({ fields, toJson, fromJson }: Special, codecOf: CodecOf): Codec {
  return {
    wireType: WireType.LengthDelimited,
    isSlice: false,
    decode: (reader) => toJson(readFields(reader, fields, codecOf)),
    encode: (writer, value) => {
      writer.fork();
      for (const [number, part] of fromJson(value)) {
        const field = fields[number];
        if (field !== undefined && part !== undefined)
          writeField(writer, { number, codec: codecOf(field.type), value: part });
      }
      writer.join();
    },
    zero: () => toJson(new Map()),
    isEmpty: () => false,
  };
}

function readFields(reader: BinaryReader, fields: Special["fields"], codecOf: CodecOf): Fields {
  const values: Fields = new Map();
  readMessage(reader, (number) => {
    const field = fields[number];
    if (field === undefined) return false;
    const value = codecOf(field.type).decode(reader);
    values.set(number, field.list ? [...((values.get(number) ?? []) as unknown[]), value] : value);
    return true;
  });
  return values;
}

function writeField(
  writer: BinaryWriter,
  { number, codec, value }: { number: number; codec: Codec; value: unknown },
): void {
  for (const item of Array.isArray(value) ? (value as unknown[]) : [value]) {
    writer.tag(number, codec.wireType);
    codec.encode(writer, item);
  }
}

/** Go's zero time is sent as an empty message and shown as null. */
const zeroSeconds = -62_135_596_800;

function timeSpecial(
  format: (instant: Instant) => string,
  parse: (text: string) => Instant,
  keepsNanoseconds: boolean,
): Special {
  return {
    fields: { 1: { type: "int64" }, 2: { type: "int32" } },
    toJson: (fields) => {
      if (fields.size === 0) return null;
      return format({ seconds: (fields.get(1) ?? 0) as number, nanoseconds: (fields.get(2) ?? 0) as number });
    },
    fromJson: (value) => {
      if (typeof value !== "string") return [];
      const { seconds, nanoseconds } = parse(value);
      if (seconds === zeroSeconds && nanoseconds === 0) return [];
      return [
        [1, seconds],
        [2, keepsNanoseconds ? nanoseconds - (nanoseconds % 1000) : 0],
      ];
    },
  };
}

function parseRaw(base64: string): unknown {
  return base64 === "" ? null : (JSON.parse(Buffer.from(base64, "base64").toString()) as unknown);
}

function formatRaw(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64");
}

/** JSON that is carried as bytes; null if there are none. */
const rawSpecial: Special = {
  fields: { 1: { type: "bytes" } },
  toJson: (fields) => (fields.has(1) ? parseRaw(fields.get(1) as string) : null),
  fromJson: (value) => (value === null || value === undefined ? [] : [[1, formatRaw(value)]]),
};

/** Canonical forms are cached, because the same few quantities occur in most objects. */
const quantities = new Map<string, string>();

function canonicalQuantity(text: string): string {
  const known = quantities.get(text);
  if (known !== undefined) return known;
  const canonical = normalizeQuantity(text.trim());
  if (quantities.size < 1000) quantities.set(text, canonical);
  return canonical;
}

const schemaProps = `${extensions}.JSONSchemaProps`;

const descriptions: Readonly<Record<string, Special>> = {
  [`${meta}.Time`]: timeSpecial(formatInstant, parseTime, false),
  [`${meta}.MicroTime`]: timeSpecial(formatMicroInstant, parseMicroTime, true),
  [`${meta}.Duration`]: {
    fields: { 1: { type: "int64" } },
    toJson: (fields) => formatDuration(BigInt((fields.get(1) ?? 0) as number)),
    fromJson: (value) => [[1, Number(parseDuration((value ?? "0") as string))]],
  },
  "k8s.io.apimachinery.pkg.api.resource.Quantity": {
    fields: { 1: { type: "string" } },
    toJson: (fields) => canonicalQuantity((fields.get(1) ?? "0") as string),
    fromJson: (value) => [[1, canonicalQuantity(String((value ?? "0") as string | number))]],
  },
  "k8s.io.apimachinery.pkg.util.intstr.IntOrString": {
    fields: { 1: { type: "int64" }, 2: { type: "int32" }, 3: { type: "string" } },
    toJson: (fields) => (fields.get(1) === 1 ? (fields.get(3) ?? "") : (fields.get(2) ?? 0)),
    fromJson: (value) => [
      [1, typeof value === "string" ? 1 : 0],
      [2, typeof value === "number" ? value : 0],
      [3, typeof value === "string" ? value : ""],
    ],
  },
  "k8s.io.apimachinery.pkg.runtime.RawExtension": rawSpecial,
  [`${meta}.FieldsV1`]: rawSpecial,
  [`${extensions}.JSON`]: rawSpecial,
  [`${extensions}.JSONSchemaPropsOrArray`]: {
    fields: { 1: { type: schemaProps }, 2: { type: schemaProps, list: true } },
    toJson: (fields) => fields.get(2) ?? fields.get(1) ?? null,
    fromJson: (value) => (Array.isArray(value) ? [[2, value]] : [[1, value ?? undefined]]),
  },
  [`${extensions}.JSONSchemaPropsOrBool`]: {
    fields: { 1: { type: "bool" }, 2: { type: schemaProps } },
    toJson: (fields) => fields.get(2) ?? fields.get(1) ?? false,
    fromJson: (value) => [
      [1, typeof value === "boolean" ? value : value !== null],
      [2, typeof value === "object" && value !== null ? value : undefined],
    ],
  },
  [`${extensions}.JSONSchemaPropsOrStringArray`]: {
    fields: { 1: { type: schemaProps }, 2: { type: "string", list: true } },
    toJson: (fields) => fields.get(2) ?? fields.get(1) ?? null,
    fromJson: (value) => (Array.isArray(value) ? [[2, value]] : [[1, value ?? undefined]]),
  },
};
