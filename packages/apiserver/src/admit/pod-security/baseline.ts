/** The checks of the level `baseline`: prevent known privilege escalations. */
import type { Container, SELinuxOptions } from "@capstan/kinds/v1";
import { quote } from "@capstan/model";
import {
  containersNamed,
  counted,
  hasOwnUsers,
  quoted,
  quotedSet,
  setters,
  sortedSet,
  type Check,
  type Checked,
  type Violation,
} from "./check.ts";

function ifAny(
  containers: readonly Container[],
  violation: (containers: readonly Container[]) => Violation,
): Violation | undefined {
  return containers.length === 0 ? undefined : violation(containers);
}

const appArmorPrefix = "container.apparmor.security.beta.kubernetes.io/";
const appArmorTypes: ReadonlySet<string | undefined> = new Set(["RuntimeDefault", "Localhost"]);

function appArmorProfile({ annotations, containers, security }: Checked): Violation | undefined {
  const isBad = (type: string | undefined): boolean => !appArmorTypes.has(type);
  const pod = security.appArmorProfile;
  const isPod = pod !== undefined && isBad(pod.type);
  const bad = containers.filter(({ securityContext: own }) => own?.appArmorProfile && isBad(own.appArmorProfile.type));
  const types = [...(isPod ? [pod.type] : []), ...bad.map((one) => one.securityContext?.appArmorProfile?.type ?? "")];
  const bySetting = Object.entries(annotations)
    .filter(([key, value]) => key.startsWith(appArmorPrefix) && !isAllowedAppArmor(value))
    .map(([key, value]) => `${key}=${quote(value)}`)
    .sort();
  const values = [...sortedSet(types), ...bySetting];
  if (values.length === 0) return undefined;
  const who = [setters(isPod, bad), ...(bySetting.length > 0 ? [counted("annotation", bySetting.length)] : [])];
  return {
    reason: `forbidden AppArmor ${counted("profile", values.length)}`,
    detail: `${who.filter((one) => one !== "").join(" and ")} must not set AppArmor profile type to ${quoted(values)}`,
  };
}

function isAllowedAppArmor(profile: string): boolean {
  return profile === "" || profile === "runtime/default" || profile.startsWith("localhost/");
}

const defaultCapabilities: ReadonlySet<string> = new Set([
  "AUDIT_WRITE",
  "CHOWN",
  "DAC_OVERRIDE",
  "FOWNER",
  "FSETID",
  "KILL",
  "MKNOD",
  "NET_BIND_SERVICE",
  "SETFCAP",
  "SETGID",
  "SETPCAP",
  "SETUID",
  "SYS_CHROOT",
]);

function capabilities({ containers }: Checked): Violation | undefined {
  const others = ({ securityContext }: Container): string[] =>
    (securityContext?.capabilities?.add ?? []).filter((one) => !defaultCapabilities.has(one));
  return ifAny(
    containers.filter((container) => others(container).length > 0),
    (bad) => ({
      reason: "non-default capabilities",
      detail: `${containersNamed(bad)} must not include ${quotedSet(bad.flatMap(others))} in securityContext.capabilities.add`,
    }),
  );
}

function hostNamespaces({ spec }: Checked): Violation | undefined {
  const used = (["hostNetwork", "hostPID", "hostIPC"] as const).filter((name) => spec[name] === true);
  if (used.length === 0) return undefined;
  return { reason: "host namespaces", detail: used.map((name) => `${name}=true`).join(", ") };
}

function hostPathVolumes({ spec }: Checked): Violation | undefined {
  const names = (spec.volumes ?? []).filter(({ hostPath }) => hostPath !== undefined).map(({ name }) => name);
  if (names.length === 0) return undefined;
  return { reason: "hostPath volumes", detail: `${counted("volume", names.length)} ${quoted(names)}` };
}

function hostPorts({ containers }: Checked): Violation | undefined {
  const ports = ({ ports: all = [] }: Container): string[] =>
    all.flatMap(({ hostPort = 0 }) => (hostPort === 0 ? [] : String(hostPort)));
  return ifAny(
    containers.filter((container) => ports(container).length > 0),
    (bad) => {
      const used = sortedSet(bad.flatMap(ports));
      const verb = bad.length === 1 ? "uses" : "use";
      return {
        reason: "hostPort",
        detail: `${containersNamed(bad)} ${verb} ${counted("hostPort", used.length)} ${used.join(", ")}`,
      };
    },
  );
}

