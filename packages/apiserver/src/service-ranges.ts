/** The service network and the node port range, which are chosen when a server starts. */
import {
  formatIp,
  fromBigInt,
  networkAddress,
  parseNetwork,
  toBigInt,
  type IpNetwork,
} from "./builtin/meta/ip-address.ts";
import { defaultServiceNetwork } from "./builtin/core/address-pool.ts";
import { defaultNodePorts, type PortRange } from "./builtin/core/node-ports.ts";

/** The option that is invalid. */
export type ServiceRangeErrorCode = "BadNetwork" | "BadPorts";

/** An invalid range. */
export class ServiceRangeError extends Error {
  override readonly name = "ServiceRangeError";
  readonly code: ServiceRangeErrorCode;

  constructor(code: ServiceRangeErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** The requested ranges, if any. */
export interface AskedRanges {
  readonly serviceNetwork?: string;
  readonly nodePorts?: string;
}

/** Parses both ranges. */
export function readServiceRanges({ serviceNetwork, nodePorts }: AskedRanges): ServiceRanges {
  return {
    network: serviceNetwork === undefined ? defaultServiceNetwork : parseServiceNetworks(serviceNetwork),
    nodePorts: nodePorts === undefined ? defaultNodePorts : parseNodePorts(nodePorts),
  };
}

export interface ServiceRanges {
  /** One network, or two separated by a comma. */
  readonly network: string;
  readonly nodePorts: PortRange;
}

/** The smallest allowed network has this many host bits. */
const fewestBits = 3;

/** Parses one network, or two of both families separated by a comma, and removes their host bits. */
export function parseServiceNetworks(text: string): string {
  const [first = "", second, ...more] = text.split(",").map((part) => part.trim());
  if (more.length > 0) throw badNetwork(text, "has more than two networks");
  const networks =
    second === undefined
      ? [parseServiceNetwork(first, 32)]
      : [parseServiceNetwork(first, 32), parseServiceNetwork(second, 128)];
  return networks.join(",");
}

function parseServiceNetwork(text: string, bits: 32 | 128): string {
  const network = parseNetwork(text);
  if (network === undefined) throw badNetwork(text, "is no network such as 10.0.0.0/24");
  if (network.bits !== bits) throw badNetwork(text, wrongFamily[bits]);
  if (network.bits - network.prefix < fewestBits) throw badNetwork(text, "has fewer than 8 addresses");
  return `${formatIp(networkAddress(network))}/${network.prefix}`;
}

const wrongFamily = {
  32: "is no IPv4 network, and the first one must be: addresses of servers are IPv4 here",
  128: "is no IPv6 network, and the second one must be",
} as const;

/** The first usable address of the first network: the server's own. */
export function serverAddressIn(text: string): string {
  const network: IpNetwork | undefined = parseNetwork(text.split(",")[0] ?? "");
  if (network === undefined) throw badNetwork(text, "is no network");
  return formatIp(fromBigInt(toBigInt(networkAddress(network)) + 1n));
}

/** Parses ports as kube-apiserver does: `30000-32767`, or `30000+99` for a hundred ports, or one port. */
export function parseNodePorts(text: string): PortRange {
  const found = /^\s*(\d{1,5})(?:([-+])(\d{1,5}))?\s*$/.exec(text);
  const first = Number(found?.[1] ?? NaN);
  const end = found?.[3] === undefined ? first : Number(found[3]);
  const last = found?.[2] === "+" ? first + end : end;
  if (!(first > 0 && first <= last && last <= 65_535)) {
    throw new ServiceRangeError("BadPorts", `${JSON.stringify(text)} is no range of ports such as 30000-32767`);
  }
  return { first, last };
}

function badNetwork(text: string, why: string): ServiceRangeError {
  return new ServiceRangeError("BadNetwork", `${JSON.stringify(text)} ${why}`);
}
