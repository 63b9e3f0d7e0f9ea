/** Which volume matches a claim. Pure. */
import type { PersistentVolume, PersistentVolumeClaim } from "@capstan/kinds/v1";
import { compareQuantities, fromLabelSelectorObject, matchesLabels, parseQuantity } from "@capstan/model";

/** The storage class of a claim or volume. */
export function classOf({ metadata, spec }: PersistentVolumeClaim | PersistentVolume): string {
  return spec?.storageClassName ?? metadata.annotations?.["volume.beta.kubernetes.io/storage-class"] ?? "";
}

/** Whether a volume is reserved for, or bound to, a claim. */
export function isBoundTo({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const claim = spec?.claimRef;
  if (claim === undefined || claim.name !== metadata.name || claim.namespace !== metadata.namespace) return false;
  return claim.uid === undefined || claim.uid === metadata.uid;
}

/** The best volume for a claim: one reserved for it, or the smallest that is large enough. */
export function findMatchingVolume(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
): PersistentVolume | undefined {
  const reserved = volumes.find((volume) => isBoundTo(volume, claim));
  if (reserved !== undefined) return reserved;
  const named = claim.spec?.volumeName ?? "";
  if (named !== "")
    return volumes.find(({ metadata, spec }) => metadata.name === named && spec?.claimRef === undefined);
  return volumes
    .filter((volume) => matchesClaim(volume, claim))
    .sort((a, b) => compareQuantities(capacityOf(a), capacityOf(b)) || (a.metadata.name < b.metadata.name ? -1 : 1))[0];
}

function matchesClaim(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  return (
    isUnbound(volume) &&
    classOf(volume) === classOf(claim) &&
    hasModes(volume, claim) &&
    isSelected(volume, claim) &&
    compareQuantities(capacityOf(volume), requestOf(claim)) >= 0
  );
}

function isUnbound({ metadata, spec, status }: PersistentVolume): boolean {
  const isUnused = status?.phase === undefined || status.phase === "Available" || status.phase === "Pending";
  return isUnused && spec?.claimRef === undefined && metadata.deletionTimestamp === undefined;
}

function hasModes({ spec }: PersistentVolume, { spec: wanted }: PersistentVolumeClaim): boolean {
  const isOfMode = (spec?.volumeMode ?? "Filesystem") === (wanted?.volumeMode ?? "Filesystem");
  return isOfMode && (wanted?.accessModes ?? []).every((mode) => spec?.accessModes?.includes(mode) === true);
}

function isSelected({ metadata }: PersistentVolume, { spec }: PersistentVolumeClaim): boolean {
  return spec?.selector === undefined || matchesLabels(fromLabelSelectorObject(spec.selector), metadata.labels);
}

/** The capacity of a volume. */
export function capacityOf({ spec }: PersistentVolume): ReturnType<typeof parseQuantity> {
  return parseQuantity(String(spec?.capacity?.["storage"] ?? "0"));
}

/** The storage request of a claim. */
export function requestOf({ spec }: PersistentVolumeClaim): ReturnType<typeof parseQuantity> {
  return parseQuantity(String(spec?.resources?.requests?.["storage"] ?? "0"));
}

/** The capacity of a claim as its status reports it. */
export function sizeOf({ status }: PersistentVolumeClaim): ReturnType<typeof parseQuantity> {
  return parseQuantity(String(status?.capacity?.["storage"] ?? "0"));
}
