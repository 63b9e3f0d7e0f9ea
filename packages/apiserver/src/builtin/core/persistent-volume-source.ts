/** Validation of the source of a persistent volume. Most sources are those of pods; some have secret references with a namespace. */
import type { CSIPersistentVolumeSource, ISCSIPersistentVolumeSource, PersistentVolumeSpec } from "@capstan/kinds/v1";
import { byteLength, checkDns1123Label, fieldErrors, type FieldError } from "@capstan/model";
import { checkLabelName, checkPresent, checkSubdomain, invalidEach, isEmpty } from "../meta/checks.ts";
import { checkNoBacksteps } from "../pod-template/paths.ts";
import {
  checkAzureDisk,
  checkDriverName,
  checkFibreChannel,
  checkFields,
  checkFlex,
  checkFlocker,
  checkHostPath,
  checkInitiator,
  checkLun,
  checkNfs,
  checkPartition,
  checkQuobyte,
  checkStorageOs,
} from "../pod-template/volume-sources.ts";

/** The fields of a spec that are sources, in the order of Go's type. */
const sourceFields = [
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "hostPath",
  "glusterfs",
  "nfs",
  "rbd",
  "quobyte",
  "iscsi",
  "flexVolume",
  "cinder",
  "cephfs",
  "fc",
  "flocker",
  "azureFile",
  "vsphereVolume",
  "azureDisk",
  "photonPersistentDisk",
  "portworxVolume",
  "scaleIO",
  "local",
  "storageos",
  "csi",
] as const;

/** One of them. */
export type SourceField = (typeof sourceFields)[number];

/** A spec with the source fields only. */
export function sourceOf(spec: PersistentVolumeSpec): PersistentVolumeSpec {
  const entries = sourceFields.filter((field) => spec[field] !== undefined).map((field) => [field, spec[field]]);
  return Object.fromEntries(entries) as PersistentVolumeSpec;
}

type SourceCheck = (spec: PersistentVolumeSpec, path: string, name: string) => FieldError[];

interface SourceRule {
  readonly field: SourceField;
  readonly shown: string;
  readonly check: SourceCheck;
}

function rule<F extends SourceField>(
  field: F,
  check: (source: Exclude<PersistentVolumeSpec[F], undefined>, path: string, name: string) => FieldError[],
  { at = field, shown = field }: { at?: string; shown?: string } = {},
): SourceRule {
  return {
    field,
    shown,
    check(spec, path, name) {
      const source = spec[field];
      return source === undefined
        ? []
        : check(source as Exclude<PersistentVolumeSpec[F], undefined>, `${path}.${at}`, name);
    },
  };
}

function needs(field: SourceField, ...fields: readonly string[]): SourceRule {
  return rule(field, (source, path) => checkFields(source as object, path, fields));
}

/** In the order in which kube-apiserver checks them. */
const sourceRules: readonly SourceRule[] = [
  rule("hostPath", checkHostPath),
  rule(
    "gcePersistentDisk",
    (disk, path) => [...checkFields(disk, path, ["pdName"]), ...checkPartition(disk.partition, path)],
    { at: "persistentDisk" },
  ),
  rule("awsElasticBlockStore", (disk, path) => [
    ...checkFields(disk, path, ["volumeID"]),
    ...checkPartition(disk.partition, path),
  ]),
  rule("glusterfs", (source, path) => [
    ...checkFields(source, path, ["endpoints", "path"]),
    ...checkEndpointsNamespace(source.endpointsNamespace, `${path}.endpointsNamespace`),
  ]),
  rule("flocker", checkFlocker),
  rule("nfs", checkNfs),
  needs("rbd", "monitors", "image"),
  rule("quobyte", checkQuobyte),
  rule("cephfs", (source, path) => checkFields(source, path, ["monitors"]), { shown: "cephFS" }),
  rule("iscsi", checkIscsi),
  rule("cinder", (disk, path) => [
    ...checkFields(disk, path, ["volumeID"]),
    ...(disk.secretRef === undefined ? [] : checkFields(disk.secretRef, `${path}.secretRef`, ["name", "namespace"])),
  ]),
  rule("fc", checkFibreChannel),
  rule("flexVolume", checkFlex),
  rule("azureFile", (source, path) => [
    ...checkFields(source, path, ["secretName", "shareName"]),
    ...(source.secretNamespace === "" ? [fieldErrors.required(`${path}.secretNamespace`)] : []),
  ]),
  needs("vsphereVolume", "volumePath"),
  needs("photonPersistentDisk", "pdID"),
  needs("portworxVolume", "volumeID"),
  rule("azureDisk", checkAzureDisk),
  needs("scaleIO", "gateway", "system", "volumeName"),
  rule("local", ({ path: file }, path) =>
    file === "" ? [fieldErrors.required(`${path}.path`)] : checkNoBacksteps(file, `${path}.path`),
  ),
  rule("storageos", (source, path) => [
    ...checkStorageOs(source, path),
    ...(source.secretRef === undefined
      ? []
      : checkFields(source.secretRef, `${path}.secretRef`, ["name", "namespace"])),
  ]),
  rule("csi", checkCsi),
];

