/** Validation of an inline volume of a VolumeAttachment: a CSI volume with a filesystem, without fields that refer to other objects. */
import type { PersistentVolumeSpec } from "@capstan/kinds/v1";
import { fieldErrors, type FieldError } from "@capstan/model";
import { checkVolumeSource } from "../core/persistent-volume-source.ts";
import { isEmpty } from "../meta/checks.ts";
import { checkAccessModes } from "../pod-template/claim-spec.ts";

const context = "in the context of inline volumes";

export function checkInlineVolume(spec: PersistentVolumeSpec, path: string): FieldError[] {
  const { claimRef, capacity = {}, csi, accessModes = [], nodeAffinity, storageClassName, volumeMode } = spec;
  const policy = spec.persistentVolumeReclaimPolicy;
  const misplaced = (field: string): FieldError =>
    fieldErrors.forbidden(`${path}.${field}`, `may not be specified ${context}`);
  return [
    ...(claimRef === undefined ? [] : [misplaced("claimRef")]),
    ...(Object.keys(capacity).length === 0 ? [] : [misplaced("capacity")]),
    ...(csi === undefined ? [fieldErrors.required(`${path}.csi`, `has to be specified ${context}`)] : []),
    ...(accessModes.length === 0 ? [fieldErrors.required(`${path}.accessModes`)] : []),
    ...checkAccessModes(accessModes, `${path}.accessModes`),
    ...(isEmpty(policy) || policy === "Retain"
      ? []
      : [fieldErrors.forbidden(`${path}.persistentVolumeReclaimPolicy`, `may only be Retain ${context}`)]),
    ...(nodeAffinity === undefined ? [] : [misplaced("nodeAffinity")]),
    ...checkVolumeSource(spec, path, ""),
    ...(isEmpty(storageClassName) ? [] : [misplaced("storageClassName")]),
    ...(volumeMode === undefined || volumeMode === "Filesystem"
      ? []
      : [fieldErrors.forbidden(`${path}.volumeMode`, `may not specify volumeMode other than Filesystem ${context}`)]),
  ];
}
