/** Validation of the volume sources of pods, one function for each. */
import type {
  AzureDiskVolumeSource,
  FCVolumeSource,
  FlockerVolumeSource,
  ISCSIVolumeSource,
  KeyToPath,
  QuobyteVolumeSource,
  StorageOSVolumeSource,
} from "@capstan/kinds/v1";
import { byteLength, checkDns1123Subdomain, fieldErrors, rangeMessage, type FieldError } from "@capstan/model";
import { checkLabelName, checkOneOf, checkPresent, invalidEach, isEmpty } from "../meta/checks.ts";
import { checkFileMode, checkLocalPath, checkNoBacksteps } from "./paths.ts";

/** Requires the given text fields. */
export function checkFields(source: object, path: string, fields: readonly string[]): FieldError[] {
  const values = source as Readonly<Record<string, unknown>>;
  return fields.flatMap((field) => {
    const value = values[field];
    const isMissing =
      value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);
    return isMissing ? [fieldErrors.required(`${path}.${field}`)] : [];
  });
}

const hostPathTypes = [
  "",
  "BlockDevice",
  "CharDevice",
  "Directory",
  "DirectoryOrCreate",
  "File",
  "FileOrCreate",
  "Socket",
];

export function checkHostPath({ path: file, type }: { path: string; type?: string }, path: string): FieldError[] {
  if (file === "") return checkPresent(file, `${path}.path`);
  return [
    ...checkNoBacksteps(file, `${path}.path`),
    ...(type === undefined ? [] : checkOneOf(type, `${path}.type`, hostPathTypes)),
  ];
}

export function checkPartition(partition: number | undefined, path: string): FieldError[] {
  if (partition === undefined || (partition >= 0 && partition <= 255)) return [];
  return [fieldErrors.invalid(`${path}.partition`, partition, rangeMessage(1, 255))];
}

/** Checks the keys of a config map or secret and the paths they are mounted at. */
export function checkItems(items: readonly KeyToPath[], path: string): FieldError[] {
  return items.flatMap((item, index) => checkKeyToPath(item, `${path}[${index}]`));
}

export function checkKeyToPath(item: KeyToPath, path: string): FieldError[] {
  return [
    ...checkFields(item, path, ["key", "path"]),
    ...checkLocalPath(item.path, `${path}.path`),
    ...checkFileMode(item.mode, `${path}.mode`),
  ];
}

export function checkNfs(nfs: { server: string; path: string }, path: string): FieldError[] {
  const errors = checkFields(nfs, path, ["server", "path"]);
  if (nfs.path.startsWith("/")) return errors;
  return [...errors, fieldErrors.invalid(`${path}.path`, nfs.path, "must be an absolute path")];
}

export function checkLun(lun: number, path: string): FieldError[] {
  return lun >= 0 && lun <= 255 ? [] : [fieldErrors.invalid(`${path}.lun`, lun, rangeMessage(0, 255))];
}

const initiatorFormats: readonly (readonly [prefix: string, format: RegExp])[] = [
  ["iqn", /iqn\.\d{4}-\d{2}\.([a-zA-Z0-9\-.]+)(:[^,;*&$|\s]+)$/],
  ["eui", /^eui.[a-zA-Z0-9]{16}$/],
  ["naa", /^naa.[a-zA-Z0-9]{32}$/],
];

/** Checks an iSCSI qualified name. */
export function checkInitiator(name: string, path: string, unknown: string): FieldError[] {
  const format = initiatorFormats.find(([prefix]) => name.startsWith(prefix));
  if (format === undefined) return [fieldErrors.invalid(path, name, unknown)];
  return format[1].test(name) ? [] : [fieldErrors.invalid(path, name, "must be valid format")];
}

const unknownInitiator = "must be valid format starting with iqn, eui, or naa";

export function checkIscsi(iscsi: ISCSIVolumeSource, path: string): FieldError[] {
  const { iqn, lun, initiatorName } = iscsi;
  const needsSecret = (iscsi.chapAuthDiscovery ?? false) || (iscsi.chapAuthSession ?? false);
  return [
    ...checkFields(iscsi, path, ["targetPortal"]),
    ...(iqn === "" ? [fieldErrors.required(`${path}.iqn`)] : checkInitiator(iqn, `${path}.iqn`, unknownInitiator)),
    ...checkLun(lun, path),
    ...(needsSecret && iscsi.secretRef === undefined ? [fieldErrors.required(`${path}.secretRef`)] : []),
    ...(initiatorName === undefined ? [] : checkInitiator(initiatorName, `${path}.initiatorname`, unknownInitiator)),
  ];
}

const maxPortalName = 64;

/** The volume name of an iSCSI volume with an initiator name is joined with the target portal; both must fit. */
export function checkPortalName(name: string, iscsi: ISCSIVolumeSource, path: string): FieldError[] {
  const together = `${name}:${iscsi.targetPortal}`;
  if (iscsi.initiatorName === undefined || byteLength(together) <= maxPortalName) return [];
  const why =
    "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.";
  return [fieldErrors.invalid(`${path}.name`, name, why)];
}

