/** Defaults of volumes, by type. */
import type { PersistentVolumeClaimSpec, ProjectedVolumeSource, Volume } from "@capstan/kinds/v1";
import type { Draft } from "../draft.ts";
import { isEmpty } from "../meta/checks.ts";
import { roundQuantities } from "../meta/resource-list.ts";
import { defaultPullPolicy } from "./image-name.ts";

type DraftVolume = Draft<Volume>;

/** The mode of files from secrets, config maps and the downward API: 0644. */
const fileMode = 0o644;

/** A volume without a source is an emptyDir. */
export function defaultVolume(volume: DraftVolume): void {
  if (Object.keys(volume).every((field) => field === "name")) volume.emptyDir = {};
  if (volume.image !== undefined && isEmpty(volume.image.pullPolicy)) {
    volume.image.pullPolicy = defaultPullPolicy(volume.image.reference ?? "");
  }
  defaultFiles(volume);
  defaultDisks(volume);
  if (volume.ephemeral?.volumeClaimTemplate !== undefined) defaultClaimSpec(volume.ephemeral.volumeClaimTemplate.spec);
}

function defaultFiles(volume: DraftVolume): void {
  if (volume.hostPath !== undefined) volume.hostPath.type ??= "";
  if (volume.secret !== undefined) volume.secret.defaultMode ??= fileMode;
  if (volume.configMap !== undefined) volume.configMap.defaultMode ??= fileMode;
  if (volume.downwardAPI !== undefined) {
    volume.downwardAPI.defaultMode ??= fileMode;
    defaultFieldRefs(volume.downwardAPI.items);
  }
  if (volume.projected !== undefined) defaultProjected(volume.projected);
}

function defaultProjected(projected: Draft<ProjectedVolumeSource>): void {
  projected.defaultMode ??= fileMode;
  for (const { downwardAPI, serviceAccountToken } of projected.sources ?? []) {
    defaultFieldRefs(downwardAPI?.items);
    if (serviceAccountToken !== undefined) serviceAccountToken.expirationSeconds ??= 3600;
  }
}

function defaultFieldRefs(items: NonNullable<DraftVolume["downwardAPI"]>["items"]): void {
  for (const { fieldRef } of items ?? []) {
    if (fieldRef !== undefined && isEmpty(fieldRef.apiVersion)) fieldRef.apiVersion = "v1";
  }
}

function defaultDisks({ iscsi, rbd, azureDisk, scaleIO }: DraftVolume): void {
  if (iscsi !== undefined) defaultIscsi(iscsi);
  if (rbd !== undefined) defaultRbd(rbd);
  if (azureDisk !== undefined) defaultAzureDisk(azureDisk);
  if (scaleIO === undefined) return;
  if (isEmpty(scaleIO.storageMode)) scaleIO.storageMode = "ThinProvisioned";
  if (isEmpty(scaleIO.fsType)) scaleIO.fsType = "xfs";
}

export function defaultIscsi(iscsi: { iscsiInterface?: string }): void {
  if (isEmpty(iscsi.iscsiInterface)) iscsi.iscsiInterface = "default";
}

export function defaultRbd(rbd: { pool?: string; user?: string; keyring?: string }): void {
  if (isEmpty(rbd.pool)) rbd.pool = "rbd";
  if (isEmpty(rbd.user)) rbd.user = "admin";
  if (isEmpty(rbd.keyring)) rbd.keyring = "/etc/ceph/keyring";
}

export function defaultAzureDisk(disk: Draft<NonNullable<Volume["azureDisk"]>>): void {
  disk.cachingMode ??= "ReadWrite";
  disk.fsType ??= "ext4";
  disk.readOnly ??= false;
  disk.kind ??= "Shared";
}

/** Defaults of the spec of a claim: standalone, in a pod or in a StatefulSet. */
export function defaultClaimSpec(spec: Draft<PersistentVolumeClaimSpec>): void {
  spec.volumeMode ??= "Filesystem";
  roundQuantities(spec.resources?.limits);
  roundQuantities(spec.resources?.requests);
}
