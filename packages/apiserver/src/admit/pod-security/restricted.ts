/** The checks that the level `restricted` adds: pod hardening best practices. */
import type { Container, Volume } from "@capstan/kinds/v1";
import { procMount, seccompProfile } from "./baseline.ts";
import {
  containersNamed,
  counted,
  hasOwnUsers,
  isWindows,
  quoted,
  quotedSet,
  setters,
  sortedSet,
  type Check,
  type Checked,
  type Violation,
} from "./check.ts";

type CheckPod = (pod: Checked) => Violation | undefined;

function unlessWindows(check: CheckPod): CheckPod {
  return (pod) => (isWindows(pod) ? undefined : check(pod));
}

function unlessOwnUsers(check: CheckPod): CheckPod {
  return (pod) => (hasOwnUsers(pod) ? undefined : check(pod));
}

function privilegeEscalation({ containers }: Checked): Violation | undefined {
  const bad = containers.filter(({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false);
  if (bad.length === 0) return undefined;
  const detail = `${containersNamed(bad)} must set securityContext.allowPrivilegeEscalation=false`;
  return { reason: "allowPrivilegeEscalation != false", detail };
}

function capabilities({ containers }: Checked): Violation | undefined {
  const added = ({ securityContext }: Container): string[] =>
    (securityContext?.capabilities?.add ?? []).filter((one) => one !== "NET_BIND_SERVICE");
  const keeping = containers.filter(
    ({ securityContext }) => !(securityContext?.capabilities?.drop ?? []).includes("ALL"),
  );
  const adding = containers.filter((container) => added(container).length > 0);
  const details = [
    ...(keeping.length > 0 ? [`${containersNamed(keeping)} must set securityContext.capabilities.drop=["ALL"]`] : []),
    ...(adding.length > 0
      ? [
          `${containersNamed(adding)} must not include ${quotedSet(adding.flatMap(added))} in securityContext.capabilities.add`,
        ]
      : []),
  ];
  return details.length === 0 ? undefined : { reason: "unrestricted capabilities", detail: details.join("; ") };
}

const volumeTypes: ReadonlySet<string> = new Set([
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "image",
  "persistentVolumeClaim",
  "projected",
  "secret",
]);

function volumeType(volume: Volume): string {
  return Object.keys(volume).find((field) => field !== "name") ?? "unknown";
}

function volumes({ spec }: Checked): Violation | undefined {
  const bad = (spec.volumes ?? []).filter((volume) => !volumeTypes.has(volumeType(volume)));
  if (bad.length === 0) return undefined;
  const types = sortedSet(bad.map(volumeType));
  const who = `${counted("volume", bad.length)} ${quoted(bad.map(({ name }) => name))}`;
  const verb = bad.length === 1 ? "uses" : "use";
  return {
    reason: "restricted volume types",
    detail: `${who} ${verb} ${counted("restricted volume type", types.length)} ${quoted(types)}`,
  };
}

function runAsNonRoot({ containers, security }: Checked): Violation | undefined {
  const reason = "runAsNonRoot != true";
  const isPod = security.runAsNonRoot === false;
  const explicit = containers.filter(({ securityContext }) => securityContext?.runAsNonRoot === false);
  if (isPod || explicit.length > 0) {
    return { reason, detail: `${setters(isPod, explicit)} must not set securityContext.runAsNonRoot=false` };
  }
  const silent = containers.filter(({ securityContext }) => securityContext?.runAsNonRoot === undefined);
  if (security.runAsNonRoot === true || silent.length === 0) return undefined;
  return { reason, detail: `pod or ${containersNamed(silent)} must set securityContext.runAsNonRoot=true` };
}

function runAsUser({ containers, security }: Checked): Violation | undefined {
  const isPod = security.runAsUser === 0;
  const bad = containers.filter(({ securityContext }) => securityContext?.runAsUser === 0);
  if (!isPod && bad.length === 0) return undefined;
  return { reason: "runAsUser=0", detail: `${setters(isPod, bad)} must not set runAsUser=0` };
}

function seccomp(pod: Checked): Violation | undefined {
  const explicit = seccompProfile(pod);
  if (explicit !== undefined || pod.security.seccompProfile !== undefined) return explicit;
  const silent = pod.containers.filter(({ securityContext }) => securityContext?.seccompProfile === undefined);
  if (silent.length === 0) return undefined;
  const detail = `pod or ${containersNamed(silent)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`;
  return { reason: "seccompProfile", detail };
}

/** In the order in which violations are reported, after those of `baseline`. */
export const restrictedChecks: readonly Check[] = [
  {
    id: "allowPrivilegeEscalation",
    versions: [
      { since: 8, check: privilegeEscalation },
      { since: 25, check: unlessWindows(privilegeEscalation) },
    ],
  },
  {
    id: "capabilities_restricted",
    versions: [
      { since: 22, overrides: "capabilities_baseline", check: capabilities },
      { since: 25, overrides: "capabilities_baseline", check: unlessWindows(capabilities) },
    ],
  },
  { id: "procMount_restricted", versions: [{ since: 35, overrides: "procMount", check: procMount }] },
  { id: "restrictedVolumes", versions: [{ since: 0, overrides: "hostPathVolumes", check: volumes }] },
  {
    id: "runAsNonRoot",
    versions: [
      { since: 0, check: runAsNonRoot },
      { since: 35, check: unlessOwnUsers(runAsNonRoot) },
    ],
  },
  {
    id: "runAsUser",
    versions: [
      { since: 23, check: runAsUser },
      { since: 35, check: unlessOwnUsers(runAsUser) },
    ],
  },
  {
    id: "seccompProfile_restricted",
    versions: [
      { since: 19, overrides: "seccompProfile_baseline", check: seccomp },
      { since: 25, overrides: "seccompProfile_baseline", check: unlessWindows(seccomp) },
    ],
  },
];
