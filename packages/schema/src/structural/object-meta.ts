/** Validation of `metadata`, for resources and for embedded resources. */
import type { FieldError, Json } from "@capstan/model";
import {
  byteLength,
  checkDns1123Label,
  checkLabelValue,
  checkQualifiedName,
  isDeepEqual,
  parseApiVersion,
  quote,
} from "@capstan/model";

import type { FieldPath } from "./field-error.ts";
import { child, entry, forbidden, invalid, required, tooLong } from "./field-error.ts";
import type { GoValue } from "./go-text.ts";
import { isPrintable } from "./go-text.ts";
import { isJsonObject } from "./schema.ts";

type Fields = { readonly [key: string]: Json | undefined };

/** Returns the errors of a name; for the prefix of a generated name the last dash does not count. */
export type NameCheck = (name: string, prefix: boolean) => readonly string[];

/** The prefix of a generated name may end in a dash: it is checked as if letters followed. */
export function maskTrailingDash(name: string): string {
  return name.length > 1 && name.endsWith("-") ? `${name.slice(0, -2)}a` : name;
}

function text(meta: Fields, key: string): string {
  const value = meta[key];
  return typeof value === "string" ? value : "";
}

/** The validation options of a kind's metadata. */
export interface MetaRules {
  readonly namespaced: boolean;
  readonly checkName: NameCheck;
}

/** The errors of a new object's metadata. */
export function validateObjectMeta(meta: Json, rules: MetaRules, path: FieldPath): FieldError[] {
  const fields = isJsonObject(meta) ? meta : {};
  const errors: FieldError[] = [];
  const generateName = text(fields, "generateName");
  if (generateName !== "")
    for (const problem of rules.checkName(generateName, true))
      errors.push(invalid(child(path, "generateName"), generateName, problem));
  const name = text(fields, "name");
  if (name === "") errors.push(required(child(path, "name"), "name or generateName is required"));
  else for (const problem of rules.checkName(name, false)) errors.push(invalid(child(path, "name"), name, problem));
  errors.push(...namespaceErrors(text(fields, "namespace"), rules.namespaced, child(path, "namespace")));
  const generation = fields["generation"];
  if (typeof generation === "number" && generation < 0)
    errors.push(invalid(child(path, "generation"), generation, "must be greater than or equal to 0"));
  errors.push(...commonErrors(fields, path), ...finalizerErrors(fields["finalizers"], child(path, "finalizers")));
  return [...errors, ...managedFieldsErrors(fields["managedFields"], child(path, "managedFields"))];
}

/** The errors of the metadata of an object that replaces another. */
export function validateObjectMetaUpdate(meta: Json, old: Json, path: FieldPath): FieldError[] {
  const [fields, before] = [isJsonObject(meta) ? meta : {}, isJsonObject(old) ? old : {}];
  const errors: FieldError[] = [];
  if (before["deletionTimestamp"] !== undefined && before["deletionTimestamp"] !== null)
    errors.push(...newFinalizerErrors(fields["finalizers"], before["finalizers"], child(path, "finalizers")));
  if (text(fields, "resourceVersion") === "")
    errors.push(invalid(child(path, "resourceVersion"), "", "must be specified for an update"));
  const [generation, earlier] = [Number(fields["generation"] ?? 0), Number(before["generation"] ?? 0)];
  if (generation < earlier) errors.push(invalid(child(path, "generation"), generation, "must not be decremented"));
  for (const key of ["name", "namespace", "uid"])
    errors.push(...immutableErrors(text(fields, key), text(before, key), child(path, key)));
  for (const key of ["creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"])
    errors.push(...immutableErrors(fields[key] ?? null, before[key] ?? null, child(path, key)));
  return [
    ...errors,
    ...commonErrors(fields, path),
    ...managedFieldsErrors(fields["managedFields"], child(path, "managedFields")),
  ];
}

/** An immutable field. */
export function immutableErrors(value: Json, old: Json, path: FieldPath): FieldError[] {
  return isDeepEqual(value, old) ? [] : [invalid(path, value, "field is immutable")];
}

function namespaceErrors(namespace: string, namespaced: boolean, path: string): FieldError[] {
  if (!namespaced) return namespace === "" ? [] : [forbidden(path, "not allowed on this type")];
  if (namespace === "") return [required(path)];
  return checkDns1123Label(namespace).map((problem) => invalid(path, namespace, problem));
}

function commonErrors(fields: Fields, path: FieldPath): FieldError[] {
  return [
    ...labelErrors(fields["labels"], child(path, "labels")),
    ...annotationErrors(fields["annotations"], child(path, "annotations")),
    ...ownerErrors(fields["ownerReferences"], child(path, "ownerReferences")),
  ];
}

function entriesOf(value: Json | undefined): [string, string][] {
  return isJsonObject(value)
    ? Object.entries(value).map(([key, item]) => [key, typeof item === "string" ? item : ""])
    : [];
}

