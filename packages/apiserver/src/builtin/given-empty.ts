/**
 * Lists, maps and bytes that were sent but empty. Drafts and stored objects omit them like absent ones. Until an object is stored, Go
 * distinguishes both: in the rules of some kinds, in the values of error messages, and in the items of atomic lists.
 */
import { cloneJson, isDeepEqual, type DeepMutable, type Json } from "@capstan/model";

type Empty = readonly never[] | { readonly [key: string]: never } | "";

/**
 * The key of a draft struct that records empty fields. Copies keep it; serialization and comparison ignore it. Objects from the store do
 * not have it.
 */
const given = Symbol("given, and empty");

interface Noting {
  [given]?: { [field: string]: Empty };
}

/** Records that a field was sent empty. */
export function noteEmpty(owner: object, field: string, value: Empty): void {
  ((owner as Noting)[given] ??= {})[field] = value;
}

/** Removes the record, as if the field had not been sent. */
export function forgetEmpty(owner: object, field: string): void {
  const noted = (owner as Noting)[given];
  if (noted?.[field] === undefined) return;
  const { [field]: _, ...others } = noted;
  (owner as Noting)[given] = others;
}

/** A list or map as Go has it: null if it was not sent, empty if it was sent empty. */
export function givenOrNull<T extends object>(owner: T, field: keyof T & string): Json {
  return (owner[field] ?? (owner as Noting)[given]?.[field] ?? null) as Json;
}

/** Whether a field was sent, even if empty. */
export function isGiven<T extends object>(owner: T, field: keyof T & string): boolean {
  return givenOrNull(owner, field) !== null;
}

/** Whether a struct has no fields at all, not even empty ones. */
export function isZero(owner: object): boolean {
  return Object.keys(owner).length === 0 && !hasNote(owner);
}

/** Whether Go considers a field unchanged. A field that was sent empty counts as changed, because the stored object never has it. */
export function isSameField<T extends object>(now: T, before: T, field: keyof T & string): boolean {
  if (!isDeepEqual(now[field], before[field])) return false;
  return now[field] === undefined ? !isGiven(now, field) : !hasEmpty(now[field]);
}

/** Whether a field inside the items of a list was sent empty. */
export function hasEmptyInItems(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Array.isArray(value) ? value.some(hasEmpty) : Object.values(value).some(hasEmptyInItems);
}

function hasEmpty(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return hasNote(value) || Object.values(value).some(hasEmpty);
}

/** A field that got a value later, for example a default, no longer counts as empty. */
function hasNote(owner: object): boolean {
  const noted = (owner as Noting)[given];
  if (noted === undefined) return false;
  const fields = owner as { readonly [field: string]: unknown };
  return Object.keys(noted).some((field) => fields[field] === undefined);
}

export function cloneDraft<T extends object>(draft: T): DeepMutable<T> {
  const copy = cloneJson(draft);
  copyNotes(draft as Parts, copy as Parts);
  return copy;
}

type Parts = Noting & { readonly [key: string]: unknown };

function copyNotes(from: Parts, to: Parts): void {
  if (from[given] !== undefined) to[given] = from[given];
  for (const key in from) {
    const part = from[key];
    if (typeof part === "object" && part !== null) copyNotes(part as Parts, to[key] as Parts);
  }
}
