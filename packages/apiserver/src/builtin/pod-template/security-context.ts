/** Validation of security contexts of pods and containers. */
import type {
  AppArmorProfile,
  PodSpec,
  SeccompProfile,
  SecurityContext,
  WindowsSecurityContextOptions,
} from "@capstan/kinds/v1";
import { byteLength, checkDns1123Subdomain, fieldErrors, rangeMessage, type FieldError } from "@capstan/model";
import { checkOneOf, invalidEach, isEmpty, requireOneOf } from "../meta/checks.ts";
import { toInternal } from "../meta/internal-form.ts";
import { allContainers } from "./containers.ts";
import { checkDescending } from "./paths.ts";
import { checkSysctls } from "./sysctls.ts";

const maxId = 2 ** 31 - 1;

/** Checks a UID or GID. */
export function checkId(id: number | undefined, path: string): FieldError[] {
  if (id === undefined || (id >= 0 && id <= maxId)) return [];
  return [fieldErrors.invalid(path, id, rangeMessage(0, maxId))];
}

/** Checks the security context of the pod. */
export function checkPodSecurity(spec: PodSpec, path: string, allowHostSysctls: boolean): FieldError[] {
  const { securityContext: context } = spec;
  if (context === undefined) return [];
  return [
    ...checkId(context.fsGroup, `${path}.fsGroup`),
    ...checkId(context.runAsUser, `${path}.runAsUser`),
    ...checkId(context.runAsGroup, `${path}.runAsGroup`),
    ...(context.supplementalGroups ?? []).flatMap((group, index) =>
      checkId(group, `${path}.supplementalGroups[${index}]`),
    ),
    ...checkSharedProcesses(spec, path),
    ...checkSysctls(spec, `${path}.sysctls`, allowHostSysctls),
    ...checkOptional(context.fsGroupChangePolicy, `${path}.fsGroupChangePolicy`, ["Always", "OnRootMismatch"]),
    ...checkSeccomp(context.seccompProfile, `${path}.seccompProfile`),
    ...checkWindowsOptions(context.windowsOptions, `${path}.windowsOptions`),
    ...checkAppArmor(context.appArmorProfile, `${path}.appArmorProfile`),
    ...checkOptional(context.supplementalGroupsPolicy, `${path}.supplementalGroupsPolicy`, ["Merge", "Strict"]),
    ...checkOptional(context.seLinuxChangePolicy, `${path}.seLinuxChangePolicy`, ["Recursive"]),
  ];
}

function checkOptional(value: string | undefined, path: string, allowed: readonly string[]): FieldError[] {
  return value === undefined ? [] : checkOneOf(value, path, allowed);
}

function checkSharedProcesses({ shareProcessNamespace, hostPID }: PodSpec, path: string): FieldError[] {
  if (shareProcessNamespace !== true || hostPID !== true) return [];
  const why = "ShareProcessNamespace and HostPID cannot both be enabled";
  return [fieldErrors.invalid(`${path}.shareProcessNamespace`, true, why)];
}

/** Checks the security context of a container. */
export function checkSecurityContext(
  context: SecurityContext | undefined,
  path: string,
  hostUsers: boolean,
): FieldError[] {
  if (context === undefined) return [];
  return [
    ...checkId(context.runAsUser, `${path}.runAsUser`),
    ...checkId(context.runAsGroup, `${path}.runAsGroup`),
    ...checkProcMount(context.procMount, `${path}.procMount`, hostUsers),
    ...checkSeccomp(context.seccompProfile, `${path}.seccompProfile`),
    ...checkEscalation(context, path),
    ...checkWindowsOptions(context.windowsOptions, `${path}.windowsOptions`),
    ...checkAppArmor(context.appArmorProfile, `${path}.appArmorProfile`),
  ];
}

function checkProcMount(procMount: string | undefined, path: string, hostUsers: boolean): FieldError[] {
  if (procMount === undefined) return [];
  const errors = checkOneOf(procMount, path, ["Default", "Unmasked"]);
  if (!hostUsers || procMount !== "Unmasked") return errors;
  return [...errors, fieldErrors.invalid(path, procMount, "`hostUsers` must be false to use `Unmasked`")];
}

function checkEscalation(context: SecurityContext, path: string): FieldError[] {
  if (context.allowPrivilegeEscalation !== false) return [];
  const shown = toInternal("SecurityContext", context);
  const refuse = (what: string): FieldError =>
    fieldErrors.invalid(path, shown, `cannot set \`allowPrivilegeEscalation\` to false and ${what}`);
  const admin = (context.capabilities?.add ?? []).filter((capability) => capability === "CAP_SYS_ADMIN");
  return [
    ...(context.privileged === true ? [refuse("`privileged` to true")] : []),
    ...admin.map(() => refuse("`capabilities.Add` CAP_SYS_ADMIN")),
  ];
}

const seccompTypes = ["Localhost", "RuntimeDefault", "Unconfined"];

function checkSeccomp(profile: SeccompProfile | undefined, path: string): FieldError[] {
  if (profile === undefined) return [];
  const { type, localhostProfile } = profile;
  const errors = isEmpty(type)
    ? [fieldErrors.required(`${path}.type`, "type is required when seccompProfile is set")]
    : checkOneOf(type, `${path}.type`, seccompTypes);
  const localPath = `${path}.localhostProfile`;
  if (type === "Localhost") {
    if (localhostProfile !== undefined) return [...errors, ...checkDescending(localhostProfile, localPath)];
    return [...errors, fieldErrors.required(localPath, "must be set when seccomp type is Localhost")];
  }
  if (localhostProfile === undefined) return errors;
  const why = "can only be set when seccomp type is Localhost";
  return [...errors, fieldErrors.invalid(localPath, toInternal("SeccompProfile", profile), why)];
}

