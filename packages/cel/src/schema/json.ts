/** JSON as values of a type and back; containers are converted when they are looked into. */

import { ValueSet } from "../values/value-set.ts";
import { formatDuration, formatTimestamp, parseDuration, parseTimestamp } from "../values/time.ts";
import type { CelResult, CelValue, Equality } from "../values/value.ts";
import {
  CelDuration,
  CelError,
  CelList,
  CelMap,
  CelObject,
  CelOptional,
  CelTimestamp,
  CelUint,
  EntryMap,
  fail,
  typeOfValue,
} from "../values/value.ts";
import { print } from "../values/print.ts";
import { CelJsonPatch, CelPartialObject } from "../kubernetes/mutation.ts";
import { parseQuantity } from "../kubernetes/quantity.ts";
import type { DeclField, DeclList, DeclObject, DeclScalar, DeclType } from "./decl-type.ts";
import { escapeField, isReserved } from "./escaping.ts";
import { spend } from "../work.ts";

/** What JSON can hold; integers beyond 2^53 may come as bigint. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | { readonly [key: string]: Json };

/** The value of JSON under a type; without one, integers are ints. */
export function fromJson(json: Json | undefined, decl?: DeclType): CelResult {
  if (json === undefined || json === null) {
    return !decl || decl.nullable || isUntyped(decl)
      ? null
      : fail("invalid data, got null for schema with nullable=false");
  }
  if (!decl || isUntyped(decl)) return fromUntyped(json);
  switch (decl.kind) {
    case "scalar":
      return fromScalar(json, decl);
    case "list":
      return Array.isArray(json)
        ? jsonList(json, decl)
        : fail("invalid data, expected an array for the provided schema with type=array");
    case "map":
      return isRecord(json)
        ? new JsonMap(json, (value) => fromJson(value, decl.element))
        : fail("invalid data, expected a map for the provided schema with type=object");
    case "object":
      return isRecord(json)
        ? new JsonObject(json, decl)
        : fail("invalid data, expected a map for the provided schema with type=object");
  }
}

function isUntyped(decl: DeclType): boolean {
  return decl.kind === "scalar" && (decl.form === "dyn" || decl.form === "any" || decl.form === "null");
}

function isRecord(json: Json): json is { readonly [key: string]: Json } {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}

function fromUntyped(json: Exclude<Json, null>): CelResult {
  if (typeof json === "number") return isInt64(json) ? BigInt(json) : json;
  if (typeof json !== "object") return json;
  if (Array.isArray(json)) return new JsonList(json as readonly Json[], undefined);
  return new JsonMap(json as { readonly [key: string]: Json }, (value) => fromJson(value));
}

function fromScalar(json: Exclude<Json, null>, decl: DeclScalar): CelResult {
  const value = scalarValue(json, decl);
  if (value !== undefined) return value;
  if (decl.form === "int-or-string")
    return fail("invalid data, expected XIntOrString value to be either a string or integer");
  return fail(`invalid data, expected ${expectedWord(decl.form)}, got ${goType(json)}`);
}

/** How the server names what it waited for. */
function expectedWord(form: DeclScalar["form"]): string {
  if (form === "double") return "float";
  return form === "int" || form === "uint" || form === "bool" ? form : "string";
}

/** The Go type of JSON in the server. */
function goType(json: Exclude<Json, null>): string {
  switch (typeof json) {
    case "boolean":
      return "bool";
    case "string":
      return "string";
    case "bigint":
      return "int64";
    case "number":
      return isInt64(json) ? "int64" : "float64";
    default:
      return Array.isArray(json) ? "[]interface {}" : "map[string]interface {}";
  }
}

/** Whether the server made an int64 of this number; integers that a number cannot hold come as bigints. */
function isInt64(json: number): boolean {
  return Number.isSafeInteger(json);
}

function scalarValue(json: Exclude<Json, null>, { form }: DeclScalar): CelResult | undefined {
  switch (form) {
    case "bool":
      return typeof json === "boolean" ? json : undefined;
    case "int":
      return toInt(json);
    case "uint": {
      const value = toInt(json);
      return value === undefined ? undefined : new CelUint(value);
    }
    case "double":
      return typeof json === "number" || typeof json === "bigint" ? Number(json) : undefined;
    case "int-or-string":
      return typeof json === "string" ? json : toInt(json);
    default:
      return typeof json === "string" ? fromText(json, form) : undefined;
  }
}

function toInt(json: Json): bigint | undefined {
  if (typeof json === "bigint") return json;
  return typeof json === "number" && isInt64(json) ? BigInt(json) : undefined;
}

