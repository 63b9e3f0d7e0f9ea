/** The network of a node: each pod has one veth pair and one address, and all traffic between pods is routed. Pure. */
import { createHash } from "node:crypto";
import type { BoundPod } from "../pod/containers.ts";
import { strayMark } from "../services/stray.ts";
import { makeReadOnly } from "./read-only.ts";
import { quoted } from "./quoted.ts";

/** The veth pair of one pod. */
export interface PodLine {
  /** The name of the node's end. */
  readonly device: string;
  /** The address of the pod. */
  readonly ip: string;
  /** The address of the node, the next hop of all packets of a pod. */
  readonly gateway: string;
  /** The process that holds the pod's network namespace. */
  readonly holder: number;
}

/**
 * Host ports are elements of one map, so that each can be added and removed separately. Packets of pods to 127.0.0.0/8 are dropped before
 * any destination is rewritten: only the node itself uses its loopback. Packets with a source address of another pod are dropped.
 */
const hostPortRules = `table ip capstan-host-ports {
  map ports { type ipv4_addr . inet_proto . inet_service : ipv4_addr . inet_service; }
  map marks { type ipv4_addr . inet_proto . inet_service : mark; }
  chain choose { fib daddr type local meta l4proto udp ct mark set ${strayMark}; fib daddr type local ct mark set ip daddr . meta l4proto . th dport map @marks; fib daddr type local dnat ip to ip daddr . meta l4proto . th dport map @ports; }
  chain prerouting { type nat hook prerouting priority -101; policy accept; jump choose; }
  chain output { type nat hook output priority -101; policy accept; jump choose; }
  chain postrouting { type nat hook postrouting priority 99; policy accept; ct status dnat ip saddr 127.0.0.0/8 masquerade; }
  chain guard { type filter hook prerouting priority -150; policy accept; iifname != "lo" ip daddr 127.0.0.0/8 drop; iifname != "lo" fib saddr . iif oif missing drop; }
}`;

/** One host port of a pod. */
export interface HostPort {
  readonly key: string;
  readonly value: string;
  /** The conntrack mark of its UDP packets. */
  readonly mark: number | undefined;
}

/** The map elements for the host ports of a pod; a port without an address is bound to the node's address. */
export function hostPortElements({ spec }: BoundPod, ip: string, nodeAddress: string): readonly HostPort[] {
  if (spec.hostNetwork === true) return [];
  const ports = [...(spec.initContainers ?? []), ...spec.containers].flatMap(({ ports: declared = [] }) => declared);
  return ports.flatMap(({ hostPort = 0, hostIP = "", containerPort, protocol = "TCP" }) => {
    const address = hostIP === "" || hostIP === "0.0.0.0" ? nodeAddress : hostIP;
    const key = `${address} . ${protocol.toLowerCase()} . ${hostPort}`;
    const mark = protocol === "UDP" ? markOf(`${key} ${ip}`) : undefined;
    return hostPort === 0 || address.includes(":") ? [] : [{ key, value: `${ip} . ${containerPort}`, mark }];
  });
}

function markOf(text: string): number {
  return createHash("sha256").update(text).digest().readUInt32BE(0);
}

/** The parts of the state that are mounted inside. The state itself is accessible only to its owner, so these are mounted one by one. */
export const shownFolders: readonly string[] = ["pods", "containers", "disk", "roots"];

/** Where the files of images are mounted inside: a path that reveals nothing to a reader of mount options. */
export const insideRoots = "/mnt/roots";

/** What the namespaces are set up with. */
export interface MachineSetting {
  readonly state: string;
  /** Where the state is mounted inside. */
  readonly inside: string;
  /** The files of images; all clusters of a user share them. */
  readonly roots: string;
  /** The address of the DNS server. */
  readonly names: string;
}

/** Sets up the network and the file systems of the namespaces, once. */
export function machineScript({ state, inside, roots, names }: MachineSetting): string {
  return [
    `mount -t tmpfs -o mode=755 tmpfs /mnt`,
    `mkdir ${insideRoots}; mount --bind ${quoted(roots)} ${insideRoots}; ${makeReadOnly(insideRoots)}`,
    `umount ${quoted(roots)}`,
    ...shownFolders.map(
      (name) => `mkdir -p ${inside}/${name}; mount --bind ${quoted(`${state}/${name}`)} ${inside}/${name}`,
    ),
    "ip link set lo up",
    `ip addr add ${names}/32 dev lo`,
    "echo 1 > /proc/sys/net/ipv4/ip_forward",
    // In a cgroup namespace, which needs only an own user namespace, a pod could mount the cgroups of the whole machine.
    "echo 0 > /proc/sys/user/max_cgroup_namespaces",
    // Packets of pods may have a loopback address of the node after their destination was rewritten.
    "echo 1 > /proc/sys/net/ipv4/conf/all/route_localnet",
    ...openNetwork,
    `nft -f - <<'rules'\n${hostPortRules}\nrules`,
    "",
  ].join("\n");
}

/** The node's side of a pod's veth pair, for `ip -batch`. */
export function nodeSide({ device, ip, gateway, holder }: PodLine): string {
  return [
    `link add ${device} type veth peer name eth0 netns ${holder}`,
    `addr add ${gateway}/32 dev ${device}`,
    `link set ${device} up`,
    `route add ${ip}/32 dev ${device}`,
    "",
  ].join("\n");
}

/** All users may ping and listen on low ports, as with container runtimes. */
const openNetwork = [
  "echo 0 2147483647 > /proc/sys/net/ipv4/ping_group_range || true",
  "echo 0 > /proc/sys/net/ipv4/ip_unprivileged_port_start || true",
];

/** What a pod's namespaces need. */
export interface PodSetting {
  readonly line: PodLine | undefined;
  /** A folder for the mounts that its containers share. */
  readonly folder: string;
}

/** The mounts that the containers of a pod share: `/sys` and `/dev/shm`. */
export function sharedFolders(folder: string): readonly [sys: string, memory: string] {
  return [`${folder}/sys`, `${folder}/shm`];
}

const hiddenParts = ["firmware", "devices/virtual/powercap"];

/** Sets up the namespaces of a pod: its side of the veth pair, and the mounts that its containers share. */
export function podScript({ line, folder }: PodSetting): string {
  const [sys, memory] = sharedFolders(folder);
  return [
    ...(line === undefined ? [] : ["ip -batch - <<'side'", podSide(line), "side", ...openNetwork]),
    `mkdir -p ${sys} ${memory}`,
    // The kernel rejects a sysfs mount that would show more than the existing one: then the pod has none.
    `mount -t sysfs -o ro,nosuid,nodev,noexec sysfs ${sys} 2>/dev/null || true`,
    // Container runtimes mask firmware data and power readings of the machine.
    `for part in ${hiddenParts.join(" ")}; do if [ -d ${sys}/$part ]; then mount -t tmpfs -o ro,size=4k tmpfs ${sys}/$part; fi; done`,
    `mount -t tmpfs -o mode=1777,nosuid,nodev,size=64m shm ${memory}`,
    "",
  ].join("\n");
}

function podSide({ ip, gateway }: PodLine): string {
  return [
    "link set lo up",
    `addr add ${ip}/32 dev eth0`,
    "link set eth0 up",
    `route add ${gateway} dev eth0 scope link`,
    `route add default via ${gateway}`,
  ].join("\n");
}
