/** Validation of the spec of a PersistentVolumeClaim: standalone, in a pod or in a StatefulSet. */
import type { PersistentVolumeClaimSpec, PersistentVolumeClaimTemplate } from "@capstan/kinds/v1";
import { checkDns1123Label, fieldErrors, isDeepEqual, type FieldError } from "@capstan/model";
import { checkAnnotations, checkLabels } from "../../metadata/check.ts";
import { checkOneOf, checkSubdomain, invalidEach, isEmpty } from "../meta/checks.ts";
import { compareTexts } from "../meta/resource-list.ts";
import { checkAmount, isFractional } from "../meta/resource-name.ts";
import { checkLabelSelector } from "../selector/label-selector.ts";
import { isGiven } from "../given-empty.ts";

const accessModes = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];

/** Checks that an update skips because the stored claim already fails them. */
export interface ClaimLeniency {
  readonly badSelector?: boolean;
  readonly badGroup?: boolean;
}

/** Requires known access modes; ReadWriteOncePod must be the only one. */
export function checkAccessModes(modes: readonly string[], path: string): FieldError[] {
  const errors = modes.flatMap((mode) => checkOneOf(mode, path, accessModes));
  const isExclusive = modes.includes("ReadWriteOncePod");
  const isShared = modes.some((mode) => mode !== "ReadWriteOncePod" && accessModes.includes(mode));
  if (!isExclusive || !isShared) return errors;
  return [...errors, fieldErrors.forbidden(path, "may not use ReadWriteOncePod with other access modes")];
}

export function checkVolumeMode(mode: string | undefined, path: string): FieldError[] {
  return mode === undefined ? [] : checkOneOf(mode, path, ["Block", "Filesystem"]);
}

export function checkClaimSpec(
  spec: PersistentVolumeClaimSpec,
  path: string,
  { badSelector = false, badGroup = false }: ClaimLeniency = {},
): FieldError[] {
  const modes = spec.accessModes ?? [];
  const { storageClassName, volumeAttributesClassName } = spec;
  return [
    ...(modes.length > 0 ? [] : [fieldErrors.required(`${path}.accessModes`, "at least 1 access mode is required")]),
    ...checkLabelSelector(spec.selector, `${path}.selector`, { invalidValues: badSelector }),
    ...checkAccessModes(modes, `${path}.accessModes`),
    ...checkStorage(spec.resources?.requests?.["storage"], `${path}.resources[storage]`),
    ...(isEmpty(storageClassName) ? [] : checkSubdomain(storageClassName, `${path}.storageClassName`)),
    ...checkVolumeMode(spec.volumeMode, `${path}.volumeMode`),
    ...checkSources(spec, path, badGroup),
    ...(isEmpty(volumeAttributesClassName)
      ? []
      : checkSubdomain(volumeAttributesClassName, `${path}.volumeAttributesClassName`)),
  ];
}

function checkStorage(amount: string | undefined, path: string): FieldError[] {
  if (amount === undefined) return [fieldErrors.required(path)];
  if (compareTexts(amount, "0") <= 0) return [fieldErrors.invalid(path, amount, "must be greater than zero")];
  return checkAmount("storage", amount, path);
}

interface Source {
  readonly apiGroup?: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

function checkSources(spec: PersistentVolumeClaimSpec, path: string, badGroup: boolean): FieldError[] {
  const { dataSource, dataSourceRef } = spec;
  const errors = [
    ...(dataSource === undefined ? [] : checkSource(dataSource, `${path}.dataSource`, badGroup)),
    ...(dataSourceRef === undefined ? [] : checkSource(dataSourceRef, `${path}.dataSourceRef`, badGroup)),
  ];
  if (dataSource === undefined || dataSourceRef === undefined) return errors;
  // kube-apiserver passes the path as the value by mistake; a path prints as an empty object.
  if (!isEmpty(dataSourceRef.namespace)) {
    errors.push(fieldErrors.invalid(path, {}, "may not be specified when dataSourceRef.namespace is specified"));
  } else if (!isSameSource(dataSource, dataSourceRef)) {
    errors.push(fieldErrors.invalid(path, {}, "must match dataSourceRef"));
  }
  return errors;
}

function isSameSource(a: Source, b: Source): boolean {
  return isDeepEqual([a.apiGroup ?? null, a.kind, a.name], [b.apiGroup ?? null, b.kind, b.name]);
}

function checkSource({ kind, name, namespace, ...source }: Source, path: string, badGroup: boolean): FieldError[] {
  const apiGroup = source.apiGroup ?? "";
  const errors: FieldError[] = [];
  if (isEmpty(name)) errors.push(fieldErrors.required(`${path}.name`));
  if (isEmpty(kind)) errors.push(fieldErrors.required(`${path}.kind`));
  if (apiGroup === "" && kind !== "PersistentVolumeClaim") {
    const why = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
    errors.push(fieldErrors.invalid(path, kind, why));
  }
  if (apiGroup !== "" && !badGroup) errors.push(...checkSubdomain(apiGroup, `${path}.apiGroup`));
  if (isEmpty(namespace)) return errors;
  return [...errors, ...invalidEach(`${path}.namespace`, namespace, checkDns1123Label(namespace))];
}

const metadataFields = [
  "name",
  "generateName",
  "namespace",
  "selfLink",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "ownerReferences",
  "finalizers",
  "managedFields",
] as const;

/** Checks the claim template of an ephemeral volume. */
export function checkClaimTemplate(template: PersistentVolumeClaimTemplate, path: string): FieldError[] {
  const { metadata = {}, spec } = template;
  return [...checkTemplateMetadata(metadata, `${path}.metadata`), ...checkClaimSpec(spec, `${path}.spec`)];
}

/** The metadata of a template may contain only labels and annotations. */
export function checkTemplateMetadata(
  metadata: NonNullable<PersistentVolumeClaimTemplate["metadata"]>,
  path: string,
): FieldError[] {
  return [
    ...checkAnnotations(metadata.annotations, `${path}.annotations`),
    ...checkLabels(metadata.labels, `${path}.labels`),
    ...metadataFields
      .filter((field) => isGiven(metadata, field) && metadata[field] !== "")
      .map((field) => fieldErrors.forbidden(`${path}.${field === "uid" ? "uID" : field}`, "cannot be set")),
  ];
}

/** Warnings about the quantities of a claim. */
export function claimSpecWarnings({ resources }: PersistentVolumeClaimSpec, path: string): string[] {
  return (["requests", "limits"] as const).flatMap((field) => {
    const amount = resources?.[field]?.["storage"];
    if (amount === undefined || !isFractional(amount)) return [];
    return [`${path}.resources.${field}[storage]: fractional byte value "${amount}" is invalid, must be an integer`];
  });
}
