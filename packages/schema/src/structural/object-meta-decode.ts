/** Decodes `metadata` as the server's ObjectMeta: known fields of the right type; unknown fields are reported, malformed ones rejected. */
import { isLargeInteger, type Json } from "@capstan/model";
import { formatInstant, parseTime } from "@capstan/model";

import { isInt64 } from "./go-text.ts";
import { isJsonObject } from "./schema.ts";

/** The decoded metadata, or the error. */
export type DecodedMeta = { readonly meta: Json; readonly unknown: readonly string[] } | { readonly problem: string };

type JsonObject = { readonly [key: string]: Json | undefined };
type Kind = "string" | "int64" | "bool" | "time" | "strings" | "map" | "owners" | "managed" | "any";

const metaFields: Readonly<Record<string, Kind>> = {
  name: "string",
  generateName: "string",
  namespace: "string",
  selfLink: "string",
  uid: "string",
  resourceVersion: "string",
  generation: "int64",
  creationTimestamp: "time",
  deletionTimestamp: "time",
  deletionGracePeriodSeconds: "int64",
  labels: "map",
  annotations: "map",
  ownerReferences: "owners",
  finalizers: "strings",
  managedFields: "managed",
};

const ownerFields: Readonly<Record<string, Kind>> = {
  apiVersion: "string",
  kind: "string",
  name: "string",
  uid: "string",
  controller: "bool",
  blockOwnerDeletion: "bool",
};

const managedFields: Readonly<Record<string, Kind>> = {
  manager: "string",
  operation: "string",
  apiVersion: "string",
  time: "time",
  fieldsType: "string",
  fieldsV1: "any",
  subresource: "string",
};

class MalformedError extends Error {}

/** Decodes metadata; with `dropMalformed` fields of the wrong type are omitted instead of rejected. */
export function decodeObjectMeta(metadata: Json, dropMalformed = false): DecodedMeta {
  if (metadata === null) return { meta: {}, unknown: [] };
  if (!isJsonObject(metadata))
    return { problem: `json: cannot unmarshal ${jsonKind(metadata)} into Go value of type v1.ObjectMeta` };
  const unknown: string[] = [];
  const meta: { [key: string]: Json } = {};
  for (const [name, value] of Object.entries(metadata)) {
    const kind = metaFields[name];
    if (kind === undefined || !Object.hasOwn(metaFields, name)) unknown.push(name);
    else if (value !== undefined && value !== null) {
      const read = attempt(() => readField(value, kind, { struct: "ObjectMeta", field: name, unknown }));
      if ("problem" in read && !dropMalformed) return read;
      if ("value" in read && read.value !== undefined) meta[name] = read.value;
    }
  }
  return { meta, unknown };
}

function attempt(read: () => Json | undefined): { readonly value: Json | undefined } | { readonly problem: string } {
  try {
    return { value: read() };
  } catch (error) {
    if (error instanceof MalformedError) return { problem: error.message };
    throw error;
  }
}

interface Target {
  readonly struct: string;
  readonly field: string;
  readonly unknown: string[];
}

function jsonKind(value: Json): string {
  if (typeof value === "number" || isLargeInteger(value)) return "number";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "string") return "string";
  return Array.isArray(value) ? "array" : "object";
}

function refuse(value: Json, target: Target, goType: string): never {
  throw new MalformedError(
    `json: cannot unmarshal ${jsonKind(value)} into Go struct field ${target.struct}.${target.field} of type ${goType}`,
  );
}

/** The value as the server writes it back; empty values are omitted. */
function readField(value: Json, kind: Kind, target: Target): Json | undefined {
  switch (kind) {
    case "string":
      return typeof value === "string" ? value || undefined : refuse(value, target, "string");
    case "int64":
      return readInteger(value, target);
    case "bool":
      return typeof value === "boolean" ? value : refuse(value, target, "bool");
    case "time":
      return readTime(value, target);
    case "strings":
      return readList(value, target, (item) => readString(item, target), "[]string");
    case "map":
      return readStrings(value, target);
    case "owners":
      return readList(value, target, (item, i) => readOwner(item, target, i), "[]v1.OwnerReference");
    case "managed":
      return readList(value, target, (item, i) => readManaged(item, target, i), "[]v1.ManagedFieldsEntry");
    case "any":
      return value;
    default:
      return kind satisfies never;
  }
}

function readInteger(value: Json, target: Target): Json | undefined {
  if (isLargeInteger(value)) return value;
  if (typeof value !== "number") return refuse(value, target, "int64");
  if (isInt64(value)) return value === 0 && target.field === "generation" ? undefined : value;
  throw new MalformedError(
    `json: cannot unmarshal number ${value} into Go struct field ${target.struct}.${target.field} of type int64`,
  );
}

function readString(value: Json, target: Target): string {
  if (value === null) return "";
  return typeof value === "string" ? value : refuse(value, target, "string");
}

function readTime(value: Json, target: Target): Json | undefined {
  if (typeof value !== "string") return refuse(value, target, "string");
  try {
    return formatInstant(parseTime(value));
  } catch (error) {
    throw new MalformedError(error instanceof Error ? error.message : String(error));
  }
}

type ItemReader = (item: Json, index: number) => Json;

function readList(value: Json, target: Target, read: ItemReader, goType: string): Json | undefined {
  if (!Array.isArray(value)) return refuse(value, target, goType);
  const items = (value as readonly Json[]).map(read);
  return items.length === 0 ? undefined : items;
}

function readStrings(value: Json, target: Target): Json | undefined {
  if (!isJsonObject(value)) return refuse(value, target, "map[string]string");
  const entries = Object.entries(value).map(([key, item]) => [key, readString(item ?? null, target)] as const);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

interface StructType {
  readonly name: string;
  readonly fields: Readonly<Record<string, Kind>>;
  readonly index: number;
}

function readStruct(item: Json, target: Target, type: StructType): JsonObject {
  if (item === null) return {};
  if (!isJsonObject(item)) return refuse(item, target, `v1.${type.name}`);
  const read: { [key: string]: Json } = {};
  for (const [name, value] of Object.entries(item)) {
    const kind = type.fields[name];
    if (kind === undefined || !Object.hasOwn(type.fields, name))
      target.unknown.push(`${target.field}[${type.index}].${name}`);
    else if (value !== undefined && value !== null) {
      const field = readField(value, kind, { ...target, struct: type.name, field: `${target.field}.${name}` });
      if (field !== undefined) read[name] = field;
    }
  }
  return read;
}

function readOwner(item: Json, target: Target, index: number): Json {
  const owner = readStruct(item, target, { name: "OwnerReference", fields: ownerFields, index });
  return { apiVersion: "", kind: "", name: "", uid: "", ...owner };
}

function readManaged(item: Json, target: Target, index: number): Json {
  return readStruct(item, target, { name: "ManagedFieldsEntry", fields: managedFields, index });
}