const maxLocalProfile = 4095;

function checkAppArmor(profile: AppArmorProfile | undefined, path: string): FieldError[] {
  if (profile === undefined) return [];
  const { type, localhostProfile } = profile;
  const localPath = `${path}.localhostProfile`;
  if (type === "Localhost") return checkLocalAppArmor(localhostProfile, localPath);
  if (isEmpty(type)) return [fieldErrors.required(`${path}.type`, "type is required when appArmorProfile is set")];
  const errors = requireOneOf(type, `${path}.type`, seccompTypes);
  if (errors.length > 0 || localhostProfile === undefined) return errors;
  return [fieldErrors.invalid(localPath, localhostProfile, "can only be set when AppArmor type is Localhost")];
}

function checkLocalAppArmor(profile: string | undefined, path: string): FieldError[] {
  const missing = [fieldErrors.required(path, "must be set when AppArmor type is Localhost")];
  if (profile === undefined) return missing;
  const errors: FieldError[] = [];
  if (profile.trim() !== profile) {
    errors.push(fieldErrors.invalid(path, profile, "must not be padded with whitespace"));
  } else if (profile === "") errors.push(...missing);
  if (byteLength(profile) > maxLocalProfile) errors.push(fieldErrors.tooLong(path, maxLocalProfile));
  return errors;
}

const maxCredentialKibibytes = 64;

function checkWindowsOptions(options: WindowsSecurityContextOptions | undefined, path: string): FieldError[] {
  if (options === undefined) return [];
  const { gmsaCredentialSpecName: name, gmsaCredentialSpec: spec, runAsUserName: user } = options;
  return [
    ...(name === undefined ? [] : checkCredentialName(name, `${path}.gmsaCredentialSpecName`)),
    ...(spec === undefined ? [] : checkCredentialSpec(spec, `${path}.gmsaCredentialSpec`)),
    ...(user === undefined
      ? []
      : complaintsAboutUser(user).map((why) =>
          fieldErrors.invalid(`${path}.runAsUserName`, fieldErrors.named(user), why),
        )),
  ];
}

function checkCredentialName(name: string, path: string): FieldError[] {
  return invalidEach(path, fieldErrors.named(name), checkDns1123Subdomain(name));
}

function checkCredentialSpec(spec: string, path: string): FieldError[] {
  if (spec === "") return [fieldErrors.invalid(path, spec, "gmsaCredentialSpec cannot be an empty string")];
  if (byteLength(spec) <= maxCredentialKibibytes * 1024) return [];
  return [fieldErrors.invalid(path, spec, `gmsaCredentialSpec size must be under ${maxCredentialKibibytes} KiB`)];
}

const netBiosName = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const dnsLabel = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?";
const dnsName = new RegExp(`^${dnsLabel}(?:\\.${dnsLabel})*$`);
const maxDomainLength = 256;
const maxUserLength = 104;

function complaintsAboutUser(name: string): string[] {
  if (name === "") return ["runAsUserName cannot be an empty string"];
  if (/\p{Cc}/u.test(name)) return ["runAsUserName cannot contain control characters"];
  const parts = name.split("\\");
  if (parts.length > 2) return ["runAsUserName cannot contain more than one backslash"];
  const user = parts.at(-1) ?? "";
  return [...(parts.length === 2 ? complaintsAboutDomain(parts[0] ?? "") : []), ...complaintsAboutUserPart(user)];
}

function complaintsAboutDomain(domain: string): string[] {
  return [
    ...(byteLength(domain) >= maxDomainLength
      ? [`runAsUserName's Domain length must be under ${maxDomainLength} characters`]
      : []),
    ...(netBiosName.test(domain) || dnsName.test(domain)
      ? []
      : ["runAsUserName's Domain doesn't match the NetBios nor the DNS format"]),
  ];
}

function complaintsAboutUserPart(user: string): string[] {
  const complaints: string[] = [];
  if (user === "") complaints.push("runAsUserName's User cannot be empty");
  else if (byteLength(user) > maxUserLength) {
    complaints.push(`runAsUserName's User length must not be longer than ${maxUserLength} characters`);
  }
  if (/^[. ]+$/.test(user)) complaints.push("runAsUserName's User cannot contain only periods or spaces");
  if (/["/\\:;|=,+*?<>@[\]]/.test(user)) {
    complaints.push("runAsUserName's User cannot contain the following characters: \"/\\:;|=,+*?<>@[]");
  }
  return complaints;
}

/** HostProcess containers of Windows: all containers or none, and only with hostNetwork. */
export function checkHostProcess(spec: PodSpec, path: string): FieldError[] {
  const ofPod = spec.securityContext?.windowsOptions?.hostProcess;
  const containers = allContainers(spec, path);
  const errors: FieldError[] = [];
  let count = 0;
  for (const [{ securityContext }, containerPath] of containers) {
    const own = securityContext?.windowsOptions?.hostProcess;
    if (ofPod !== undefined && own !== undefined && own !== ofPod) {
      const why = `pod hostProcess value must be identical if both are specified, was ${ofPod}`;
      errors.push(fieldErrors.invalid(`${containerPath}.securityContext.windowsOptions.hostProcess`, own, why));
    }
    if (own ?? ofPod ?? false) count++;
  }
  if (count === 0) return errors;
  if (count !== containers.length) {
    const why = "If pod contains any hostProcess containers then all containers must be HostProcess containers";
    errors.push(fieldErrors.invalid(path, "", why));
  }
  if (spec.hostNetwork !== true) {
    const why = "hostNetwork must be true if pod contains any hostProcess containers";
    errors.push(fieldErrors.invalid(`${path}.hostNetwork`, false, why));
  }
  return errors;
}
