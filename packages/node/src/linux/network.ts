/** The network of a node: each pod has one line to it and one address, and everything between pods is routed. Pure. */
import type { BoundPod } from "../pod/containers.ts";

/** The line of one pod. */
export interface PodLine {
  /** The name of the node's end. */
  readonly device: string;
  /** The address of the pod. */
  readonly ip: string;
  /** The address of the node, the next hop of everything that a pod sends. */
  readonly gateway: string;
  /** The process whose network is the pod's. */
  readonly holder: number;
}

/** Ports of nodes that belong to pods are elements of one map, so that each can come and go on its own. */
const hostPortRules = `table ip capstan-host-ports {
  map ports { type inet_proto . inet_service : ipv4_addr . inet_service; }
  chain choose { fib daddr type local ip daddr != 127.0.0.0/8 dnat ip to meta l4proto . th dport map @ports; }
  chain prerouting { type nat hook prerouting priority -101; policy accept; jump choose; }
  chain output { type nat hook output priority -101; policy accept; jump choose; }
}`;

/** The elements of the map for the ports that a pod asks for. */
export function hostPortElements(
  { spec }: BoundPod,
  ip: string,
): readonly { readonly key: string; readonly value: string }[] {
  if (spec.hostNetwork === true) return [];
  const ports = [...(spec.initContainers ?? []), ...spec.containers].flatMap(({ ports: declared = [] }) => declared);
  return ports.flatMap(({ hostPort, containerPort, protocol = "TCP" }) =>
    hostPort === undefined || hostPort === 0
      ? []
      : [{ key: `${protocol.toLowerCase()} . ${hostPort}`, value: `${ip} . ${containerPort}` }],
  );
}

/** Prepares the network and the file systems of the namespaces, once. */
export function machineScript(state: string, inside: string, names: string): string {
  return [
    `mount -t tmpfs -o mode=755 tmpfs /mnt`,
    `mkdir -p ${inside}`,
    `mount --bind ${quoted(state)} ${inside}`,
    "ip link set lo up",
    `ip addr add ${names}/32 dev lo`,
    "echo 1 > /proc/sys/net/ipv4/ip_forward",
    // Connections to the node's loopback addresses may come from pods after their destination was rewritten.
    "echo 1 > /proc/sys/net/ipv4/conf/all/route_localnet",
    "echo 0 2147483647 > /proc/sys/net/ipv4/ping_group_range || true",
    "echo 0 > /proc/sys/net/ipv4/ip_unprivileged_port_start || true",
    `nft -f - <<'rules'\n${hostPortRules}\nrules`,
    "",
  ].join("\n");
}

/** The node's side of a pod's line, for `ip -batch`. */
export function nodeSide({ device, ip, gateway, holder }: PodLine): string {
  return [
    `link add ${device} type veth peer name eth0 netns ${holder}`,
    `addr add ${gateway}/32 dev ${device}`,
    `link set ${device} up`,
    `route add ${ip}/32 dev ${device}`,
    "",
  ].join("\n");
}

/** The pod's side of its line, for `ip -batch` in its network. */
export function podSide({ ip, gateway }: PodLine): string {
  return [
    "link set lo up",
    `addr add ${ip}/32 dev eth0`,
    "link set eth0 up",
    `route add ${gateway} dev eth0 scope link`,
    `route add default via ${gateway}`,
    "",
  ].join("\n");
}

/** A text as one word of a shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
