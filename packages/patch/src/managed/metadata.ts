/** The parts of an object's metadata that field management reads and writes. */
import {
  formatGroupVersionKind,
  ParseError,
  parseApiVersion,
  parseTime,
  type GroupVersionKind,
  type Json,
  type ManagedFieldsEntry,
} from "@capstan/model";
import { isList, isObject, type JsonDraft, type JsonObject } from "../json-value.ts";
import { encodeOwners, type Owners } from "./owners.ts";

/** The managed fields of an object; undefined when it has no list of them. */
export function managedOf(object: JsonObject | undefined): readonly ManagedFieldsEntry[] | undefined {
  const entries = metadataOf(object)["managedFields"];
  return isList(entries) ? (entries as readonly ManagedFieldsEntry[]) : undefined;
}

const textFields = ["manager", "operation", "apiVersion", "fieldsType", "subresource"] as const;

/** Whether all managed fields of an object can be decoded: with one bad entry the real server ignores all of them. */
export function hasReadableManaged(object: JsonObject): boolean {
  return managedOf(object)?.every((entry) => isReadableEntry(entry as unknown as Json)) ?? false;
}

function isReadableEntry(entry: Json): boolean {
  if (!isObject(entry)) return false;
  const isText = (value: Json | undefined): boolean =>
    value === undefined || value === null || typeof value === "string";
  return textFields.every((field) => isText(entry[field])) && isReadableTime(entry["time"]);
}

function isReadableTime(time: Json | undefined): boolean {
  if (time === undefined || time === null) return true;
  if (typeof time !== "string") return false;
  try {
    parseTime(time);
    return true;
  } catch (error) {
    if (error instanceof ParseError) return false;
    throw error;
  }
}

/** The object without its managed fields. */
export function withoutManaged(object: JsonObject): JsonObject {
  const metadata = metadataOf(object);
  if (!Object.hasOwn(metadata, "managedFields")) return object;
  const rest: JsonDraft = { ...metadata };
  delete rest["managedFields"];
  return { ...object, metadata: rest };
}

/** The object with these owners; without owners it is unchanged. */
export function withManaged(object: JsonObject, owners: Owners): JsonObject {
  if (owners.size === 0) return object;
  const managedFields: Json = encodeOwners(owners).map((entry) => ({ ...entry }));
  return { ...object, metadata: { ...metadataOf(object), managedFields } };
}

/** The uid of a stored object; empty when it was never stored. */
export function uidOf(object: JsonObject | undefined): string {
  return textOf(metadataOf(object)["uid"]);
}

/** An object as messages name it: `namespace/name; group/version, Kind=Kind`. */
export function describeObject(object: JsonObject): string {
  const { namespace, name } = metadataOf(object);
  return `${textOf(namespace)}/${textOf(name)}; ${formatKindOf(object)}`;
}

/** The kind that an object declares, as messages name it; an apiVersion that cannot be parsed leaves no kind either. */
export function formatKindOf(object: JsonObject): string {
  return formatGroupVersionKind(declaredKind(object) ?? { group: "", version: "", kind: "" });
}

function declaredKind(object: JsonObject): GroupVersionKind | undefined {
  try {
    return { ...parseApiVersion(textOf(object["apiVersion"])), kind: textOf(object["kind"]) };
  } catch (error) {
    if (error instanceof ParseError) return undefined;
    throw error;
  }
}

function metadataOf(object: JsonObject | undefined): JsonObject {
  const metadata = object?.["metadata"];
  return isObject(metadata) ? metadata : {};
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
