/** Sysctls of a pod: their names, and which of them affect the host when its namespaces are shared. */
import type { PodSpec } from "@capstan/kinds/v1";
import { fieldErrors, type FieldError } from "@capstan/model";

const segment = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const sysctlPattern = `^(${segment}[\\./])*${segment}$`;
const sysctlExpression = new RegExp(sysctlPattern);
const maxSysctlLength = 253;

const ipcParameters = new Set([
  "kernel.sem",
  "kernel.shm",
  "kernel.shmall",
  "kernel.shmmax",
  "kernel.shmmni",
  "kernel.shm_rmid_forced",
  "kernel.msg",
  "kernel.msgmax",
  "kernel.msgmnb",
  "kernel.msgmni",
]);

/** Checks names and duplicates and, unless the old object has them, sysctls of host namespaces. */
export function checkSysctls(spec: PodSpec, path: string, allowHost: boolean): FieldError[] {
  const seen = new Set<string>();
  return (spec.securityContext?.sysctls ?? []).flatMap(({ name }, index) => {
    const namePath = `${path}[${index}].name`;
    const errors = checkSysctlName(name, seen, namePath);
    seen.add(name);
    return allowHost ? errors : [...errors, ...checkHostSysctl(name, spec, namePath)];
  });
}

function checkSysctlName(name: string, seen: ReadonlySet<string>, path: string): FieldError[] {
  if (name === "") return [fieldErrors.required(path)];
  if (name.length > maxSysctlLength || !sysctlExpression.test(name)) {
    const why = `must have at most ${maxSysctlLength} characters and match regex ${sysctlPattern}`;
    return [fieldErrors.invalid(path, name, why)];
  }
  return seen.has(name) ? [fieldErrors.duplicate(path, name)] : [];
}

function checkHostSysctl(name: string, { hostNetwork = false, hostIPC = false }: PodSpec, path: string): FieldError[] {
  const namespace = namespaceOf(name);
  if (hostNetwork && namespace === "net") {
    return [fieldErrors.invalid(path, name, "may not be specified when 'hostNetwork' is true")];
  }
  if (hostIPC && namespace === "ipc") {
    return [fieldErrors.invalid(path, name, "may not be specified when 'hostIPC' is true")];
  }
  return [];
}

/** Whether a sysctl would change the host. */
export function isHostSysctl(name: string, spec: PodSpec): boolean {
  return checkHostSysctl(name, spec, "").length > 0;
}

/** Slashes and dots are interchangeable; the first of either is the separator. */
function namespaceOf(sysctl: string): "net" | "ipc" | undefined {
  const first = /[./]/.exec(sysctl)?.[0];
  const name = first === "/" ? sysctl.replaceAll(/[./]/g, (separator) => (separator === "/" ? "." : "/")) : sysctl;
  if (ipcParameters.has(name) || name.startsWith("fs.mqueue.")) return "ipc";
  return name.startsWith("net.") ? "net" : undefined;
}
