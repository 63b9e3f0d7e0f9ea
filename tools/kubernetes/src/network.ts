/** The addresses of a cluster. Every cluster has its own namespaces, so all use the same ones. */

/** The pod network. */
export const POD_RANGE = "10.244.0.0/16";
/** The service network. */
export const SERVICE_RANGE = "10.96.0.0/16";
/** The service named kubernetes: the first address of the range, as kube-apiserver chooses it. */
export const API_SERVICE_ADDRESS = "10.96.0.1";
/** The service of the cluster's name server. */
export const DNS_SERVICE_ADDRESS = "10.96.0.10";
/** The port of every kube-apiserver; peers differ by address, as the endpoints of one service must share the port. */
export const API_PORT = 6443;
/** Where etcd listens. */
export const ETCD_URL = "http://127.0.0.1:2379";
/** The network card that all machines of the cluster share. */
export const INTERFACE = "machines0";
/** How many API servers and nodes have an address. */
export const MOST_API_SERVERS = 9;
export const MOST_NODES = 9;

const MACHINES = "10.123.0";

/** Where servers of a test listen that the API server or pods are to call. */
export const TEST_ADDRESS: string = `${MACHINES}.2`;

/** Where CoreDNS itself listens. */
export const DNS_ADDRESS: string = `${MACHINES}.3`;

/** The address of the first (0) or a further kube-apiserver. */
export function apiServerAddress(index: number): string {
  return `${MACHINES}.${11 + index}`;
}

/** The address of a node; the first is 1. */
export function nodeAddress(number: number): string {
  return `${MACHINES}.${100 + number}`;
}

/** What `ip -batch` must do in a fresh network namespace. */
export function interfaceCommands(): string {
  const addresses = [
    TEST_ADDRESS,
    DNS_ADDRESS,
    ...Array.from({ length: MOST_API_SERVERS }, (_, index) => apiServerAddress(index)),
    ...Array.from({ length: MOST_NODES }, (_, index) => nodeAddress(index + 1)),
  ];
  return [
    "link set lo up",
    `link add ${INTERFACE} type veth peer name ${INTERFACE}p`,
    ...addresses.map((address) => `addr add ${address}/24 dev ${INTERFACE}`),
    `link set ${INTERFACE}p up`,
    `link set ${INTERFACE} up`,
    `route add default dev ${INTERFACE}`,
    "",
  ].join("\n");
}
