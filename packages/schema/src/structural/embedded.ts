/** Resources inside resources: their apiVersion, kind and metadata are decoded and validated like those of any object. */
import type { FieldError, Json } from "@capstan/model";
import { checkDns1035Label, checkPathSegment } from "@capstan/model";

import type { FieldPath } from "./field-error.ts";
import { child, entry, invalid, required } from "./field-error.ts";
import { decodeObjectMeta } from "./object-meta-decode.ts";
import { apiVersionProblem, validateObjectMeta } from "./object-meta.ts";
import type { Schema } from "./schema.ts";
import { isJsonObject } from "./schema.ts";

type JsonObject = { readonly [key: string]: Json | undefined };
type Fields = { [key: string]: Json | undefined };

const embedding = new WeakMap<Schema, boolean>();

function embedsResources(schema: Schema): boolean {
  let known = embedding.get(schema);
  if (known !== undefined) return known;
  known =
    schema.embeddedResource === true ||
    (schema.items !== undefined && embedsResources(schema.items)) ||
    (schema.additionalProperties?.schema !== undefined && embedsResources(schema.additionalProperties.schema)) ||
    [...(schema.properties?.values() ?? [])].some(embedsResources);
  embedding.set(schema, known);
  return known;
}

/** A value after its embedded metadata was decoded, the unknown fields in it, and the first decoding error. */
export interface Coerced {
  readonly value: Json;
  readonly unknown: readonly string[];
  readonly error?: FieldError;
}

/** Options for embedded metadata. */
export interface CoerceOptions {
  readonly path?: FieldPath;
  readonly isResourceRoot?: boolean;
  /** Omit what cannot be decoded instead of rejecting it. */
  readonly dropInvalid?: boolean;
}

class RefusedError extends Error {
  readonly error: FieldError;

  constructor(error: FieldError) {
    super(error.body);
    this.error = error;
  }
}

/** Decodes the metadata of every embedded resource in a value. */
export function coerceEmbedded(value: Json, schema: Schema | undefined, options: CoerceOptions = {}): Coerced {
  const root = options.isResourceRoot === true ? { ...schema, embeddedResource: true as const } : schema;
  if (root === undefined || !embedsResources(root)) return { value, unknown: [] };
  const unknown: string[] = [];
  try {
    const coerced = coerce(value, root, { path: options.path, unknown, drop: options.dropInvalid === true });
    return { value: coerced, unknown: unknown.sort() };
  } catch (error) {
    if (error instanceof RefusedError) return { value, unknown: [], error: error.error };
    throw error;
  }
}

interface Walk {
  readonly path: FieldPath;
  readonly unknown: string[];
  readonly drop: boolean;
}

function coerce(value: Json, schema: Schema | undefined, walk: Walk): Json {
  if (schema === undefined || !embedsResources(schema)) return value;
  if (Array.isArray(value)) {
    const items = value as readonly Json[];
    const coerced = items.map((item, i) => coerce(item, schema.items, { ...walk, path: entry(walk.path, i) }));
    return coerced.some((item, i) => item !== items[i]) ? coerced : value;
  }
  return isJsonObject(value) ? coerceObject(value, schema, walk) : value;
}

function coerceObject(value: JsonObject, schema: Schema, walk: Walk): Json {
  let copy: Fields | undefined;
  for (const name of Object.keys(value)) {
    const field = value[name];
    if (field === undefined) continue;
    const read = schema.embeddedResource === true ? coerceMetaField(name, field, walk) : field;
    const property = schema.properties?.get(name);
    const path = property === undefined ? entry(walk.path, name) : child(walk.path, name);
    const coerced =
      read === undefined ? undefined : coerce(read, property ?? schema.additionalProperties?.schema, { ...walk, path });
    if (coerced === field) continue;
    copy ??= { ...value };
    if (coerced === undefined) delete copy[name];
    else copy[name] = coerced;
  }
  return copy ?? value;
}

