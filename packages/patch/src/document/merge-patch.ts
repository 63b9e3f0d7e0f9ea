/** JSON merge patch (RFC 7386): applying one, and creating one from two or three versions of a value. */
import { isDeepEqual, type Json } from "@capstan/model";
import { PatchError, refuseTooDeep } from "../errors.ts";
import { draftOf, fieldOf, isList, isObject, setField, type JsonDraft, type JsonObject } from "../json-value.ts";

/** Applies a merge patch; the document is not changed, and untouched parts are shared. */
export function applyMergePatch(document: Json, patch: Json): Json {
  if (patch === null || (!isObject(patch) && !isList(patch))) throw new PatchError("BadRequest", "Invalid JSON Patch");
  if (document === null) throw new PatchError("Internal", "Invalid JSON Document");
  return refuseTooDeep(() => {
    if (isList(patch)) return patch.map(withoutNulls);
    return isObject(document) ? mergeObjects(document, patch) : withoutNulls(patch);
  });
}

/** The merge patch that turns one object into another. */
export function createMergePatch(original: JsonObject, modified: JsonObject): JsonObject {
  const patch: JsonDraft = {};
  for (const [key, wanted] of Object.entries(modified)) {
    const change = wanted === undefined ? undefined : changeOf(original[key], wanted);
    if (change !== undefined) setField(patch, key, change);
  }
  for (const key of Object.keys(original)) {
    if (original[key] !== undefined && modified[key] === undefined) setField(patch, key, null);
  }
  return patch;
}

/** Three versions of an object, as client-side apply uses them: last applied, desired, and live. */
export interface ThreeVersions {
  readonly original: JsonObject;
  readonly modified: JsonObject;
  readonly current: JsonObject;
}

/** The merge patch that turns the live object into the desired one: additions against live, deletions against last applied. */
export function createThreeWayMergePatch({ original, modified, current }: ThreeVersions): JsonObject {
  const additions = keepValues(createMergePatch(current, modified));
  const deletions = keepNulls(createMergePatch(original, modified));
  return mergeObjects(deletions, additions);
}

function mergeObjects(document: JsonObject, patch: JsonObject): JsonObject {
  let merged: JsonDraft | undefined;
  for (const [key, wanted] of Object.entries(patch)) {
    if (wanted === undefined) continue;
    const current = fieldOf(document, key);
    const next = wanted === null ? undefined : mergeValues(current ?? undefined, wanted);
    if (next === current) continue;
    merged ??= draftOf(document);
    if (next === undefined) delete merged[key];
    else setField(merged, key, next);
  }
  return merged ?? document;
}

function mergeValues(current: Json | undefined, wanted: Json): Json {
  if (current === undefined) return withoutNulls(wanted);
  if (isObject(current)) return isObject(wanted) ? mergeObjects(current, wanted) : wanted;
  return withoutNulls(wanted);
}

/** Nulls in additions mean nothing; objects inside lists lose them, items that are null stay. */
function withoutNulls(value: Json): Json {
  if (isList(value)) return value.map((item) => (item === null ? null : withoutNulls(item)));
  if (!isObject(value)) return value;
  const kept: JsonDraft = {};
  for (const [key, field] of Object.entries(value)) {
    if (field !== null && field !== undefined) setField(kept, key, withoutNulls(field));
  }
  return kept;
}

function changeOf(current: Json | undefined, wanted: Json): Json | undefined {
  if (current === undefined) return wanted;
  if (isObject(current) && isObject(wanted)) {
    const inner = createMergePatch(current, wanted);
    return Object.keys(inner).length > 0 ? inner : undefined;
  }
  return isDeepEqual(current, wanted) ? undefined : wanted;
}

/** The additions and changes of a patch; an object that is empty on purpose counts as a value. */
function keepValues(patch: JsonObject): JsonObject {
  return filterPatch(patch, (value) => value !== null);
}

/** The deletions of a patch. */
function keepNulls(patch: JsonObject): JsonObject {
  return filterPatch(patch, (value) => value === null);
}

function filterPatch(patch: JsonObject, keep: (value: Json) => boolean): JsonObject {
  const kept: JsonDraft = {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === undefined) continue;
    const filtered = isObject(value) && Object.keys(value).length > 0 ? filterPatch(value, keep) : value;
    const isEmptied = filtered !== value && isObject(filtered) && Object.keys(filtered).length === 0;
    if (!isEmptied && (filtered !== value || keep(value))) setField(kept, key, filtered);
  }
  return kept;
}