function labelErrors(labels: Json | undefined, path: string): FieldError[] {
  return entriesOf(labels).flatMap(([key, value]) => [
    ...checkQualifiedName(key).map((problem) => invalid(path, key, problem)),
    ...checkLabelValue(value).map((problem) => invalid(path, value, problem)),
  ]);
}

const maxAnnotationBytes = 256 * 1024;

function annotationErrors(annotations: Json | undefined, path: string): FieldError[] {
  const entries = entriesOf(annotations);
  const errors = entries.flatMap(([key]) =>
    checkQualifiedName(key.toLowerCase()).map((problem) => invalid(path, key, problem)),
  );
  const size = entries.reduce((total, [key, value]) => total + byteLength(key) + byteLength(value), 0);
  return size > maxAnnotationBytes ? [...errors, tooLong(path, maxAnnotationBytes)] : errors;
}

function listOf(value: Json | undefined): readonly Fields[] {
  return Array.isArray(value) ? (value as readonly Json[]).map((item) => (isJsonObject(item) ? item : {})) : [];
}

function ownerErrors(owners: Json | undefined, path: string): FieldError[] {
  const errors: FieldError[] = [];
  let controller: string | undefined;
  for (const owner of listOf(owners)) {
    errors.push(...oneOwnerErrors(owner, path));
    if (owner["controller"] !== true) continue;
    const name = `${text(owner, "kind")}/${text(owner, "name")}`;
    if (controller === undefined) controller = name;
    else
      errors.push(
        invalid(
          path,
          listOf(owners).map(ownerStruct),
          `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${name}`,
        ),
      );
  }
  return errors;
}

function ownerStruct(owner: Fields): GoValue {
  const keys = ["apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"];
  return new Map(keys.filter((key) => owner[key] !== undefined).map((key) => [key, owner[key] ?? null] as const));
}

function oneOwnerErrors(owner: Fields, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const apiVersion = text(owner, "apiVersion");
  const parts = apiVersion.split("/");
  const version = parts.length <= 2 ? (parts.at(-1) ?? "") : "";
  if (version === "") errors.push(invalid(child(path, "apiVersion"), apiVersion, "version must not be empty"));
  for (const key of ["kind", "name", "uid"])
    if (text(owner, key) === "") errors.push(invalid(child(path, key), "", "must not be empty"));
  if (apiVersion === "v1" && text(owner, "kind") === "Event")
    errors.push(invalid(path, ownerStruct(owner), "/v1, Kind=Event is disallowed from being an owner"));
  return errors;
}

function strings(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? (value as readonly Json[]).filter((item) => typeof item === "string") : [];
}

function finalizerErrors(value: Json | undefined, path: string): FieldError[] {
  const finalizers = strings(value);
  const errors = finalizers.flatMap((name) => checkQualifiedName(name).map((problem) => invalid(path, name, problem)));
  if (finalizers.includes("orphan") && finalizers.includes("foregroundDeletion"))
    errors.push(invalid(path, finalizers, "finalizer orphan and foregroundDeletion cannot be both set"));
  return errors;
}

function newFinalizerErrors(value: Json | undefined, old: Json | undefined, path: string): FieldError[] {
  const before = new Set(strings(old));
  const extra = [...new Set(strings(value))].filter((name) => !before.has(name)).sort();
  if (extra.length === 0) return [];
  const shown = `[]string{${extra.map(quote).join(", ")}}`;
  return [
    forbidden(path, `no new finalizers can be added if the object is being deleted, found new finalizers ${shown}`),
  ];
}

function managedFieldsErrors(value: Json | undefined, path: string): FieldError[] {
  return listOf(value).flatMap((fields, i) => oneManagerErrors(fields, entry(path, i)));
}

function oneManagerErrors(fields: Fields, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const operation = text(fields, "operation");
  if (operation !== "Apply" && operation !== "Update")
    errors.push(invalid(child(path, "operation"), operation, "must be `Apply` or `Update`"));
  const fieldsType = text(fields, "fieldsType");
  if (fieldsType !== "" && fieldsType !== "FieldsV1")
    errors.push(invalid(child(path, "fieldsType"), fieldsType, "must be `FieldsV1`"));
  const manager = text(fields, "manager");
  if (byteLength(manager) > 128) errors.push(tooLong(child(path, "manager"), 128));
  let position = 0;
  for (const character of manager) {
    if (!isPrintable(character))
      errors.push(
        invalid(child(path, "manager"), manager, `invalid character ${runeName(character)} (at position ${position})`),
      );
    position += byteLength(character);
  }
  if (byteLength(text(fields, "subresource")) > 256) errors.push(tooLong(child(path, "subresource"), 256));
  return errors;
}

function runeName(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/** The error of an invalid apiVersion; undefined if it is valid. */
export function apiVersionProblem(apiVersion: string): string | undefined {
  try {
    parseApiVersion(apiVersion);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