/** Requires exactly one source; only the first is validated. */
export function checkVolumeSource(spec: PersistentVolumeSpec, path: string, name: string): FieldError[] {
  const errors: FieldError[] = [];
  let count = 0;
  for (const { field, shown, check } of sourceRules) {
    if (spec[field] === undefined) continue;
    // Flex volumes are an exception: they are validated even if another source is present.
    if (count > 0 && field !== "flexVolume") {
      errors.push(fieldErrors.forbidden(`${path}.${shown}`, "may not specify more than 1 volume type"));
      continue;
    }
    errors.push(...check(spec, path, name));
    if (field === "local" && spec.nodeAffinity === undefined) {
      errors.push(fieldErrors.required(`${path}.nodeAffinity`, "Local volume requires node affinity"));
    }
    count++;
  }
  if (count === 0) errors.push(fieldErrors.required(path, "must specify a volume type"));
  return errors;
}

function checkEndpointsNamespace(namespace: string | undefined, path: string): FieldError[] {
  if (namespace === undefined) return [];
  if (namespace === "") {
    const why = "if the endpointnamespace is set, it must be a valid namespace name";
    return [fieldErrors.invalid(path, namespace, why)];
  }
  return invalidEach(path, namespace, checkDns1123Label(namespace));
}

const maxPortalName = 64;
const badFormat = "must be valid format";

function checkIscsi(iscsi: ISCSIPersistentVolumeSource, path: string, name: string): FieldError[] {
  const { targetPortal, iqn, lun, initiatorName, secretRef } = iscsi;
  const needsSecret = (iscsi.chapAuthDiscovery ?? false) || (iscsi.chapAuthSession ?? false);
  const portalWhy =
    "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.";
  return [
    ...checkPresent(targetPortal, `${path}.targetPortal`),
    ...(initiatorName !== undefined && byteLength(`${name}:${targetPortal}`) > maxPortalName
      ? [fieldErrors.invalid(`${path}.targetportal`, targetPortal, portalWhy)]
      : []),
    ...(iqn === "" ? [fieldErrors.required(`${path}.iqn`)] : checkInitiator(iqn, `${path}.iqn`, badFormat)),
    ...checkLun(lun, path),
    ...(needsSecret && secretRef === undefined ? [fieldErrors.required(`${path}.secretRef`)] : []),
    ...(secretRef === undefined ? [] : checkPresent(secretRef.name, `${path}.secretRef.name`)),
    ...(initiatorName === undefined ? [] : checkInitiator(initiatorName, `${path}.initiatorname`, badFormat)),
  ];
}

const csiSecrets = [
  "controllerPublishSecretRef",
  "controllerExpandSecretRef",
  "nodePublishSecretRef",
  "nodeExpandSecretRef",
] as const;

function checkCsi(csi: CSIPersistentVolumeSource, path: string): FieldError[] {
  return [
    ...checkDriverName(csi.driver, `${path}.driver`),
    ...checkPresent(csi.volumeHandle, `${path}.volumeHandle`),
    ...csiSecrets.flatMap((field) => {
      const secret = csi[field];
      return secret === undefined ? [] : checkSecretReference(secret, `${path}.${field}`);
    }),
  ];
}

function checkSecretReference(
  { name, namespace }: { readonly name?: string; readonly namespace?: string },
  path: string,
): FieldError[] {
  return [
    ...(isEmpty(name) ? [fieldErrors.required(`${path}.name`)] : checkSubdomain(name, `${path}.name`)),
    ...(isEmpty(namespace)
      ? [fieldErrors.required(`${path}.namespace`)]
      : checkLabelName(namespace, `${path}.namespace`)),
  ];
}
