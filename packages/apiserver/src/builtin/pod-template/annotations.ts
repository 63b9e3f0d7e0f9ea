/** Pod annotations with a meaning: mirror pods, deletion cost, and deprecated security profiles. */
import type { PodSpec, SeccompProfile } from "@capstan/kinds/v1";
import { fieldErrors, quote, type FieldError, type ObjectMeta } from "@capstan/model";
import { allContainers } from "./containers.ts";
import { checkDescending } from "./paths.ts";

type Annotations = NonNullable<ObjectMeta["annotations"]>;

export const mirrorAnnotation = "kubernetes.io/config.mirror";
const deletionCost = "controller.kubernetes.io/pod-deletion-cost";
const podSeccomp = "seccomp.security.alpha.kubernetes.io/pod";
const containerSeccomp = "container.seccomp.security.alpha.kubernetes.io/";
export const appArmorPrefix = "container.apparmor.security.beta.kubernetes.io/";

export function checkPodAnnotations(
  annotations: Annotations = {},
  spec: PodSpec,
  path: string,
  allowBadCost = false,
): FieldError[] {
  const errors: FieldError[] = [];
  const mirror = annotations[mirrorAnnotation];
  if (mirror !== undefined && (spec.nodeName ?? "") === "") {
    const why = "must set spec.nodeName if mirror pod annotation is set";
    errors.push(fieldErrors.invalid(`${path}[${mirrorAnnotation}]`, mirror, why));
  }
  const cost = annotations[deletionCost];
  if (cost !== undefined && !allowBadCost && !isDeletionCost(cost)) {
    errors.push(fieldErrors.invalid(`${path}[${deletionCost}]`, cost, "must be a 32bit integer"));
  }
  return [
    ...errors,
    ...checkSeccompAnnotations(annotations, path),
    ...checkAppArmorAnnotations(annotations, spec, path),
  ];
}

/** Whether a cost is a 32-bit integer without a plus sign or leading zeros. */
export function isDeletionCost(cost: string): boolean {
  return /^(0|-?[1-9][0-9]*)$/.test(cost) && Number(cost) >= -(2 ** 31) && Number(cost) < 2 ** 31;
}

/** Whether the object has an invalid deletion cost. */
export function hasBadDeletionCost({ annotations = {} }: ObjectMeta): boolean {
  const cost = annotations[deletionCost];
  return cost !== undefined && !isDeletionCost(cost);
}

function checkSeccompAnnotations(annotations: Annotations, path: string): FieldError[] {
  const keys = Object.keys(annotations).filter((key) => key.startsWith(containerSeccomp));
  return [...(Object.hasOwn(annotations, podSeccomp) ? [podSeccomp] : []), ...keys].flatMap((key) =>
    checkSeccompName(annotations[key] ?? "", `${path}.${key}`),
  );
}

function checkSeccompName(name: string, path: string): FieldError[] {
  if (["runtime/default", "docker/default", "unconfined"].includes(name)) return [];
  if (name.startsWith("localhost/")) return checkDescending(name.slice("localhost/".length), path);
  return [fieldErrors.invalid(path, name, "must be a valid seccomp profile")];
}

function checkAppArmorAnnotations(annotations: Annotations, spec: PodSpec, path: string): FieldError[] {
  const names = new Set(allContainers(spec, "").map(([{ name }]) => name));
  return Object.entries(annotations)
    .filter(([key]) => key.startsWith(appArmorPrefix))
    .flatMap(([key, profile]) => {
      const container = key.slice(appArmorPrefix.length);
      const here = `${path}[${key}]`;
      return [
        ...(names.has(container) ? [] : [fieldErrors.invalid(here, container, "container not found")]),
        ...(["", "runtime/default", "unconfined"].includes(profile) || profile.startsWith("localhost/")
          ? []
          : [fieldErrors.invalid(here, profile, `invalid AppArmor profile name: ${quote(profile)}`)]),
      ];
    });
}

/** Profiles in annotations and in fields must agree. */
export function checkProfilesMatch(annotations: Annotations = {}, spec: PodSpec, path: string): FieldError[] {
  return [...checkSeccompMatch(annotations, spec, path), ...checkAppArmorMatch(annotations, spec, path)];
}

function checkSeccompMatch(annotations: Annotations, spec: PodSpec, path: string): FieldError[] {
  const profiles: readonly (readonly [string, SeccompProfile | undefined, string])[] = [
    [podSeccomp, spec.securityContext?.seccompProfile, path],
    ...allContainers(spec, path).map(
      ([{ name, securityContext }, here]) => [containerSeccomp + name, securityContext?.seccompProfile, here] as const,
    ),
  ];
  return profiles.flatMap(([key, profile, here]) =>
    mismatch(annotations[key], profile, `${here}.securityContext.seccompProfile`, "seccomp"),
  );
}

function checkAppArmorMatch(annotations: Annotations, spec: PodSpec, path: string): FieldError[] {
  if (spec.os?.name === "windows") return [];
  return allContainers(spec, path).flatMap(([{ name, securityContext }, here]) => {
    const profile = securityContext?.appArmorProfile ?? spec.securityContext?.appArmorProfile;
    return mismatch(annotations[appArmorPrefix + name], profile, `${here}.securityContext.appArmorProfile`, "apparmor");
  });
}

interface Profile {
  readonly type: string;
  readonly localhostProfile?: string;
}

function mismatch(
  annotation: string | undefined,
  profile: Profile | undefined,
  path: string,
  what: "seccomp" | "apparmor",
): FieldError[] {
  if (annotation === undefined || profile === undefined) return [];
  const wrongType = [fieldErrors.forbidden(`${path}.type`, `${what} type in annotation and field must match`)];
  switch (profile.type) {
    case "Unconfined":
      return annotation === "unconfined" ? [] : wrongType;
    case "RuntimeDefault":
      return annotation === "runtime/default" || (what === "seccomp" && annotation === "docker/default")
        ? []
        : wrongType;
    case "Localhost": {
      if (!annotation.startsWith("localhost/")) return wrongType;
      if (annotation.slice("localhost/".length) === profile.localhostProfile) return [];
      const why = `${what} profile in annotation and field must match`;
      return [fieldErrors.forbidden(`${path}.localhostProfile`, why)];
    }
    default:
      return [];
  }
}
