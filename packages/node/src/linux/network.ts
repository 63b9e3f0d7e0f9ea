/** The network of a node: each pod has one line to it and one address, and everything between pods is routed. Pure. */

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
