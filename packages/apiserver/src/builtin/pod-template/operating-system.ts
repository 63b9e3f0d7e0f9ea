/** Rejects fields of a pod that belong to the other operating system. */
import type { PodSpec } from "@capstan/kinds/v1";
import { fieldErrors, type FieldError } from "@capstan/model";
import { checkOneOf } from "../meta/checks.ts";
import { allContainers } from "./containers.ts";

/** Checks the name of the operating system, then the fields of the other one. */
export function checkOperatingSystem(spec: PodSpec, path: string): FieldError[] {
  if (spec.os === undefined) return [];
  const { name } = spec.os;
  if ((name as string) === "") return [fieldErrors.required(`${path}.os.name`)];
  const errors = checkOneOf(name, `${path}.os`, ["linux", "windows"]);
  if (errors.length > 0) return errors;
  return name === "linux" ? checkLinux(spec, path) : checkWindows(spec, path);
}

function checkLinux(spec: PodSpec, path: string): FieldError[] {
  const contexts = [
    [spec.securityContext, path] as const,
    ...allContainers(spec, path).map(([{ securityContext }, here]) => [securityContext, here] as const),
  ];
  return contexts.flatMap(([context, here]) => {
    if (context?.windowsOptions === undefined) return [];
    const why = "windows options cannot be set for a linux pod";
    return [fieldErrors.forbidden(`${here}.securityContext.windowsOptions`, why)];
  });
}

/** In the order of kube-apiserver; names without a dot are fields of the spec, the others of its security context. */
const linuxPodFields = [
  "securityContext.appArmorProfile",
  "securityContext.seLinuxOptions",
  "hostUsers",
  "hostPID",
  "hostIPC",
  "securityContext.seccompProfile",
  "securityContext.fsGroup",
  "securityContext.fsGroupChangePolicy",
  "securityContext.sysctls",
  "shareProcessNamespace",
  "securityContext.runAsUser",
  "securityContext.runAsGroup",
  "securityContext.supplementalGroups",
  "securityContext.supplementalGroupsPolicy",
  "securityContext.seLinuxChangePolicy",
];
const linuxContainerFields = [
  "appArmorProfile",
  "seLinuxOptions",
  "seccompProfile",
  "capabilities",
  "readOnlyRootFilesystem",
  "privileged",
  "allowPrivilegeEscalation",
  "procMount",
  "runAsUser",
  "runAsGroup",
];

function checkWindows(spec: PodSpec, path: string): FieldError[] {
  return [
    ...linuxPodFields.filter((field) => isSet(spec, field)).map((field) => forbidden(`${path}.${field}`)),
    ...allContainers(spec, path).flatMap(([{ securityContext }, here]) =>
      linuxContainerFields
        .filter((field) => isSet(securityContext ?? {}, field))
        .map((field) => forbidden(`${here}.securityContext.${field}`)),
    ),
  ];
}

function forbidden(path: string): FieldError {
  return fieldErrors.forbidden(path, "cannot be set for a windows pod");
}

/** False and empty lists count as not set. */
function isSet(value: object, field: string): boolean {
  let part: unknown = value;
  for (const name of field.split(".")) {
    if (typeof part !== "object" || part === null) return false;
    part = (part as Record<string, unknown>)[name];
  }
  if (field === "hostPID" || field === "hostIPC") return part === true;
  return part !== undefined && !(Array.isArray(part) && part.length === 0);
}
