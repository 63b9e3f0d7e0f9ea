/** Decides whether a pod may run on a node at all; one that may not is failed at once, as the kubelet fails it. Pure. */
import type { BoundPod } from "./containers.ts";
import type { Verdict } from "./situation.ts";

/** Kernel settings that touch nobody but the pod. */
const safeSettings = new Set([
  "kernel.shm_rmid_forced",
  "net.ipv4.ip_local_port_range",
  "net.ipv4.tcp_syncookies",
  "net.ipv4.ping_group_range",
  "net.ipv4.ip_unprivileged_port_start",
  "net.ipv4.ip_local_reserved_ports",
  "net.ipv4.tcp_keepalive_time",
  "net.ipv4.tcp_fin_timeout",
  "net.ipv4.tcp_keepalive_intvl",
  "net.ipv4.tcp_keepalive_probes",
  "net.ipv4.tcp_rmem",
  "net.ipv4.tcp_wmem",
]);

/** Why a pod cannot run here; `undefined` when it can. */
export function admit({ spec }: BoundPod): Verdict | undefined {
  for (const { name } of spec.securityContext?.sysctls ?? []) {
    const setting = name.replaceAll("/", ".");
    if (!safeSettings.has(setting)) return forbidden(`"${name}" not allowlisted`);
    if (spec.hostNetwork === true && setting.startsWith("net."))
      return forbidden(`"${name}" not allowed with host net enabled`);
    if (spec.hostIPC === true && setting.startsWith("kernel."))
      return forbidden(`"${name}" not allowed with host ipc enabled`);
  }
  return undefined;
}

function forbidden(why: string): Verdict {
  return { reason: "SysctlForbidden", message: `forbidden sysctl: ${why}` };
}
