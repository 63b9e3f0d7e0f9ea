/**
 * Decodes a value into a type as Go tools do: scalars become strings where strings are expected, names match in any case, the first error
 * is reported.
 */
import type { Json } from "@capstan/model";
import { type Field, formatType, type GoType, type Struct } from "./go-type.ts";
import { isObject, type JsonObject, sortedKeys } from "./json.ts";

/** A value of the wanted type, with what did not fit left out, and the first thing that did not fit. */
export interface Decoded {
  readonly value: Json | undefined;
  readonly problem: string | undefined;
}

interface Place {
  /** The struct that holds the field, and the names of the fields that lead to it. */
  readonly struct: string;
  readonly path: readonly string[];
}

/** Decodes; unknown fields are left out. Only what was YAML gets its scalars written out. */
export function decode(value: Json, type: GoType, from: "yaml" | "json" = "yaml"): Decoded {
  const problems: Problem[] = [];
  const decoded = decodeAt(value, type, { place: { struct: "", path: [] }, problems, from });
  return { value: decoded, problem: (problems.find(({ ends }) => ends) ?? problems[0])?.text };
}

/** A decoding error. An error of a type with its own unmarshaler ends the decoding and takes precedence. */
interface Problem {
  readonly text: string;
  readonly ends: boolean;
}

interface Decoding {
  readonly place: Place;
  readonly problems: Problem[];
  readonly from: "yaml" | "json";
}

function decodeAt(value: Json, type: GoType, at: Decoding): Json | undefined {
  if (type.kind === "read") return decodeWith(value, type, at);
  if (value === null) return undefined;
  if (type.kind === "either") return decodeEither(value, type.choose(value), at);
  switch (type.kind) {
    case "string":
      return decodeText(value, type, at);
    case "bool":
      return typeof value === "boolean" ? value : mismatch(value, type, at);
    case "int":
    case "float":
      return decodeNumber(value, type, at);
    case "list":
      return Array.isArray(value) ? decodeList(value, type.of(), at) : mismatch(value, type, at);
    case "map":
    case "struct":
      return isObject(value) ? decodeObject(value, type, at) : mismatch(value, type, at);
    case "raw":
      return value;
  }
}

/** A type with its own unmarshaler reads JSON at any depth. */
function decodeEither(value: Json, chosen: GoType | string, at: Decoding): Json | undefined {
  const problems: Problem[] = [];
  if (typeof chosen === "string") problems.push({ text: chosen, ends: true });
  const decoded = typeof chosen === "string" ? undefined : decodeAt(value, chosen, { ...at, problems, from: "json" });
  const first = problems.find(({ ends }) => ends) ?? problems[0];
  if (first !== undefined) at.problems.push({ ...first, ends: true });
  return decoded;
}

/** YAML's numbers and truths are written out where a text is wanted. */
function decodeText(value: Json, type: GoType, at: Decoding): Json | undefined {
  if (typeof value === "string") return value;
  if (at.from === "yaml" && (typeof value === "number" || typeof value === "boolean")) return String(value);
  return mismatch(value, type, at);
}

const ranges = { int32: 2 ** 31, int64: 2 ** 63 } as const;

function decodeNumber(value: Json, type: GoType & { kind: "int" | "float" }, at: Decoding): Json | undefined {
  if (typeof value !== "number") return mismatch(value, type, at);
  if (type.kind === "float") return value;
  const bound = ranges[type.name];
  const fits = Number.isInteger(value) && value >= -bound && value < bound;
  return fits ? value : mismatch(value, type, at);
}

function decodeList(values: readonly Json[], type: GoType, at: Decoding): Json {
  return values.map((value) => decodeAt(value, type, at) ?? emptyOf(type));
}

/** What an item that is null is in a list of Go. */
function emptyOf(type: GoType): Json {
  switch (type.kind) {
    case "string":
      return "";
    case "bool":
      return false;
    case "int":
    case "float":
      return 0;
    case "struct":
      return {};
    default:
      return null;
  }
}

function decodeObject(value: JsonObject, type: GoType & { kind: "map" | "struct" }, at: Decoding): Json {
  return type.kind === "map" ? decodeMap(value, type.of(), at) : decodeStruct(value, type, at);
}

function decodeMap(value: JsonObject, type: GoType, at: Decoding): Json {
  return Object.fromEntries(
    sortedKeys(value).map((key) => [key, decodeAt(value[key] ?? null, type, at) ?? emptyOf(type)]),
  );
}

function decodeStruct(value: JsonObject, struct: Struct, { place, ...decoding }: Decoding): Json {
  const decoded: { [name: string]: Json } = {};
  for (const key of sortedKeys(value)) {
    const field = findField(struct, key);
    if (field === undefined) continue;
    const { embedded } = field;
    const path = [...place.path, ...(embedded === undefined ? [] : [embedded]), field.json];
    // Embedded structs are not inspected when scalars are converted to strings.
    const from = embedded === undefined ? decoding.from : "json";
    const below = { place: { struct: lastName(struct.name), path }, problems: decoding.problems, from };
    const item = decodeAt(value[key] ?? null, field.type(), below);
    if (item !== undefined) decoded[field.json] = item;
  }
  return decoded;
}

function findField({ fields }: Struct, key: string): Field | undefined {
  return fields.find(({ json }) => json === key) ?? fields.find(({ json }) => json.toLowerCase() === key.toLowerCase());
}

function decodeWith(
  value: Json,
  { problem }: GoType & { kind: "read" },
  { place, problems }: Decoding,
): Json | undefined {
  const wrong = problem(value);
  if (wrong === undefined) return value ?? undefined;
  problems.push({ text: wrong.replace(/(?<=^json: cannot unmarshal .* into Go )value/, whereIs(place)), ends: true });
  return undefined;
}

function mismatch(value: Json, type: GoType, { place, problems }: Decoding): undefined {
  const text = `json: cannot unmarshal ${nameOf(value, type)} into Go ${whereIs(place)} of type ${formatType(type)}`;
  problems.push({ text, ends: false });
}

function whereIs({ struct, path }: Place): string {
  return path.length === 0 ? "value" : `struct field ${struct}.${path.join(".")}`;
}

function nameOf(value: Json, type: GoType): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "number") return type.kind === "int" ? `number ${value}` : "number";
  return typeof value;
}

function lastName(type: string): string {
  return type.slice(type.lastIndexOf(".") + 1);
}

/** Whether a decoded value is what Go calls zero: absent, or made of nothing but zeros. */
export function isZero(value: Json | undefined, type: GoType): boolean {
  if (value === undefined || value === null) return true;
  switch (type.kind) {
    case "string":
      return value === "";
    case "bool":
      return value === false;
    case "int":
    case "float":
      return value === 0;
    case "struct":
      return isObject(value) && type.fields.every((field) => isZeroField(value[field.json], field));
    default:
      return false;
  }
}

function isZeroField(value: Json | undefined, { type, pointer }: Field): boolean {
  return pointer ? value === undefined || value === null : isZero(value, type());
}
