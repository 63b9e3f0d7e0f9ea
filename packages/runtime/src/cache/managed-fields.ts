/** Reads managed fields: the last writer, and the fields that are ours. They are half of many objects, so few of them are kept. */
import { withComma } from "@capstan/client";
import type { ManagedFieldsEntry, StoredObject } from "@capstan/model";
import { fieldText } from "./field-path.ts";
import type { ListedBytes } from "../watch/listed-bytes.ts";

/**
 * The manager that wrote last, as far as the server reports it. Times have a resolution of one second: among managers of the same second,
 * it is the one that owns a changed field.
 */
export function writerOf(
  entries: readonly ManagedFieldsEntry[] = [],
  changed: readonly string[] = [],
): string | undefined {
  let latest: ManagedFieldsEntry[] = [];
  for (const entry of entries) {
    const time = entry.time ?? "";
    const known = latest[0]?.time ?? "";
    if (latest.length === 0 || time > known) latest = [entry];
    else if (time === known) latest.push(entry);
  }
  const owner = latest.length < 2 ? undefined : latest.find((entry) => changed.some((path) => ownsField(entry, path)));
  return (owner ?? latest.at(-1))?.manager;
}

/** Whether an entry owns a field, an atomic value above it, or a field below it. */
export function ownsField({ fieldsV1 }: ManagedFieldsEntry, path: string): boolean {
  return fieldsV1 !== undefined && ownsBelow(fieldsV1 as Fields, path);
}

interface Fields {
  readonly [field: string]: Fields;
}

/** The path is matched against the owned names: keys of items may contain the separators of a path. */
function ownsBelow(fields: Fields, path: string): boolean {
  const names = Object.keys(fields).filter((field) => field !== ".");
  if (path === "" || names.length === 0) return true;
  return names.some((field) => {
    const rest = restAfter(field, path);
    return rest !== undefined && ownsBelow(fields[field] ?? {}, rest);
  });
}

/** The remaining path behind an owned field, or undefined if the path does not start with it. */
function restAfter(field: string, path: string): string | undefined {
  const name = field.slice(2);
  if (field.startsWith("f:")) {
    const text = fieldText(name);
    return path.startsWith(text) ? restAt(path, text.length) : undefined;
  }
  if (!field.startsWith("k:")) return undefined;
  // Items are identified by all of their keys, or by the value of one of them.
  if (path.startsWith(`[${name}]`)) return restAt(path, name.length + 2);
  const item = /^\[([^\]]*)\]/u.exec(path);
  return item !== null && name.includes(JSON.stringify(item[1])) ? restAt(path, item[0].length) : undefined;
}

function restAt(path: string, end: number): string | undefined {
  switch (path[end]) {
    case undefined:
      return "";
    case ".":
      return path.slice(end + 1);
    case "[":
      return path.slice(end);
    default:
      return undefined;
  }
}

/** Whether the managed fields of a manager are kept. */
export type KeepsManager = (manager: string) => boolean;

/** Keeps the managed fields of our own managers and drops all others. */
export function keepManagers(isOurs: KeepsManager): (object: StoredObject) => StoredObject {
  return (object) => {
    const entries = object.metadata.managedFields;
    if (entries === undefined) return object;
    const kept = entries.filter((entry) => isKept(entry, isOurs));
    if (kept.length === entries.length) return object;
    const { managedFields: _dropped, ...metadata } = object.metadata;
    return { ...object, metadata: kept.length === 0 ? metadata : { ...metadata, managedFields: kept } };
  };
}

function isKept({ manager, operation }: ManagedFieldsEntry, isOurs: KeepsManager): boolean {
  return operation === "Apply" && isOurs(manager ?? "");
}

/** The same for an object in bytes: the parts of it to keep, in order. */
export function keptParts({ bytes, scanned }: ListedBytes, isOurs: KeepsManager): readonly Uint8Array[] {
  const { managedFields } = scanned;
  if (managedFields === undefined) return [bytes];
  const member = bytes.subarray(managedFields.from, managedFields.to);
  const entries = headsIn(member) ?? parseEntries(member);
  const keeps = entries.filter((entry) => isKept(entry, isOurs)).length;
  if (keeps === entries.length) return [bytes];
  const kept = keeps === 0 ? [] : parseEntries(member).filter((entry) => isKept(entry, isOurs));
  if (kept.length > 0) {
    const text = Buffer.from(`"managedFields":${JSON.stringify(kept)}`);
    return [bytes.subarray(0, managedFields.from), text, bytes.subarray(managedFields.to)];
  }
  const { from, to } = withComma(bytes, managedFields);
  return [bytes.subarray(0, from), bytes.subarray(to)];
}

const head = /"manager":"([^"\\]*)","operation":"([^"\\]*)"/gu;
const operation = /"operation":/gu;

/**
 * The manager and operation of each entry, without parsing the fields, which are most of the bytes; undefined if the JSON is not laid out
 * as servers write it.
 */
function headsIn(member: Buffer): readonly ManagedFieldsEntry[] | undefined {
  const text = member.toString("latin1");
  // An unescaped quote begins or ends a name, and field names have a prefix, so the matches are unambiguous.
  const heads: ManagedFieldsEntry[] = [];
  head.lastIndex = 0;
  for (let found = head.exec(text); found !== null; found = head.exec(text)) {
    const [, manager = "", how] = found;
    heads.push({ manager, operation: how === "Apply" ? "Apply" : "Update" });
  }
  return heads.length === text.match(operation)?.length ? heads : undefined;
}

function parseEntries(member: Buffer): readonly ManagedFieldsEntry[] {
  const { managedFields } = JSON.parse(`{${member.toString("utf8")}}`) as StoredObject["metadata"];
  return managedFields ?? [];
}
