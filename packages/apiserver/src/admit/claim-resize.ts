/** PersistentVolumeClaimResize: a claim may grow only if it is bound and its storage class allows expansion. */
import type { StorageClass } from "@capstan/kinds/storage.k8s.io/v1";
import type { PersistentVolumeClaim } from "@capstan/kinds/v1";
import { compareQuantities, parseQuantity } from "@capstan/model";
import type { Lookup } from "../builtin/context.ts";
import type { AdmissionContext, AdmissionRequest, AdmissionStep } from "./admission.ts";
import { isFor, objectOf, oldObjectOf, refusal } from "./target.ts";

export const persistentVolumeClaimResize: AdmissionStep = {
  name: "PersistentVolumeClaimResize",
  handles: (operation) => operation === "UPDATE",
  validate,
};

function validate(request: AdmissionRequest, { lookup }: AdmissionContext): void {
  if (!isFor(request, "persistentvolumeclaims")) return;
  const claim = objectOf<PersistentVolumeClaim>(request);
  const old = oldObjectOf<PersistentVolumeClaim>(request);
  if (compareQuantities(sizeOf(claim), sizeOf(old)) <= 0) return;
  if (old.status?.phase !== "Bound") throw refusal(request, "Only bound persistent volume claims can be expanded");
  if (!canGrow(classOf(claim), classOf(old), lookup)) {
    const why =
      "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize";
    throw refusal(request, why);
  }
}

function sizeOf({ spec }: PersistentVolumeClaim): ReturnType<typeof parseQuantity> {
  return parseQuantity(spec?.resources?.requests?.["storage"] ?? "0");
}

function classOf({ metadata, spec }: PersistentVolumeClaim): string {
  return metadata.annotations?.["volume.beta.kubernetes.io/storage-class"] ?? spec?.storageClassName ?? "";
}

function canGrow(name: string, oldName: string, lookup: Lookup): boolean {
  if (name === "" || name !== oldName) return false;
  const found = lookup.get("storageclasses.storage.k8s.io", name) as StorageClass | undefined;
  return found?.allowVolumeExpansion === true;
}
