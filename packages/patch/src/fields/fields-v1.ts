/** FieldsV1: field sets as `metadata.managedFields` contains them, a tree of JSON objects. */
import type { Json } from "@capstan/model";
import { isObject, type JsonDraft, type JsonObject } from "../json-value.ts";
import { emptyFieldSet, FieldSetBuilder, type FieldSet } from "./field-set.ts";
import { parseElement, sortElements, type PathElement } from "./path-element.ts";

/** Decoded sets by their encoding, and the reverse: the same entry of a stored object is read with every request. */
const decoded = new WeakMap<object, FieldSet | { readonly error: string }>();
const encoded = new WeakMap<FieldSet, JsonObject>();

/** Decodes a field set; returns the error when it cannot be decoded. */
export function decodeFields(fields: Json | undefined): FieldSet | { readonly error: string } {
  if (fields === undefined || fields === null) return emptyFieldSet;
  if (!isObject(fields)) return { error: "error decoding set: fields must be an object" };
  const known = decoded.get(fields);
  if (known !== undefined) return known;
  const builder = new FieldSetBuilder();
  const error = readInto(builder, fields);
  const result = error === undefined ? builder : { error: `error decoding set: ${error}` };
  decoded.set(fields, result);
  return result;
}

/** Encodes a field set, its steps in order. */
export function encodeFields(set: FieldSet): JsonObject {
  const known = encoded.get(set);
  if (known !== undefined) return known;
  const fields = writeSet(set, false);
  decoded.set(fields, set);
  encoded.set(set, fields);
  return fields;
}

/** A step is in the set if it has a `.` or nothing below it. */
function readInto(builder: FieldSetBuilder, fields: JsonObject): string | undefined {
  for (const [key, below] of Object.entries(fields)) {
    if (key === ".") continue;
    const parsed = parseElement(key);
    if ("unknown" in parsed) continue;
    if ("error" in parsed) return parsed.error;
    const error = readStep(builder, parsed.element, isObject(below) ? below : {});
    if (error !== undefined) return error;
  }
  return undefined;
}

function readStep(builder: FieldSetBuilder, element: PathElement, below: JsonObject): string | undefined {
  let steps = 0;
  let isMember = false;
  for (const key in below) {
    if (key === ".") isMember = true;
    else steps++;
  }
  if (isMember || steps === 0) builder.members.add(element);
  if (steps === 0) return undefined;
  const child = new FieldSetBuilder();
  const error = readInto(child, below);
  if (child.members.size > 0 || child.children.size > 0) builder.children.set(element, child);
  else builder.members.add(element);
  return error;
}

function writeSet(set: FieldSet, includeSelf: boolean): JsonObject {
  const steps: PathElement[] = [...set.children.keys()];
  for (const member of set.members) if (!set.children.has(member)) steps.push(member);
  const fields: JsonDraft = includeSelf && steps.length > 0 ? { ".": {} } : {};
  for (const step of sortElements(steps)) {
    const child = set.children.get(step);
    fields[step] = child === undefined ? {} : writeSet(child, set.members.has(step));
  }
  return fields;
}
