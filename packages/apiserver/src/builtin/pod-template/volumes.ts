/** Validation of the volumes of a pod. */
import type { Volume } from "@capstan/kinds/v1";
import { checkDns1123Subdomain, fieldErrors, quote, type FieldError } from "@capstan/model";
import { checkLabelName, checkPresent, invalidEach, isEmpty, requireOneOf } from "../meta/checks.ts";
import { isNegative } from "../meta/resource-list.ts";
import { checkClaimTemplate } from "./claim-spec.ts";
import type { PodLeniency } from "./leniency.ts";
import { checkFileMode } from "./paths.ts";
import { checkDownwardFile, checkProjected } from "./projected-volume.ts";
import {
  checkAzureDisk,
  checkDriverName,
  checkFibreChannel,
  checkFields,
  checkFlex,
  checkFlocker,
  checkHostPath,
  checkIscsi,
  checkItems,
  checkNfs,
  checkPartition,
  checkPortalName,
  checkQuobyte,
  checkSecretName,
  checkStorageOs,
} from "./volume-sources.ts";

/** Valid volumes by name. A mount of an invalid volume is reported as not found. */
export type KnownVolumes = ReadonlyMap<string, Volume>;

interface Place {
  readonly path: string;
  /** The name of the pod; empty for templates. */
  readonly podName: string;
  readonly leniency: PodLeniency;
}

/** Checks all volumes and returns those that can be mounted. */
export function checkVolumes(volumes: readonly Volume[], place: Place): [known: KnownVolumes, errors: FieldError[]] {
  const known = new Map<string, Volume>();
  const errors: FieldError[] = [];
  const made = new Set(
    volumes.filter(({ ephemeral }) => ephemeral !== undefined).map(({ name }) => `${place.podName}-${name}`),
  );
  volumes.forEach((volume, index) => {
    const path = `${place.path}[${index}]`;
    const found = checkVolume(volume, { ...place, path }, known);
    errors.push(...found);
    if (found.length === 0) known.set(volume.name, volume);
    const claim = volume.persistentVolumeClaim?.claimName ?? "";
    if (volume.persistentVolumeClaim !== undefined && place.podName !== "" && made.has(claim)) {
      const why = "must not reference a PVC that gets created for an ephemeral volume";
      errors.push(fieldErrors.invalid(`${path}.persistentVolumeClaim.claimName`, claim, why));
    }
  });
  return [known, errors];
}

function checkVolume(volume: Volume, place: Place, known: KnownVolumes): FieldError[] {
  const namePath = `${place.path}.name`;
  const errors = checkVolumeSource(volume, place);
  errors.push(...(volume.name === "" ? [fieldErrors.required(namePath)] : checkLabelName(volume.name, namePath)));
  if (known.has(volume.name)) errors.push(fieldErrors.duplicate(namePath, volume.name));
  return errors;
}

type SourceCheck = (volume: Volume, path: string, place: Place) => FieldError[];

/** A volume source: its field, its path in the error about a second source, and its check. */
interface SourceRule {
  readonly field: keyof Volume;
  readonly shown?: string;
  readonly check: SourceCheck;
}

function rule<F extends keyof Volume>(
  field: F,
  check: (source: Exclude<Volume[F], undefined>, path: string, place: Place) => FieldError[],
  { at = field, shown = field }: { at?: string; shown?: string } = {},
): SourceRule {
  return {
    field,
    shown,
    check(volume, path, place) {
      const source = volume[field];
      return source === undefined ? [] : check(source as Exclude<Volume[F], undefined>, `${path}.${at}`, place);
    },
  };
}

function needs<F extends keyof Volume>(field: F, ...fields: readonly string[]): SourceRule {
  return rule(field, (source, path) => checkFields(source as object, path, fields));
}

