/** What a conversion webhook may change: everything except the identity; of the metadata, only labels and annotations. */
import { isLargeInteger, type FieldError, type Json, type KubeObject } from "@capstan/model";
import { checkAnnotations, checkLabels } from "../metadata/check.ts";

/** An unchecked object from a webhook response. */
export type Converted = Json | undefined;

type Fields = { readonly [field: string]: Json | undefined };

/** Why the response of a webhook cannot be read as an object. */
export function whyNoObject(converted: Converted): string | undefined {
  if (isFields(converted)) return undefined;
  if (converted === null || converted === undefined) return "unexpected end of JSON input";
  return `json: cannot unmarshal ${jsonType(converted)} into Go value of type map[string]interface {}`;
}

function jsonType(value: Json): string {
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value === "string" ? "string" : "number";
}

/** The object with the original's metadata restored, or what follows "returned invalid" in the error. */
export function checkConverted(original: KubeObject, converted: Converted, apiVersion: string): KubeObject | string {
  if (!isFields(converted)) return `object at index 0: it is of type ${typeName(converted)}`;
  const received = textOf(converted["apiVersion"]);
  if (received !== apiVersion)
    return `object at index 0: invalid groupVersion (expected ${apiVersion}, received ${received})`;
  const kind = textOf(converted["kind"]);
  if (kind !== original.kind) return `object at index 0: invalid kind (expected ${original.kind}, received ${kind})`;
  const { metadata } = converted;
  const other = checkIdentity(original, isFields(metadata) ? metadata : {});
  if (other !== undefined) return `object: ${other}`;
  const restored = isFields(metadata) ? restore(original, converted, metadata) : "missing metadata in converted object";
  return typeof restored === "string" ? `metadata: ${restored}` : restored;
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

function isFields(value: Converted): value is Json & Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function checkIdentity({ metadata: { name, namespace, uid } }: KubeObject, found: Fields): string | undefined {
  const pairs = [
    ["name", name, found["name"]],
    ["namespace", namespace, found["namespace"]],
    ["UID", uid, found["uid"]],
  ] as const;
  for (const [what, before, after] of pairs) {
    if ((before ?? "") !== (after ?? "")) return `must have the same ${what}: ${before ?? ""} != ${textOf(after)}`;
  }
  return undefined;
}

function restore(original: KubeObject, converted: Fields, found: Fields): KubeObject | string {
  const metadata: Record<string, unknown> = { ...original.metadata };
  for (const field of ["labels", "annotations"] as const) {
    const value = found[field];
    delete metadata[field];
    if (value === undefined || value === null) continue;
    const problem = checkTexts(field, value);
    if (problem !== undefined) return problem;
    metadata[field] = value;
  }
  return { ...converted, metadata } as unknown as KubeObject;
}

function checkTexts(field: "labels" | "annotations", value: Json): string | undefined {
  if (!isFields(value)) return `invalid metadata.${field} of type ${typeName(value)} in converted object`;
  for (const [key, text] of Object.entries(value)) {
    if (typeof text === "string") continue;
    return `metadata.${field}[${key}] must be a string, but is ${typeName(text)} in converted object`;
  }
  const texts = value as unknown as { [key: string]: string };
  const errors =
    field === "labels" ? checkLabels(texts, "metadata.labels") : checkAnnotations(texts, "metadata.annotation");
  return errors.length === 0 ? undefined : aggregate(errors);
}

/** Go's format of joined errors: one alone, several in brackets. */
function aggregate(errors: readonly FieldError[]): string {
  const texts = [...new Set(errors.map(({ field, body }) => `${field}: ${body}`))];
  return texts.length === 1 ? (texts[0] ?? "") : `[${texts.join(", ")}]`;
}

function typeName(value: Converted): string {
  if (value === null || value === undefined) return "<nil>";
  if (Array.isArray(value)) return "[]interface {}";
  if (typeof value === "object") return "map[string]interface {}";
  if (isLargeInteger(value)) return "int64";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  return typeof value === "boolean" ? "bool" : "string";
}
