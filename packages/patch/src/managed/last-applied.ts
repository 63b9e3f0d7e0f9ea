/** The last-applied annotation of `kubectl apply`: which fields server-side apply takes over from it, and how it is updated. */
import { byteLength, toGoJson, type Json } from "@capstan/model";
import { differenceOf, type FieldSet } from "../fields/field-set.ts";
import { isList, isObject, setField, type JsonDraft, type JsonObject } from "../json-value.ts";
import { compareValues } from "../typed/compare.ts";
import { toFieldSet } from "../typed/to-field-set.ts";
import { findTypeErrors } from "../typed/validate.ts";
import type { TypedObject } from "./typed-object.ts";

/** The annotation with the last applied configuration of client-side apply. */
export const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";

const maxAnnotationBytes = 256 * 1024;

/** The field manager whose server-side apply takes over fields from the annotation and updates it. */
export const lastAppliedManager = "kubectl";

/** The fields that client-side apply set and that have not changed since: they may be applied without a conflict. */
export function fieldsFromLastApplied(live: TypedObject): FieldSet | undefined {
  const text = readLastApplied(live.value);
  const applied = text === undefined ? undefined : parseObject(text);
  if (applied === undefined || applied["apiVersion"] !== live.apiVersion) return undefined;
  if (findTypeErrors(live.value, live.type, { allowDuplicates: false }) !== undefined) return undefined;
  if (findTypeErrors(applied, live.type, { allowDuplicates: false }) !== undefined) return undefined;
  const { modified, added, removed } = compareValues(applied, live.value, live.type);
  const fields = toFieldSet(applied, live.type);
  return differenceOf(differenceOf(differenceOf(fields, modified), added), removed);
}

/** The object with the annotation set to the applied configuration, if it has one; the annotation is dropped when it grows too large. */
export function withLastApplied(object: JsonObject, applied: JsonObject): JsonObject {
  if (readLastApplied(object) === undefined) return object;
  const metadata = isObject(object["metadata"]) ? object["metadata"] : {};
  const before = isObject(metadata["annotations"]) ? metadata["annotations"] : {};
  const annotations: JsonDraft = { ...before, [lastAppliedAnnotation]: describe(applied) };
  if (bytesOf(annotations) > maxAnnotationBytes) delete annotations[lastAppliedAnnotation];
  return { ...object, metadata: { ...metadata, annotations } };
}

function readLastApplied(object: Json): string | undefined {
  const metadata = isObject(object) ? object["metadata"] : undefined;
  const annotations = isObject(metadata) ? metadata["annotations"] : undefined;
  const text = isObject(annotations) ? annotations[lastAppliedAnnotation] : undefined;
  return typeof text === "string" && text !== "" ? text : undefined;
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as Json;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The applied configuration as the server writes it: without the annotation itself, fields sorted, a line break at the end. */
function describe(applied: JsonObject): string {
  const metadata = applied["metadata"];
  const annotations = isObject(metadata) ? metadata["annotations"] : undefined;
  if (!isObject(metadata) || !isObject(annotations)) return `${toGoJson(sorted(applied))}\n`;
  const rest: JsonDraft = { ...annotations };
  delete rest[lastAppliedAnnotation];
  return `${toGoJson(sorted({ ...applied, metadata: { ...metadata, annotations: rest } }))}\n`;
}

function sorted(value: Json): Json {
  if (isList(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const copy: JsonDraft = {};
  for (const key of Object.keys(value).sort()) {
    const field = value[key];
    if (field !== undefined) setField(copy, key, sorted(field));
  }
  return copy;
}

function bytesOf(annotations: JsonObject): number {
  return Object.entries(annotations).reduce(
    (sum, [key, value]) => sum + byteLength(key) + byteLength(typeof value === "string" ? value : ""),
    0,
  );
}
