/** Validation of projected volumes: several sources in one directory. */
import type { DownwardAPIVolumeFile, KeyToPath, ProjectedVolumeSource, VolumeProjection } from "@capstan/kinds/v1";
import { fieldErrors, type FieldError } from "@capstan/model";
import { checkPresent } from "../meta/checks.ts";
import { checkFieldRef, checkResourceRef } from "./env.ts";
import type { PodLeniency } from "./leniency.ts";
import { checkFileMode, checkLocalPath } from "./paths.ts";
import { checkKeyToPath } from "./volume-sources.ts";

const volumeFields = ["metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"];

/** A downward API file: a field or a resource of the pod. */
export function checkDownwardFile(file: DownwardAPIVolumeFile, path: string): FieldError[] {
  const { path: target, fieldRef, resourceFieldRef, mode } = file;
  const errors = [...checkPresent(target, `${path}.path`), ...checkLocalPath(target, `${path}.path`)];
  if (fieldRef !== undefined) {
    errors.push(...checkFieldRef(fieldRef, volumeFields, `${path}.fieldRef`));
    if (resourceFieldRef !== undefined) {
      const why = "fieldRef and resourceFieldRef can not be specified simultaneously";
      errors.push(fieldErrors.invalid(path, "resource", why));
    }
  } else if (resourceFieldRef !== undefined) {
    errors.push(...checkResourceRef(resourceFieldRef, true, `${path}.resourceFieldRef`));
  } else {
    errors.push(fieldErrors.required(path, "one of fieldRef and resourceFieldRef is required"));
  }
  return [...errors, ...checkFileMode(mode, `${path}.mode`)];
}

/** Checks all sources, and that no two of them write the same path. */
export function checkProjected(
  { defaultMode, sources }: ProjectedVolumeSource,
  path: string,
  leniency: PodLeniency,
): FieldError[] {
  const files = new Set<string>();
  return [
    ...checkFileMode(defaultMode, `${path}.defaultMode`),
    ...(sources ?? []).flatMap((source, index) =>
      checkSource(source, { path, here: `${path}.sources[${index}]`, files, leniency }),
    ),
  ];
}

interface Place {
  /** The path of the volume, which conflicts are reported at. */
  readonly path: string;
  readonly here: string;
  readonly files: Set<string>;
  readonly leniency: PodLeniency;
}

function checkSource(source: VolumeProjection, place: Place): FieldError[] {
  const { here, path, files } = place;
  const { secret, configMap, downwardAPI, serviceAccountToken } = source;
  const errors: FieldError[] = [];
  if (secret !== undefined) errors.push(...checkKeys(secret, `${here}.secret`, place));
  if (configMap !== undefined) errors.push(...checkKeys(configMap, `${here}.configMap`, place));
  for (const file of downwardAPI?.items ?? []) {
    errors.push(...checkDownwardFile(file, `${here}.downwardAPI`), ...takeFile(files, file.path, path, file.path));
  }
  if (serviceAccountToken !== undefined) errors.push(...checkToken(serviceAccountToken, place));
  if (Object.keys(source).length > 1) {
    errors.push(fieldErrors.forbidden(here, "may not specify more than 1 volume type per source"));
  }
  return errors;
}

interface Keys {
  readonly name?: string;
  readonly items?: readonly KeyToPath[];
}

function checkKeys({ name = "", items = [] }: Keys, here: string, { path, files }: Place): FieldError[] {
  return [
    ...checkPresent(name, `${here}.name`),
    ...items.flatMap((item, index) => [
      ...checkKeyToPath(item, `${here}.items[${index}]`),
      ...takeFile(files, item.path, path, name),
    ]),
  ];
}

function takeFile(files: Set<string>, file: string, path: string, shown: string): FieldError[] {
  if (file === "") return [];
  if (files.has(file)) return [fieldErrors.invalid(path, shown, "conflicting duplicate paths")];
  files.add(file);
  return [];
}

const shortestToken = 10 * 60;
const longestToken = 2 ** 32;

function checkToken(
  { expirationSeconds = 0, path: file }: NonNullable<VolumeProjection["serviceAccountToken"]>,
  { path, here, leniency }: Place,
): FieldError[] {
  const secondsPath = `${here}.serviceAccountToken.expirationSeconds`;
  const errors: FieldError[] = [];
  if (expirationSeconds < shortestToken) {
    const why = "may not specify a duration less than 10 minutes";
    errors.push(fieldErrors.invalid(secondsPath, expirationSeconds, why));
  }
  if (expirationSeconds > longestToken) {
    const why = "may not specify a duration larger than 2^32 seconds";
    errors.push(fieldErrors.invalid(secondsPath, expirationSeconds, why));
  }
  if (file === "") return [...errors, fieldErrors.required(`${path}.path`)];
  return leniency.farTokenPaths === true ? errors : [...errors, ...checkLocalPath(file, `${path}.path`)];
}