function coerceMetaField(name: string, field: Json, { path, unknown, drop }: Walk): Json | undefined {
  if (name === "apiVersion" || name === "kind") {
    if (typeof field === "string") return field;
    if (drop) return undefined;
    throw new RefusedError(invalid(child(path, name), field, "must be a string"));
  }
  if (name !== "metadata") return field;
  const decoded = decodeObjectMeta(field, drop);
  if ("problem" in decoded) {
    if (drop) return field;
    throw new RefusedError(invalid(child(path, "metadata"), field, decoded.problem));
  }
  unknown.push(...decoded.unknown.map((key) => `${child(path, "metadata")}.${key}`));
  return decoded.meta;
}

/** The errors of embedded resources in a value. */
export function validateEmbedded(value: Json, schema: Schema | undefined, options: CoerceOptions = {}): FieldError[] {
  const root = options.isResourceRoot === true ? { ...schema, embeddedResource: true as const } : schema;
  if (root === undefined || !embedsResources(root)) return [];
  const errors: FieldError[] = [];
  validate(value, root, { path: options.path, errors });
  return errors;
}

interface Sink {
  readonly path: FieldPath;
  readonly errors: FieldError[];
}

function validate(value: Json, schema: Schema | undefined, { path, errors }: Sink): void {
  if (schema === undefined || !embedsResources(schema)) return;
  if (Array.isArray(value)) {
    (value as readonly Json[]).forEach((item, i) => validate(item, schema.items, { path: entry(path, i), errors }));
    return;
  }
  if (!isJsonObject(value)) return;
  if (schema.embeddedResource === true) errors.push(...resourceErrors(value, path));
  for (const [name, field] of Object.entries(value)) {
    if (field === undefined) continue;
    const property = schema.properties?.get(name);
    if (property !== undefined) validate(field, property, { path: child(path, name), errors });
    else validate(field, schema.additionalProperties?.schema, { path: entry(path, name), errors });
  }
}

function resourceErrors(value: JsonObject, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  for (const name of ["apiVersion", "kind"]) if (value[name] === undefined) errors.push(required(child(path, name)));
  if (value["apiVersion"] !== undefined)
    errors.push(...apiVersionErrors(value["apiVersion"], child(path, "apiVersion")));
  if (value["kind"] !== undefined) errors.push(...kindErrors(value["kind"], child(path, "kind")));
  if (value["metadata"] !== undefined) errors.push(...metadataErrors(value["metadata"], child(path, "metadata")));
  return errors;
}

function apiVersionErrors(value: Json, path: string): FieldError[] {
  if (typeof value !== "string") return [invalid(path, value, "must be a string")];
  if (value === "") return [invalid(path, value, "must not be empty")];
  const problem = apiVersionProblem(value);
  return problem === undefined ? [] : [invalid(path, value, problem)];
}

function kindErrors(value: Json, path: string): FieldError[] {
  if (typeof value !== "string") return [invalid(path, value, "must be a string")];
  if (value === "") return [invalid(path, value, "must not be empty")];
  const problems = checkDns1035Label(value.toLowerCase());
  if (problems.length === 0) return [];
  return [invalid(path, value, `may have mixed case, but should otherwise match: ${problems.join(",")}`)];
}

function metadataErrors(value: Json, path: string): FieldError[] {
  const decoded = decodeObjectMeta(value);
  if ("problem" in decoded) return [invalid(path, value, decoded.problem)];
  const meta = isJsonObject(decoded.meta) ? decoded.meta : {};
  const namespaced = typeof meta["namespace"] === "string" && meta["namespace"] !== "";
  const named = meta["name"] === undefined ? { ...meta, name: "fakename" } : meta;
  return validateObjectMeta(named, { namespaced, checkName: segmentProblems }, path);
}

function segmentProblems(name: string, prefix: boolean): readonly string[] {
  return prefix ? checkPathSegment(`${name}x`) : checkPathSegment(name);
}
