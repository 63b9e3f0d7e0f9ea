/** Admits pods to a node; a rejected pod fails at once, as with the kubelet. Pure. */
import type { Node } from "@capstan/kinds/v1";
import { isWanted } from "../placement/affinity.ts";
import { untolerated } from "../placement/taints.ts";
import { containersOf, type BoundPod } from "./containers.ts";
import { requestedResources, requestOf, toAmount } from "./requests.ts";
import type { Verdict } from "./situation.ts";

/** The resources of a node and their users. */
export interface Room {
  readonly allocatable: { readonly [resource: string]: string };
  /** The other pods that use resources of the node. */
  readonly others: readonly BoundPod[];
  /** The node as stored in the API server; without it, no taint or affinity is checked. */
  readonly node?: Node | undefined;
}

/** Sysctls that affect only the pod. */
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

/** Why a pod is rejected; `undefined` if it is admitted. Of several reasons the first is reported, in the order of the kubelet's checks. */
export function admit(pod: BoundPod, room: Room): Verdict | undefined {
  return (
    refuseSettings(pod) ??
    refuseSystem(pod) ??
    refuseResources(pod, room) ??
    refusePlace(pod, room) ??
    refusePorts(pod, room) ??
    refuseTaints(pod, room)
  );
}

/** The only supported operating system. */
const system = "linux";

function refuseSystem({ metadata, spec }: BoundPod): Verdict | undefined {
  if ((metadata.labels?.["kubernetes.io/os"] ?? system) !== system) {
    const message = "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label";
    return { reason: "PodOSSelectorNodeLabelDoesNotMatch", message };
  }
  if ((spec.os?.name ?? system) === system) return undefined;
  return { reason: "PodOSNotSupported", message: "Failed to admit pod as the OS field doesn't match node OS" };
}

function refusePlace(pod: BoundPod, { node }: Room): Verdict | undefined {
  if (node === undefined || isWanted(node, pod)) return undefined;
  return failed("NodeAffinity", "node(s) didn't match Pod's node affinity/selector");
}

/** NoSchedule taints are ignored: the pod is already bound to this node. */
function refuseTaints(pod: BoundPod, { node }: Room): Verdict | undefined {
  if (node === undefined || untolerated(node, pod, ["NoExecute"]) === undefined) return undefined;
  return failed("TaintToleration", "node(s) had taints that the pod didn't tolerate");
}

function failed(predicate: string, why: string): Verdict {
  return { reason: predicate, message: `Predicate ${predicate} failed: ${why}` };
}

function refuseSettings({ spec }: BoundPod): Verdict | undefined {
  for (const { name } of spec.securityContext?.sysctls ?? []) {
    const setting = name.replaceAll("/", ".");
    const shared = setting.startsWith("net.") ? spec.hostNetwork : spec.hostIPC;
    if (!safeSettings.has(setting)) return forbidden(`"${name}" not allowlisted`);
    if (shared === true)
      return forbidden(`"${name}" not allowed with host ${setting.startsWith("net.") ? "net" : "ipc"} enabled`);
  }
  return undefined;
}

function forbidden(why: string): Verdict {
  return { reason: "SysctlForbidden", message: `forbidden sysctl: ${why}` };
}

interface Port {
  readonly address: string;
  readonly protocol: string;
  readonly port: number;
}

/** A host port belongs to one pod; a port on all addresses also conflicts with those on particular ones. */
function refusePorts(pod: BoundPod, { others }: Room): Verdict | undefined {
  const wanted = portsOf(pod);
  const taken = wanted.length === 0 ? [] : others.flatMap(portsOf);
  const isFree = wanted.every((one) => !taken.some((other) => collide(one, other)));
  return isFree ? undefined : failed("NodePorts", "node(s) didn't have free ports for the requested pod ports");
}

function portsOf({ spec }: BoundPod): readonly Port[] {
  return containersOf(spec).flatMap(({ spec: { ports = [] } }) =>
    ports.flatMap(({ hostPort = 0, hostIP = "", protocol = "TCP" }) =>
      hostPort === 0 ? [] : [{ address: hostIP === "" ? "0.0.0.0" : hostIP, protocol, port: hostPort }],
    ),
  );
}

function collide(a: Port, b: Port): boolean {
  const isAny = a.address === "0.0.0.0" || b.address === "0.0.0.0";
  return a.port === b.port && a.protocol === b.protocol && (isAny || a.address === b.address);
}

function refuseResources({ spec }: BoundPod, { allocatable, others }: Room): Verdict | undefined {
  const places = toAmount(allocatable["pods"], "pods");
  if (places > 0n && BigInt(others.length) >= places)
    return lack("pods", { requested: 1n, used: BigInt(others.length), capacity: places });
  for (const name of inOrder(requestedResources(spec))) {
    const requested = requestOf(spec, name);
    const capacity = toAmount(allocatable[name], name);
    const used = requested === 0n ? 0n : others.reduce((sum, other) => sum + requestOf(other.spec, name), 0n);
    if (name in allocatable && requested > 0n && requested + used > capacity)
      return lack(name, { requested, used, capacity });
  }
  return undefined;
}

/** Resources that every node has are checked first. */
function inOrder(names: ReadonlySet<string>): readonly string[] {
  const first = ["cpu", "memory", "ephemeral-storage"];
  return [...first.filter((name) => names.has(name)), ...[...names].filter((name) => !first.includes(name))];
}

interface Shortage {
  readonly requested: bigint;
  readonly used: bigint;
  readonly capacity: bigint;
}

function lack(name: string, { requested, used, capacity }: Shortage): Verdict {
  const message = `Node didn't have enough resource: ${name}, requested: ${requested}, used: ${used}, capacity: ${capacity}`;
  return { reason: `OutOf${name}`, message };
}