/** In the order in which kube-apiserver checks them; some of its paths differ from the field. */
const sourceRules: readonly SourceRule[] = [
  rule("emptyDir", ({ sizeLimit }, path) =>
    sizeLimit !== undefined && isNegative(sizeLimit)
      ? [fieldErrors.forbidden(`${path}.sizeLimit`, "SizeLimit field must be a valid resource quantity")]
      : [],
  ),
  rule("hostPath", checkHostPath),
  rule("gitRepo", ({ repository, directory = "" }, path) => [
    ...checkPresent(repository, `${path}.repository`),
    ...checkDirectory(directory, `${path}.directory`),
  ]),
  rule(
    "gcePersistentDisk",
    (disk, path) => [...checkFields(disk, path, ["pdName"]), ...checkPartition(disk.partition, path)],
    { at: "persistentDisk" },
  ),
  rule("awsElasticBlockStore", (disk, path) => [
    ...checkFields(disk, path, ["volumeID"]),
    ...checkPartition(disk.partition, path),
  ]),
  rule("secret", ({ secretName, defaultMode, items = [] }, path) => [
    ...checkPresent(secretName, `${path}.secretName`),
    ...checkFileMode(defaultMode, `${path}.defaultMode`),
    ...checkItems(items, `${path}.items`),
  ]),
  rule("nfs", checkNfs),
  rule("iscsi", checkIscsi),
  needs("glusterfs", "endpoints", "path"),
  rule("flocker", checkFlocker),
  needs("persistentVolumeClaim", "claimName"),
  needs("rbd", "monitors", "image"),
  rule("cinder", (disk, path) => [...checkFields(disk, path, ["volumeID"]), ...checkSecretName(disk.secretRef, path)]),
  rule("cephfs", (source, path) => checkFields(source, path, ["monitors"]), { shown: "cephFS" }),
  rule("quobyte", checkQuobyte),
  rule(
    "downwardAPI",
    ({ defaultMode, items = [] }, path) => [
      ...checkFileMode(defaultMode, `${path}.defaultMode`),
      ...items.flatMap((item) => checkDownwardFile(item, path)),
    ],
    { shown: "downwarAPI" },
  ),
  rule("fc", checkFibreChannel),
  rule("flexVolume", checkFlex),
  rule("configMap", ({ name, defaultMode, items = [] }, path) => [
    ...checkPresent(name, `${path}.name`),
    ...checkFileMode(defaultMode, `${path}.defaultMode`),
    ...checkItems(items, `${path}.items`),
  ]),
  needs("azureFile", "secretName", "shareName"),
  needs("vsphereVolume", "volumePath"),
  needs("photonPersistentDisk", "pdID"),
  needs("portworxVolume", "volumeID"),
  rule("azureDisk", checkAzureDisk),
  rule("storageos", (source, path) => [...checkStorageOs(source, path), ...checkSecretName(source.secretRef, path)]),
  rule("projected", (source, path, { leniency }) => checkProjected(source, path, leniency)),
  needs("scaleIO", "gateway", "system", "volumeName"),
  rule("csi", ({ driver, nodePublishSecretRef: secret }, path) => [
    ...checkDriverName(driver, `${path}.driver`),
    ...(secret === undefined ? [] : checkPublishSecret(secret.name, path)),
  ]),
  rule("ephemeral", ({ volumeClaimTemplate: template }, path) =>
    template === undefined
      ? [fieldErrors.required(`${path}.volumeClaimTemplate`)]
      : checkClaimTemplate(template, `${path}.volumeClaimTemplate`),
  ),
  rule("image", ({ reference, pullPolicy }, path, { leniency }) => [
    ...(leniency.isPod === true ? checkPresent(reference, `${path}.reference`) : []),
    ...requireOneOf(pullPolicy, `${path}.pullPolicy`, ["Always", "IfNotPresent", "Never"]),
  ]),
];

function checkDirectory(directory: string, path: string): FieldError[] {
  return [
    ...(directory.startsWith("/") ? [fieldErrors.invalid(path, directory, "must be a relative path")] : []),
    ...(directory.split("/").includes("..") ? [fieldErrors.invalid(path, directory, "must not contain '..'")] : []),
  ];
}

function checkPublishSecret(name: string | undefined, path: string): FieldError[] {
  if (isEmpty(name)) return [fieldErrors.required(`${path}.nodePublishSecretRef.name`)];
  return invalidEach(`${path}.name`, name, checkDns1123Subdomain(name));
}

function checkVolumeSource(volume: Volume, place: Place): FieldError[] {
  const errors: FieldError[] = [];
  let count = 0;
  for (const { field, shown = field, check } of sourceRules) {
    if (volume[field] === undefined) continue;
    if (count > 0)
      errors.push(fieldErrors.forbidden(`${place.path}.${shown}`, "may not specify more than 1 volume type"));
    else errors.push(...check(volume, place.path, place));
    if (field === "iscsi" && volume.iscsi !== undefined) {
      errors.push(...checkPortalName(volume.name, volume.iscsi, place.path));
    }
    if (field === "ephemeral" && count === 0) errors.push(...checkMadeClaimName(volume.name, place));
    count++;
  }
  if (count === 0) errors.push(fieldErrors.required(place.path, "must specify a volume type"));
  return errors;
}

/** The claim of an ephemeral volume is named after pod and volume. */
function checkMadeClaimName(name: string, { podName, path }: Place): FieldError[] {
  if (podName === "" || name === "") return [];
  const claim = `${podName}-${name}`;
  return checkDns1123Subdomain(claim).map((why) =>
    fieldErrors.invalid(`${path}.name`, name, `PVC name ${quote(claim)}: ${why}`),
  );
}