function probeHosts({ containers }: Checked): Violation | undefined {
  const hosts = ({ livenessProbe, readinessProbe, startupProbe, lifecycle }: Container): string[] =>
    [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop]
      .flatMap((one) => [one?.httpGet?.host ?? "", one?.tcpSocket?.host ?? ""])
      .filter((host) => host !== "");
  return ifAny(
    containers.filter((container) => hosts(container).length > 0),
    (bad) => {
      const names = sortedSet(bad.map(({ name }) => name));
      const used = sortedSet(bad.flatMap(hosts));
      const verb = names.length === 1 ? "uses" : "use";
      return {
        reason: "probe or lifecycle host",
        detail: `${counted("container", names.length)} ${quoted(names)} ${verb} ${counted("probe or lifecycle host", used.length)} ${quoted(used)}`,
      };
    },
  );
}

function privileged({ containers }: Checked): Violation | undefined {
  return ifAny(
    containers.filter(({ securityContext }) => securityContext?.privileged === true),
    (bad) => ({ reason: "privileged", detail: `${containersNamed(bad)} must not set securityContext.privileged=true` }),
  );
}

/** Also a check of the level `restricted`, without the exception. */
export function procMount({ containers }: Checked): Violation | undefined {
  return ifAny(
    containers.filter(({ securityContext }) => (securityContext?.procMount ?? "Default") !== "Default"),
    (bad) => ({
      reason: "procMount",
      detail: `${containersNamed(bad)} must not set securityContext.procMount to ${quotedSet(bad.map((one) => one.securityContext?.procMount ?? ""))}`,
    }),
  );
}

const seLinuxTypes = ["", "container_t", "container_init_t", "container_kvm_t"];

function seLinux(types: readonly string[]): (pod: Checked) => Violation | undefined {
  const isBad = (options: SELinuxOptions | undefined): boolean =>
    options !== undefined &&
    (!types.includes(options.type ?? "") || (options.user ?? "") !== "" || (options.role ?? "") !== "");
  return ({ containers, security }) => {
    const isPod = isBad(security.seLinuxOptions);
    const bad = containers.filter(({ securityContext }) => isBad(securityContext?.seLinuxOptions));
    const all = [isPod ? security.seLinuxOptions : undefined, ...bad.map((one) => one.securityContext?.seLinuxOptions)];
    const badTypes = sortedSet(all.flatMap((one) => one?.type ?? []).filter((type) => !types.includes(type)));
    const data = [
      ...(badTypes.length > 0 ? [`${counted("type", badTypes.length)} ${quoted(badTypes)}`] : []),
      ...(all.some((one) => (one?.user ?? "") !== "") ? ["user may not be set"] : []),
      ...(all.some((one) => (one?.role ?? "") !== "") ? ["role may not be set"] : []),
    ];
    if (!isPod && bad.length === 0) return undefined;
    const detail = `${setters(isPod, bad)} set forbidden securityContext.seLinuxOptions: ${data.join("; ")}`;
    return { reason: "seLinuxOptions", detail };
  };
}

/** Checks the deprecated annotations of profiles. */
function seccompAnnotations({ annotations, containers }: Checked): Violation | undefined {
  const keys = [
    "seccomp.security.alpha.kubernetes.io/pod",
    ...containers.map(({ name }) => `container.seccomp.security.alpha.kubernetes.io/${name}`),
  ];
  const bad = keys.flatMap((key) => {
    const value = annotations[key];
    return value === undefined || isAllowedSeccomp(value) ? [] : `${key}=${quote(value)}`;
  });
  if (bad.length === 0) return undefined;
  const list = sortedSet(bad);
  return { reason: "seccompProfile", detail: `forbidden ${counted("annotation", list.length)} ${list.join(", ")}` };
}

function isAllowedSeccomp(value: string): boolean {
  return value === "runtime/default" || value === "docker/default" || value.startsWith("localhost/");
}