export function checkQuobyte({ registry, tenant = "", volume }: QuobyteVolumeSource, path: string): FieldError[] {
  const pairs = "must be a host:port pair or multiple pairs separated by commas";
  const errors: FieldError[] = [];
  if (registry === "") errors.push(fieldErrors.required(`${path}.registry`, pairs));
  else if (byteLength(tenant) >= 65) {
    const why = "must be a UUID and may not exceed a length of 64 characters";
    errors.push(fieldErrors.required(`${path}.tenant`, why));
  } else {
    const bad = registry.split(",").filter((pair) => !isHostPort(pair));
    errors.push(...bad.map(() => fieldErrors.invalid(`${path}.registry`, registry, pairs)));
  }
  return volume === "" ? [...errors, fieldErrors.required(`${path}.volume`)] : errors;
}

function isHostPort(pair: string): boolean {
  return /^(\[[^[\]]*\]|[^:[\]]*):[^:[\]]*$/.test(pair);
}

export function checkFlocker({ datasetName = "", datasetUUID = "" }: FlockerVolumeSource, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (datasetName === "" && datasetUUID === "") {
    errors.push(fieldErrors.required(path, "one of datasetName and datasetUUID is required"));
  }
  if (datasetName !== "" && datasetUUID !== "") {
    const why = "datasetName and datasetUUID can not be specified simultaneously";
    errors.push(fieldErrors.invalid(path, "resource", why));
  }
  if (datasetName.includes("/")) {
    errors.push(fieldErrors.invalid(`${path}.datasetName`, datasetName, "must not contain '/'"));
  }
  return errors;
}

export function checkSecretName(secret: { readonly name?: string } | undefined, path: string): FieldError[] {
  return secret === undefined ? [] : checkPresent(secret.name, `${path}.secretRef.name`);
}

export function checkFibreChannel({ targetWWNs = [], wwids = [], lun }: FCVolumeSource, path: string): FieldError[] {
  const wwnPath = `${path}.targetWWNs`;
  const errors: FieldError[] = [];
  if (targetWWNs.length === 0 && wwids.length === 0) {
    errors.push(fieldErrors.required(wwnPath, "must specify either targetWWNs or wwids, but not both"));
  }
  if (targetWWNs.length > 0 && wwids.length > 0) {
    const why = "targetWWNs and wwids can not be specified simultaneously";
    errors.push(fieldErrors.invalid(wwnPath, targetWWNs, why));
  }
  if (targetWWNs.length === 0) return errors;
  if (lun === undefined) {
    return [...errors, fieldErrors.required(`${path}.lun`, "lun is required if targetWWNs is specified")];
  }
  return [...errors, ...checkLun(lun, path)];
}

interface Flex {
  readonly driver: string;
  readonly options?: { readonly [key: string]: string };
}

export function checkFlex({ driver, options = {} }: Flex, path: string): FieldError[] {
  const reserved = Object.keys(options).filter((key) => {
    const slash = key.indexOf("/");
    const namespace = `.${(slash < 0 ? key : key.slice(0, slash)).toLowerCase()}`;
    return namespace.endsWith(".kubernetes.io") || namespace.endsWith(".k8s.io");
  });
  const why = "kubernetes.io and k8s.io namespaces are reserved";
  return [
    ...checkPresent(driver, `${path}.driver`),
    ...reserved.map((key) => fieldErrors.invalid(`${path}.options[${key}]`, key, why)),
  ];
}

const managedUri = "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}";
const blobUri = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd";

export function checkAzureDisk(disk: AzureDiskVolumeSource, path: string): FieldError[] {
  const { diskURI, cachingMode, kind } = disk;
  const errors = checkFields(disk, path, ["diskName", "diskURI"]);
  if (cachingMode !== undefined) {
    errors.push(...checkOneOf(cachingMode, `${path}.cachingMode`, ["None", "ReadOnly", "ReadWrite"]));
  }
  if (kind === undefined) return errors;
  errors.push(...checkOneOf(kind, `${path}.kind`, ["Dedicated", "Managed", "Shared"]));
  const isManaged = kind === "Managed";
  if (diskURI.startsWith(isManaged ? "/subscriptions/" : "https://")) return errors;
  return [...errors, fieldErrors.notSupported(`${path}.diskURI`, diskURI, [isManaged ? managedUri : blobUri])];
}

type StorageOsNames = Pick<StorageOSVolumeSource, "volumeName" | "volumeNamespace">;

export function checkStorageOs({ volumeName = "", volumeNamespace }: StorageOsNames, path: string): FieldError[] {
  return [
    ...(volumeName === ""
      ? [fieldErrors.required(`${path}.volumeName`)]
      : checkLabelName(volumeName, `${path}.volumeName`)),
    ...(isEmpty(volumeNamespace) ? [] : checkLabelName(volumeNamespace, `${path}.volumeNamespace`)),
  ];
}

const maxDriverName = 63;

/** Checks the name of a CSI driver. */
export function checkDriverName(name: string, path: string): FieldError[] {
  if (name === "") return [fieldErrors.required(path)];
  const tooLong = byteLength(name) > maxDriverName ? [fieldErrors.tooLong(path, maxDriverName)] : [];
  return [...tooLong, ...invalidEach(path, name, checkDns1123Subdomain(name.toLowerCase()))];
}
