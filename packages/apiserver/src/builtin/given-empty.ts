/**
 * Lists, maps and bytes that were given and are empty. Drafts leave them out like absent ones, as what is stored does; until then Go tells both
 * apart: in the rules of some kinds, in the values that refusals show, and between the items of lists that have one owner.
 */
import { cloneJson, isDeepEqual, type DeepMutable, type Json } from "@capstan/model";

type Empty = readonly never[] | { readonly [key: string]: never } | "";

/** Where a struct of a draft keeps them: copies have it too, texts and comparisons do not. What is read from the store has none. */
const given = Symbol("given, and empty");

interface Noting {
  [given]?: { [field: string]: Empty };
}

/** Keeps in mind that a field was given, and empty. */
export function noteEmpty(owner: object, field: string, value: Empty): void {
  ((owner as Noting)[given] ??= {})[field] = value;
}

/** The field is as if it had never been given. */
export function forgetEmpty(owner: object, field: string): void {
  const noted = (owner as Noting)[given];
  if (noted?.[field] === undefined) return;
  const { [field]: _, ...others } = noted;
  (owner as Noting)[given] = others;
}

/** A list or map as Go has it: null where none was given, and the empty one where that was. */
export function givenOrNull<T extends object>(owner: T, field: keyof T & string): Json {
  return (owner[field] ?? (owner as Noting)[given]?.[field] ?? null) as Json;
}

/** Whether a field was given, be it empty. */
export function isGiven<T extends object>(owner: T, field: keyof T & string): boolean {
  return givenOrNull(owner, field) !== null;
}

/** Whether nothing at all was given in a struct. */
export function isZero(owner: object): boolean {
  return Object.keys(owner).length === 0 && !hasNote(owner);
}

/** Whether a field is in Go what it was before: an empty list or map was not, as none is kept. */
export function isSameField<T extends object>(now: T, before: T, field: keyof T & string): boolean {
  if (!isDeepEqual(now[field], before[field])) return false;
  return now[field] === undefined ? !isGiven(now, field) : !hasEmpty(now[field]);
}

/** Whether something below the items of a list was given, and empty. */
export function hasEmptyInItems(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Array.isArray(value) ? value.some(hasEmpty) : Object.values(value).some(hasEmptyInItems);
}

function hasEmpty(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return hasNote(value) || Object.values(value).some(hasEmpty);
}

/** What got a value since, as defaults give one, is empty no longer. */
function hasNote(owner: object): boolean {
  const noted = (owner as Noting)[given];
  if (noted === undefined) return false;
  const fields = owner as { readonly [field: string]: unknown };
  return Object.keys(noted).some((field) => fields[field] === undefined);
}

/** A deep copy of a draft. */
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