function fromText(text: string, form: DeclScalar["form"]): CelResult {
  switch (form) {
    case "bytes":
      return fromBase64(text) ?? fail(`Invalid byte formatted string ${text}`);
    case "duration":
      return parseDuration(text) ?? fail(`Invalid duration ${text}`);
    case "date":
      return parseTimestamp(`${text}T00:00:00Z`) ?? fail(`Invalid date formatted string ${text}`);
    case "date-time":
      return parseTimestamp(text) ?? fail(`Invalid date-time formatted string ${text}`);
    case "quantity":
      return parseQuantity(text);
    default:
      return text;
  }
}

/** The alphabet of addresses with its padding, as the server reads values of the format `byte`; line ends do not count. */
function fromBase64(text: string): Uint8Array | undefined {
  const letters = text.replaceAll(/[\r\n]/g, "");
  if (!/^(?:[\w-]{4})*(?:[\w-]{2}==|[\w-]{3}=)?$/.test(letters)) return undefined;
  const standard = letters.replaceAll("-", "+").replaceAll("_", "/");
  return Uint8Array.from(atob(standard), (char) => char.charCodeAt(0));
}

function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

function jsonList(items: readonly Json[], decl: DeclList): CelList {
  if (decl.listType === "set") return new SetList(items, decl.element);
  return decl.listType === "map" ? new KeyedList(items, decl.element, decl.mapKeys) : new JsonList(items, decl.element);
}

/** A JSON array; elements are converted when they are read. */
class JsonList extends CelList {
  readonly items: readonly Json[];
  readonly element: DeclType | undefined;

  constructor(items: readonly Json[], element: DeclType | undefined) {
    super();
    this.items = items;
    this.element = element;
  }

  override get size(): number {
    return this.items.length;
  }

  override at(index: number): CelResult {
    return fromJson(this.items[index], this.element);
  }
}

/** A list that is a set: order does not matter, and adding adds what is new. */
class SetList extends JsonList {
  override equals(other: CelList): boolean {
    if (this.size !== other.size) return false;
    const own = new ValueSet(this.toArray());
    return other.toArray().every((item) => own.has(item));
  }

  override plus(other: CelList): CelResult {
    const own = new ValueSet(this.toArray());
    const added = other.toArray().filter((item) => !own.has(item));
    return super.plus(new Values(added));
  }
}

/** Values that are already converted. */
class Values extends CelList {
  readonly values: readonly CelValue[];
  constructor(values: readonly CelValue[]) {
    super();
    this.values = values;
  }
  override get size(): number {
    return this.values.length;
  }
  override at(index: number): CelResult {
    return this.values[index] ?? null;
  }
}

/** A list whose elements have keys: it compares and merges by them. */
class KeyedList extends JsonList {
  private readonly keys: readonly string[];

  constructor(items: readonly Json[], element: DeclType, keys: readonly string[]) {
    super(items, element);
    this.keys = keys.map((key) => escapeField(key) ?? key);
  }

  override equals(other: CelList, same: Equality): boolean | CelError {
    if (this.size !== other.size) return false;
    const own = this.byKey(this);
    for (const item of other.toArray()) {
      const twin = own.get(this.keyOf(item));
      const equal = twin !== undefined && same(twin, item);
      if (equal !== true) return equal;
    }
    return true;
  }

  override plus(other: CelList): CelResult {
    const merged = this.byKey(this);
    for (const item of other.toArray()) merged.set(this.keyOf(item), item);
    return new Values([...merged.values()]);
  }

  private byKey(list: CelList): Map<string, CelValue> {
    return new Map(list.toArray().map((item) => [this.keyOf(item), item]));
  }

  private keyOf(item: CelValue): string {
    return JSON.stringify(this.keys.map((key) => (item instanceof CelMap ? keyText(item.get(key)) : null)));
  }
}

function keyText(value: CelResult | undefined): string | null {
  return value === undefined || value === null ? null : `${typeof value}:${print(value)}`;
}

/** A JSON object whose keys are data. */
class JsonMap extends CelMap {
  private readonly json: { readonly [key: string]: Json };
  private readonly convert: (value: Json | undefined) => CelResult;

  constructor(json: { readonly [key: string]: Json }, convert: (value: Json | undefined) => CelResult) {
    super();
    this.json = json;
    this.convert = convert;
  }

  override get size(): number {
    return Object.keys(this.json).length;
  }

  override get(key: CelValue): CelResult | undefined {
    return typeof key === "string" && Object.hasOwn(this.json, key) ? this.convert(this.json[key]) : undefined;
  }

  override keys(): Iterable<CelValue> {
    return Object.keys(this.json);
  }
}

/** A JSON object whose keys are fields; expressions see those that the type declares. */
class JsonObject extends CelMap {
  private readonly json: { readonly [key: string]: Json };
  private readonly decl: DeclObject;

  constructor(json: { readonly [key: string]: Json }, decl: DeclObject) {
    super();
    this.json = json;
    this.decl = decl;
  }

