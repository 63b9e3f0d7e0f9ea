/** What managed fields tell: who wrote last, and which fields are ours. They are half of many objects, so little of them is kept. */
import { withComma } from "@capstan/client";
import type { ManagedFieldsEntry, StoredObject } from "@capstan/model";
import type { SentObject } from "../watch/sent.ts";

/**
 * The manager that wrote last, as far as the server tells. It tells times in whole seconds: among those who wrote in the same one,
 * it is the one that owns a field which changed.
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
  const owner = latest.length < 2 ? undefined : latest.find((entry) => changed.some((path) => owns(entry, path)));
  return (owner ?? latest.at(-1))?.manager;
}

/** Whether an entry owns a field, something above it that is owned as a whole, or something below it. */
function owns({ fieldsV1 }: ManagedFieldsEntry, path: string): boolean {
  let at: unknown = fieldsV1;
  for (const [, name, item] of path.matchAll(/([^.[\]]+)|\[([^\]]*)\]/gu)) {
    if (typeof at !== "object" || at === null) return false;
    const fields = at as { readonly [field: string]: unknown };
    if (!Object.keys(fields).some((field) => field !== ".")) return true;
    const next = item === undefined ? fields[`f:${name}`] : itemOf(fields, item);
    if (next === undefined) return false;
    at = next;
  }
  return true;
}

function itemOf(fields: { readonly [field: string]: unknown }, item: string): unknown {
  const key = Object.keys(fields).find((field) => field.startsWith("k:") && field.includes(JSON.stringify(item)));
  return key === undefined ? undefined : fields[key];
}

/** Whether the managed fields of a manager are kept. */
export type KeepsManager = (manager: string) => boolean;

/** Keeps the managed fields of the managers that are ours and drops the rest. */
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

/** The same for an object in bytes: the parts of it that are to be kept, in order. */
export function keptParts({ bytes, scanned }: SentObject, isOurs: KeepsManager): readonly Uint8Array[] {
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

/** Who wrote and how, without a look at the fields, which are most of it; undefined where it is not written as servers write it. */
function headsIn(member: Buffer): readonly ManagedFieldsEntry[] | undefined {
  const text = member.toString("latin1");
  // An unescaped quote begins or ends a name, and fields have a prefix: neither can be anything else.
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
