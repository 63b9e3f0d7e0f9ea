/** PersistentVolumeClaim: a request for storage and its status. */
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from "@capstan/kinds/v1";
import { cloneJson, fieldErrors, isDeepEqual, type FieldError } from "@capstan/model";
import type { Draft } from "../draft.ts";
import { onlyCommonFields } from "../meta/field-labels.ts";
import { checkQualified, checkSamePointer, isEmpty } from "../meta/checks.ts";
import { internalDiff } from "../meta/internal-form.ts";
import { checkNamespaced } from "../meta/metadata.ts";
import { compareTexts, roundQuantities } from "../meta/resource-list.ts";
import { checkAmount, isNativeResource } from "../meta/resource-name.ts";
import { dropField, keepField, statusView } from "../meta/status.ts";
import { checkClaimSpec, claimSpecWarnings, type ClaimLeniency } from "../pod-template/claim-spec.ts";
import { defaultClaimSpec } from "../pod-template/volume-defaults.ts";
import { defineRules, type KindRules } from "../rules.ts";
import { checkLabelSelector } from "../selector/label-selector.ts";
import { ageOf, orUnset } from "../table/cells.ts";
import { checkWholeAmount } from "./persistent-volume.ts";
import { accessModesCell, classAnnotation } from "./storage-cells.ts";
import { cloneDraft } from "../given-empty.ts";

export const persistentVolumeClaimRules: KindRules<PersistentVolumeClaim> = defineRules<PersistentVolumeClaim>({
  defaults(draft) {
    draft.status ??= {};
    if (isEmpty(draft.status.phase)) draft.status.phase = "Pending";
    defaultClaimSpec((draft.spec ??= {}));
    roundQuantities(draft.status.capacity);
    roundQuantities(draft.status.allocatedResources);
  },
  prepareForCreate(draft) {
    dropField(draft, "status");
    prepareSources((draft.spec ??= {}));
  },
  readBack(draft) {
    draft.status = { phase: "Pending" };
  },
  prepareForUpdate(draft, old) {
    keepField(draft, old, "status");
    prepareSources((draft.spec ??= {}), old.spec);
  },
  validateCreate: (claim) => [...checkClaimSpec(claim.spec ?? {}, "spec")],
  validateUpdate: (claim, old) => [
    ...checkNamespaced(claim),
    ...checkClaimSpec(claim.spec ?? {}, "spec", leniencyAfter(old)),
    ...checkChange(claim, old),
  ],
  warnings: ({ metadata, spec = {} }) => [
    ...(metadata.annotations?.[classAnnotation] === undefined
      ? []
      : [`metadata.annotations[${classAnnotation}]: deprecated since v1.8; use "storageClassName" attribute instead`]),
    ...claimSpecWarnings(spec, "spec"),
  ],
  resetFields: ["status"],
  deletion: { returnsObject: true },
  unknownField: onlyCommonFields,
  subresources: {
    status: statusView<PersistentVolumeClaim>({
      validate: (claim) => [...checkStatus(claim)],
    }),
  },
  table: { row: (claim, now) => ({ cells: cellsOf(claim, now) }) },
});

/** dataSource may name only claims and snapshots; other sources need dataSourceRef. Afterwards both fields have the same value. */
function prepareSources(spec: Draft<PersistentVolumeClaimSpec>, old: PersistentVolumeClaimSpec = {}): void {
  if (!isEmpty(spec.dataSourceRef?.namespace) && old.dataSourceRef === undefined) delete spec.dataSourceRef;
  const isFree = old.dataSource === undefined && old.dataSourceRef === undefined;
  if (isFree && spec.dataSourceRef === undefined && !isPlainSource(spec.dataSource)) delete spec.dataSource;
  mirrorSources(spec);
}

function mirrorSources(spec: Draft<PersistentVolumeClaimSpec>): void {
  const { dataSource, dataSourceRef } = spec;
  if (dataSource !== undefined && dataSourceRef === undefined) spec.dataSourceRef = { ...dataSource };
  if (dataSource === undefined && dataSourceRef !== undefined && isEmpty(dataSourceRef.namespace)) {
    const { namespace: _none, ...local } = dataSourceRef;
    spec.dataSource = local;
  }
}

function isPlainSource(source: PersistentVolumeClaimSpec["dataSource"]): boolean {
  const group = source?.apiGroup ?? "";
  return (
    (source?.kind === "PersistentVolumeClaim" && group === "") ||
    (source?.kind === "VolumeSnapshot" && group === "snapshot.storage.k8s.io")
  );
}

function leniencyAfter({ spec = {} }: PersistentVolumeClaim): ClaimLeniency {
  return {
    badGroup: spec.dataSource?.apiGroup !== undefined || spec.dataSourceRef?.apiGroup !== undefined,
    badSelector: checkLabelSelector(spec.selector, "").length > 0,
  };
}

function checkChange(claim: PersistentVolumeClaim, old: PersistentVolumeClaim): FieldError[] {
  const { spec = {} } = claim;
  return [
    ...checkClassAnnotation(claim, old),
    ...checkSpecChange(claim, old),
    ...checkSize(spec, old),
    ...checkSamePointer(spec.volumeMode, old.spec?.volumeMode, "volumeMode"),
    ...checkAttributesChange(spec, old),
  ];
}

function annotatedClass({ metadata }: PersistentVolumeClaim): string | undefined {
  return metadata.annotations?.[classAnnotation];
}

/** Whether the class moves from the annotation to the field. */
function movesClass(claim: PersistentVolumeClaim, old: PersistentVolumeClaim): boolean {
  const before = annotatedClass(old);
  const after = annotatedClass(claim);
  return (
    before !== undefined &&
    old.spec?.storageClassName === undefined &&
    claim.spec?.storageClassName === before &&
    (after === undefined || after === before)
  );
}