const seccompTypes: ReadonlySet<string | undefined> = new Set(["Localhost", "RuntimeDefault"]);

/** Rejects seccomp profiles of a disallowed type. */
export function seccompProfile({ containers, security }: Checked): Violation | undefined {
  const pod = security.seccompProfile;
  const isPod = pod !== undefined && !seccompTypes.has(pod.type);
  const bad = containers.filter(
    ({ securityContext: own }) => own?.seccompProfile !== undefined && !seccompTypes.has(own.seccompProfile.type),
  );
  if (!isPod && bad.length === 0) return undefined;
  const types = [...(isPod ? [pod.type] : []), ...bad.map((one) => one.securityContext?.seccompProfile?.type ?? "")];
  const detail = `${setters(isPod, bad)} must not set securityContext.seccompProfile.type to ${quotedSet(types)}`;
  return { reason: "seccompProfile", detail };
}

const sysctls0 = [
  "kernel.shm_rmid_forced",
  "net.ipv4.ip_local_port_range",
  "net.ipv4.tcp_syncookies",
  "net.ipv4.ping_group_range",
  "net.ipv4.ip_unprivileged_port_start",
];
const sysctls27 = [...sysctls0, "net.ipv4.ip_local_reserved_ports"];
const sysctls29 = [
  ...sysctls27,
  "net.ipv4.tcp_keepalive_time",
  "net.ipv4.tcp_fin_timeout",
  "net.ipv4.tcp_keepalive_intvl",
  "net.ipv4.tcp_keepalive_probes",
];
const sysctls32 = [...sysctls29, "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"];

function sysctls(allowed: readonly string[]): (pod: Checked) => Violation | undefined {
  return ({ security }) => {
    const bad = (security.sysctls ?? []).map(({ name }) => name).filter((name) => !allowed.includes(name));
    return bad.length === 0 ? undefined : { reason: "forbidden sysctls", detail: bad.join(", ") };
  };
}

function windowsHostProcess({ containers, security }: Checked): Violation | undefined {
  const isPod = security.windowsOptions?.hostProcess === true;
  const bad = containers.filter(({ securityContext }) => securityContext?.windowsOptions?.hostProcess === true);
  if (!isPod && bad.length === 0) return undefined;
  const detail = `${setters(isPod, bad)} must not set securityContext.windowsOptions.hostProcess=true`;
  return { reason: "hostProcess", detail };
}

/** In the order in which violations are reported. */
export const baselineChecks: readonly Check[] = [
  { id: "appArmorProfile", versions: [{ since: 0, check: appArmorProfile }] },
  { id: "capabilities_baseline", versions: [{ since: 0, check: capabilities }] },
  { id: "hostNamespaces", versions: [{ since: 0, check: hostNamespaces }] },
  { id: "hostPathVolumes", versions: [{ since: 0, check: hostPathVolumes }] },
  { id: "hostPorts", versions: [{ since: 0, check: hostPorts }] },
  { id: "hostProbesAndHostLifecycle", versions: [{ since: 34, check: probeHosts }] },
  { id: "privileged", versions: [{ since: 0, check: privileged }] },
  {
    id: "procMount",
    versions: [
      { since: 0, check: procMount },
      { since: 35, check: (pod) => (hasOwnUsers(pod) ? undefined : procMount(pod)) },
    ],
  },
  {
    id: "seLinuxOptions",
    versions: [
      { since: 0, check: seLinux(seLinuxTypes) },
      { since: 31, check: seLinux([...seLinuxTypes, "container_engine_t"]) },
    ],
  },
  {
    id: "seccompProfile_baseline",
    versions: [
      { since: 0, check: seccompAnnotations },
      { since: 19, check: seccompProfile },
    ],
  },
  {
    id: "sysctls",
    versions: [
      { since: 0, check: sysctls(sysctls0) },
      { since: 27, check: sysctls(sysctls27) },
      { since: 29, check: sysctls(sysctls29) },
      { since: 32, check: sysctls(sysctls32) },
    ],
  },
  { id: "windowsHostProcess", versions: [{ since: 0, check: windowsHostProcess }] },
];
