/** Validation of object metadata: the checks that kube-apiserver makes for every kind. */
import {
  byteLength,
  checkDns1035Label,
  checkDns1123Label,
  checkDns1123Subdomain,
  checkLabelValue,
  checkPathSegment,
  checkQualifiedName,
  fieldErrors,
  isDeepEqual,
  parseApiVersion,
  type FieldError,
  type KubeObject,
  type ObjectMeta,
  type OwnerReference,
} from "@capstan/model";
import type { NameRule } from "../builtin/rules.ts";
import { checkFieldManager } from "../verbs/options.ts";

const maxAnnotationBytes = 256 * 1024;
const maxSubresourceLength = 256;

/** Validates metadata, on create and on update. */
export function checkMetadata(metadata: ObjectMeta, namespaced: boolean, name: NameRule): FieldError[] {
  return [
    ...checkNames(metadata, name),
    ...checkNamespace(metadata.namespace ?? "", namespaced),
    ...checkGeneration(metadata.generation ?? 0),
    ...checkLabels(metadata.labels, "metadata.labels"),
    ...checkAnnotations(metadata.annotations, "metadata.annotations"),
    ...checkOwnerReferences(metadata.ownerReferences ?? []),
    ...checkFinalizers(metadata.finalizers ?? [], "metadata.finalizers"),
    ...checkManagedFields(metadata),
  ];
}

/** Validates a change of metadata. */
export function checkMetadataUpdate(metadata: ObjectMeta, old: ObjectMeta): FieldError[] {
  return [
    ...(old.deletionTimestamp === undefined ? [] : checkNoNewFinalizers(metadata, old)),
    ...((metadata.resourceVersion ?? "") === ""
      ? [fieldErrors.invalid("metadata.resourceVersion", "", "must be specified for an update")]
      : []),
    ...((metadata.generation ?? 0) < (old.generation ?? 0)
      ? [fieldErrors.invalid("metadata.generation", metadata.generation ?? 0, "must not be decremented")]
      : []),
    ...immutableFields.flatMap((field) => checkImmutable(`metadata.${field}`, metadata[field], old[field])),
    ...checkLabels(metadata.labels, "metadata.labels"),
    ...checkAnnotations(metadata.annotations, "metadata.annotations"),
    ...checkOwnerReferences(metadata.ownerReferences ?? []),
    ...checkManagedFields(metadata),
  ];
}

const immutableFields = [
  "name",
  "namespace",
  "uid",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
] as const;

/** Checks that a field is unchanged. */
export function checkImmutable(path: string, value: unknown, old: unknown): FieldError[] {
  if (isDeepEqual(value, old)) return [];
  const shown = path === "metadata.uid" && typeof value === "string" ? fieldErrors.named(value) : (value ?? null);
  return [fieldErrors.invalid(path, shown, "field is immutable")];
}

function checkNames({ name = "", generateName = "" }: ObjectMeta, rule: NameRule): FieldError[] {
  const errors =
    generateName === ""
      ? []
      : checkName(generateName, rule, true).map((why) =>
          fieldErrors.invalid("metadata.generateName", generateName, why),
        );
  if (name === "") return [...errors, fieldErrors.required("metadata.name", "name or generateName is required")];
  return [...errors, ...checkName(name, rule, false).map((why) => fieldErrors.invalid("metadata.name", name, why))];
}

/** Validates a name. A prefix may end with a dash, because a suffix is appended. */
export function checkName(name: string, rule: NameRule, isPrefix: boolean): readonly string[] {
  if (typeof rule === "function") return rule(name, isPrefix);
  const masked = isPrefix && rule !== "path-segment" ? maskTrailingDash(name) : name;
  switch (rule) {
    case "dns-subdomain":
      return checkDns1123Subdomain(masked);
    case "dns-label":
      return checkDns1123Label(masked);
    case "dns-label-1035":
      return checkDns1035Label(masked);
    case "path-segment":
      return isPrefix ? checkPathSegmentPrefix(name) : checkPathSegment(name);
  }
}

function maskTrailingDash(name: string): string {
  return name.length > 1 && name.endsWith("-") ? `${name.slice(0, -2)}a` : name;
}

/** A prefix may be `.`, because a suffix is appended. */
function checkPathSegmentPrefix(name: string): string[] {
  return name === "." || name === ".." ? [] : checkPathSegment(name);
}

function checkNamespace(namespace: string, namespaced: boolean): FieldError[] {
  if (!namespaced) {
    return namespace === "" ? [] : [fieldErrors.forbidden("metadata.namespace", "not allowed on this type")];
  }
  if (namespace === "") return [fieldErrors.required("metadata.namespace")];
  return checkDns1123Label(namespace).map((why) => fieldErrors.invalid("metadata.namespace", namespace, why));
}

function checkGeneration(generation: number): FieldError[] {
  if (generation >= 0) return [];
  return [fieldErrors.invalid("metadata.generation", generation, "must be greater than or equal to 0")];
}

export function checkLabels(labels: { readonly [key: string]: string } | undefined, path: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const key in labels) {
    for (const why of checkQualifiedName(key)) errors.push(fieldErrors.invalid(path, key, why));
    const value = labels[key] ?? "";
    for (const why of checkLabelValue(value)) errors.push(fieldErrors.invalid(path, value, why));
  }
  return errors;
}