  override get size(): number {
    return Object.keys(this.json).length;
  }

  override get(key: CelValue): CelResult | undefined {
    const field = typeof key === "string" ? this.field(key) : undefined;
    if (!field || !Object.hasOwn(this.json, field.property)) return undefined;
    return fromJson(this.json[field.property], field.type);
  }

  /** A reserved word is a field name without its escape, too. */
  private field(name: string): DeclField | undefined {
    const { fields } = this.decl;
    return fields.get(name) ?? (isReserved(name) ? fields.get(`__${name}__`) : undefined);
  }

  override *keys(): Iterable<CelValue> {
    for (const [name, field] of this.decl.fields) if (Object.hasOwn(this.json, field.property)) yield name;
  }

  /** Properties that no field declares must be the same in both. */
  override equals(other: CelMap, same: Equality): boolean | CelError {
    if (this.size !== other.size) return false;
    for (const key of this.keys()) {
      const theirs = other.get(key);
      const equal = theirs !== undefined && same(this.get(key) ?? null, theirs);
      if (equal !== true) return equal;
    }
    return !(other instanceof JsonObject) || this.sameUndeclared(other, same);
  }

  private sameUndeclared(other: JsonObject, same: Equality): boolean {
    const declared = new Set([...this.decl.fields.values()].map(({ property }) => property));
    return Object.keys(this.json)
      .filter((property) => !declared.has(property) && Object.hasOwn(other.json, property))
      .every((property) => same(fromJson(this.json[property]), fromJson(other.json[property])) === true);
  }
}

/** The work to write a value, and what containers add to that of their parts. */
const VALUE_WORK = 4;
const CONTAINER_WORK = 40;

/**
 * The JSON of a value; an error when it has none. A value can contain another one many times: its text may be far longer than the
 * expression that made it. So the work is counted, and a caller sets a limit with `withinWork`.
 */
export function toJson(value: CelValue): Json | CelError {
  spend(VALUE_WORK);
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "string") return paidText(value);
  if (typeof value === "bigint") return jsonInt(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (value instanceof CelList) return listToJson(value);
  if (value instanceof CelMap) return mapToJson(value);
  return objectToJson(value);
}

function paidText(text: string): string {
  spend(text.length);
  return text;
}

function jsonInt(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function objectToJson(value: Exclude<CelValue, null | boolean | string | bigint | number>): Json | CelError {
  if (value instanceof CelUint) return jsonInt(value.value);
  if (value instanceof Uint8Array) {
    spend(2 * value.length);
    return toBase64(value);
  }
  if (value instanceof CelDuration) return formatDuration(value);
  if (value instanceof CelTimestamp) return formatTimestamp(value);
  if (value instanceof CelOptional) return value.value === undefined ? null : toJson(value.value);
  if (value instanceof CelPartialObject) return entriesToJson(value.fields);
  if (value instanceof CelJsonPatch) return patchToJson(value);
  if (value instanceof CelObject && value.text !== undefined) return value.text;
  return fail(`a value of type ${typeOfValue(value).toString()} cannot be written as JSON`);
}

function listToJson(list: CelList): Json | CelError {
  spend(CONTAINER_WORK);
  const items: Json[] = [];
  for (let index = 0; index < list.size; index++) {
    const item = list.at(index);
    const json = item instanceof CelError ? item : toJson(item);
    if (json instanceof CelError) return json;
    items.push(json);
  }
  return items;
}

function mapToJson(map: CelMap): Json | CelError {
  const entries: [string, CelValue][] = [];
  for (const key of map.keys()) {
    if (typeof key !== "string" && typeof key !== "bigint" && typeof key !== "boolean" && !(key instanceof CelUint)) {
      return fail("only strings, integers and booleans can be keys of JSON");
    }
    const value = map.get(key);
    if (value instanceof CelError) return value;
    entries.push([key instanceof CelUint ? String(key.value) : String(key), value ?? null]);
  }
  return entriesToJson(entries);
}

function entriesToJson(entries: Iterable<readonly [string, CelValue]>): Json | CelError {
  const object: Record<string, Json> = {};
  spend(CONTAINER_WORK);
  for (const [name, value] of entries) {
    spend(name.length);
    const json = toJson(value);
    if (json instanceof CelError) return json;
    Object.defineProperty(object, name, { value: json, enumerable: true, writable: true, configurable: true });
  }
  return object;
}

function patchToJson(patch: CelJsonPatch): Json | CelError {
  const fields = new EntryMap();
  for (const name of ["op", "path", "from"] as const) if (patch[name] !== "") fields.set(name, patch[name]);
  if (patch.value !== undefined) fields.set("value", patch.value);
  return mapToJson(fields);
}