function checkClassAnnotation(claim: PersistentVolumeClaim, old: PersistentVolumeClaim): FieldError[] {
  if (movesClass(claim, old)) return [];
  const [now, before] = [annotatedClass(claim) ?? "", annotatedClass(old) ?? ""];
  if (now === before) return [];
  return [fieldErrors.invalid(`metadata.annotations.${classAnnotation}`, now, "field is immutable")];
}

/** Once bound, a claim may grow and change its attributes class. All other fields are immutable. */
function checkSpecChange(claim: PersistentVolumeClaim, old: PersistentVolumeClaim): FieldError[] {
  const before = cloneJson(old.spec ?? {});
  const after = cloneDraft(claim.spec ?? {});
  if (isEmpty(before.volumeName) && after.volumeName !== undefined) before.volumeName = after.volumeName;
  const gainsClass =
    before.storageClassName === undefined &&
    (annotatedClass(old) === undefined || annotatedClass(old) === after.storageClassName);
  if (movesClass(claim, old) || gainsClass) delete after.storageClassName;
  if (claim.status?.phase === "Bound") allowGrowth(after, before);
  if (isDeepEqual(after, before)) return [];
  const why =
    "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
  const diff = internalDiff("PersistentVolumeClaimSpec", before, after);
  return [fieldErrors.forbidden("spec", `${why}\n${diff}`)];
}

function allowGrowth(after: Draft<PersistentVolumeClaimSpec>, before: PersistentVolumeClaimSpec): void {
  const size = before.resources?.requests?.["storage"];
  if (after.resources?.requests !== undefined && size !== undefined) after.resources.requests["storage"] = size;
  if (before.volumeAttributesClassName === undefined) delete after.volumeAttributesClassName;
  else after.volumeAttributesClassName = before.volumeAttributesClassName;
}

function sizeOf({ resources }: PersistentVolumeClaimSpec): string {
  return resources?.requests?.["storage"] ?? "0";
}

/** A requested size that could not be satisfied may shrink again, but not to or below the current capacity. */
function checkSize(spec: PersistentVolumeClaimSpec, { spec: old = {}, status }: PersistentVolumeClaim): FieldError[] {
  if (compareTexts(sizeOf(spec), sizeOf(old)) >= 0) return [];
  if (compareTexts(sizeOf(spec), status?.capacity?.["storage"] ?? "0") > 0) return [];
  return [fieldErrors.forbidden("spec.resources.requests.storage", "field can not be less than status.capacity")];
}

function checkAttributesChange(
  { volumeAttributesClassName: now }: PersistentVolumeClaimSpec,
  { spec, status }: PersistentVolumeClaim,
): FieldError[] {
  if (now === spec?.volumeAttributesClassName || status?.currentVolumeAttributesClassName === undefined) return [];
  if (!isEmpty(now)) return [];
  const what = now === undefined ? "nil" : "empty string";
  const why = `update to ${what} is forbidden when status.currentVolumeAttributesClassName is not nil`;
  return [fieldErrors.forbidden("spec.volumeAttributesClassName", why)];
}

const resizeStatuses = [
  "ControllerResizeInProgress",
  "ControllerResizeInfeasible",
  "NodeResizeInProgress",
  "NodeResizeInfeasible",
  "NodeResizePending",
].sort();

function checkStatus({ spec, status = {} }: PersistentVolumeClaim): FieldError[] {
  const errors: FieldError[] = [];
  if ((spec?.accessModes ?? []).length === 0) errors.push(fieldErrors.required("Spec.accessModes"));
  for (const [name, amount] of Object.entries(status.capacity ?? {})) {
    errors.push(...checkWholeAmount(amount, `status.capacity[${name}]`));
  }
  for (const [name, state] of Object.entries(status.allocatedResourceStatuses ?? {})) {
    errors.push(...checkResourceKey(name, "status.allocatedResourceStatuses"));
    if (!resizeStatuses.includes(state)) {
      errors.push(fieldErrors.notSupportedName("status.allocatedResourceStatuses", name, resizeStatuses));
    }
  }
  for (const [name, amount] of Object.entries(status.allocatedResources ?? {})) {
    errors.push(...checkAllocated(name, amount));
  }
  return errors;
}

function checkAllocated(name: string, amount: string): FieldError[] {
  const badKey = checkResourceKey(name, "status.allocatedResources");
  if (badKey.length > 0) return badKey;
  const path = `status.allocatedResources[${name}]`;
  const badAmount = checkWholeAmount(amount, path);
  return badAmount.length > 0 ? badAmount : checkAmount("storage", amount, path);
}

function checkResourceKey(name: string, path: string): FieldError[] {
  const malformed = checkQualified(name, path);
  if (malformed.length > 0 || !isNativeResource(name) || name === "storage") return malformed;
  return [fieldErrors.notSupportedName(path, name, ["storage"])];
}

function cellsOf(claim: PersistentVolumeClaim, now: number): string[] {
  const { metadata, spec = {}, status = {} } = claim;
  const [capacity, modes] = isEmpty(spec.volumeName)
    ? ["", ""]
    : [status.capacity?.["storage"] ?? "0", accessModesCell(status.accessModes ?? [])];
  return [
    metadata.name ?? "",
    metadata.deletionTimestamp === undefined ? (status.phase ?? "") : "Terminating",
    spec.volumeName ?? "",
    capacity,
    modes,
    metadata.annotations?.[classAnnotation] ?? spec.storageClassName ?? "",
    orUnset(spec.volumeAttributesClassName),
    ageOf(claim, now),
    orUnset(spec.volumeMode),
  ];
}