export function checkAnnotations(
  annotations: { readonly [key: string]: string } | undefined,
  path: string,
): FieldError[] {
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const key in annotations) {
    for (const why of checkQualifiedName(key.toLowerCase())) errors.push(fieldErrors.invalid(path, key, why));
    bytes += byteLength(key) + byteLength(annotations[key] ?? "");
  }
  if (bytes > maxAnnotationBytes) errors.push(fieldErrors.tooLong(path, maxAnnotationBytes));
  return errors;
}

function checkOwnerReferences(references: readonly OwnerReference[]): FieldError[] {
  const path = "metadata.ownerReferences";
  const errors: FieldError[] = [];
  let controller = "";
  for (const reference of references) {
    errors.push(...checkOwnerReference(reference, path));
    if (reference.controller !== true) continue;
    const current = `${reference.kind}/${reference.name}`;
    if (controller === "") controller = current;
    else errors.push(fieldErrors.invalid(path, references, twoControllers(controller, current)));
  }
  return errors;
}

function twoControllers(first: string, second: string): string {
  return `Only one reference can have Controller set to true. Found "true" in references for ${first} and ${second}`;
}

function checkOwnerReference({ apiVersion, kind, name, uid }: OwnerReference, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { group, version } = groupVersionOf(apiVersion);
  if (version === "") errors.push(fieldErrors.invalid(`${path}.apiVersion`, apiVersion, "version must not be empty"));
  if (kind === "") errors.push(fieldErrors.invalid(`${path}.kind`, kind, "must not be empty"));
  if (name === "") errors.push(fieldErrors.invalid(`${path}.name`, name, "must not be empty"));
  if (uid === "") errors.push(fieldErrors.invalid(`${path}.uid`, uid, "must not be empty"));
  if (group === "" && version === "v1" && kind === "Event") {
    const why = "/v1, Kind=Event is disallowed from being an owner";
    errors.push(fieldErrors.invalid(path, { apiVersion, kind, name, uid }, why));
  }
  return errors;
}

function groupVersionOf(apiVersion: string): { group: string; version: string } {
  try {
    return parseApiVersion(apiVersion);
  } catch {
    return { group: "", version: "" };
  }
}

export function checkFinalizers(finalizers: readonly string[], path: string): FieldError[] {
  const errors = finalizers.flatMap((finalizer) =>
    checkQualifiedName(finalizer).map((why) => fieldErrors.invalid(path, finalizer, why)),
  );
  if (finalizers.includes("orphan") && finalizers.includes("foregroundDeletion")) {
    const why = "finalizer orphan and foregroundDeletion cannot be both set";
    errors.push(fieldErrors.invalid(path, finalizers, why));
  }
  return errors;
}

function checkNoNewFinalizers({ finalizers = [] }: ObjectMeta, old: ObjectMeta): FieldError[] {
  const known = new Set(old.finalizers);
  const added = [...new Set(finalizers)].filter((finalizer) => !known.has(finalizer)).sort();
  if (added.length === 0) return [];
  const list = added.map((finalizer) => JSON.stringify(finalizer)).join(", ");
  const why = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`;
  return [fieldErrors.forbidden("metadata.finalizers", why)];
}

function checkManagedFields({ managedFields = [] }: ObjectMeta): FieldError[] {
  return managedFields.flatMap(({ operation, fieldsType, manager, subresource }, index) => {
    const path = `metadata.managedFields[${index}]`;
    const errors: FieldError[] = [];
    if (operation !== "Apply" && operation !== "Update") {
      errors.push(fieldErrors.invalid(`${path}.operation`, operation ?? "", "must be `Apply` or `Update`"));
    }
    if (fieldsType !== undefined && fieldsType !== "FieldsV1") {
      errors.push(fieldErrors.invalid(`${path}.fieldsType`, fieldsType, "must be `FieldsV1`"));
    }
    errors.push(...checkFieldManager(manager ?? "", `${path}.manager`));
    if ((subresource ?? "").length > maxSubresourceLength) {
      errors.push(fieldErrors.tooLong(`${path}.subresource`, maxSubresourceLength));
    }
    return errors;
  });
}

const standardFinalizers = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

/** Built-in kinds accept only the standard finalizers and those with a domain. */
export function checkStandardFinalizers({ finalizers = [] }: ObjectMeta): FieldError[] {
  return finalizers.flatMap((finalizer, index) => {
    if (finalizer.includes("/") || standardFinalizers.has(finalizer)) return [];
    const why = "name is neither a standard finalizer name nor is it fully qualified";
    return [fieldErrors.invalid(`metadata.finalizers[${index}]`, finalizer, why)];
  });
}

/** All checks of a new built-in object, like the calls of `ValidateObjectMeta` in the validation of a kind. */
export function checkObjectMetadata(object: KubeObject, namespaced: boolean, name: NameRule): FieldError[] {
  return [...checkMetadata(object.metadata, namespaced, name), ...checkStandardFinalizers(object.metadata)];
}
