/** The addresses that services can have: those of the ServiceCIDR objects, except addresses in use. */
import type { ServiceCIDR } from "@capstan/kinds/networking.k8s.io/v1";
import type { Service } from "@capstan/kinds/v1";
import { apiErrors } from "@capstan/model";
import type { Lookup, RuleContext, Writer } from "../context.ts";
import {
  formatIp,
  fromBigInt,
  ipFamilyOf,
  isInNetwork,
  networkAddress,
  parseIp,
  parseNetwork,
  toBigInt,
  type IpNetwork,
} from "../meta/ip-address.ts";
import type { IpFamily } from "./service-families.ts";

/** The network of a server that has no ServiceCIDR objects yet. */
export const defaultServiceNetwork = "10.0.0.0/24";

/** Why an address cannot be allocated. */
export interface PoolError {
  readonly ip: string;
  readonly why: string;
}

const addressResource = "ipaddresses.networking.k8s.io";
const networkResource = "servicecidrs.networking.k8s.io";

/** Addresses that requests hold until they are stored. The lookup identifies the server. */
const held = new WeakMap<Lookup, Set<string>>();

function heldBy(lookup: Lookup): Set<string> {
  let addresses = held.get(lookup);
  if (addresses === undefined) held.set(lookup, (addresses = new Set()));
  return addresses;
}

/** The pool as one request sees it. `release` frees the addresses that the request took. */
export class AddressPool {
  readonly families: readonly IpFamily[];
  readonly #context: RuleContext;
  readonly #networks: readonly IpNetwork[];
  readonly #taken: string[] = [];

  constructor(context: RuleContext) {
    this.#context = context;
    this.#networks = networksOf(context.lookup);
    this.families = [...new Set(this.#networks.map(({ bits }): IpFamily => (bits === 32 ? "IPv4" : "IPv6")))];
  }

  /** Takes the given address, or any address of the family if none is given. */
  take(family: string, ip: string): string | PoolError {
    const taken = ip === "" ? this.#takeAny(family) : this.#takeGiven(ip);
    if (typeof taken === "string" && !this.#context.dryRun) {
      this.#taken.push(taken);
      heldBy(this.#context.lookup).add(taken);
    }
    return taken;
  }

  release(): void {
    for (const ip of this.#taken.splice(0)) heldBy(this.#context.lookup).delete(ip);
  }

  #isFree(ip: string): boolean {
    const { lookup } = this.#context;
    return !heldBy(lookup).has(ip) && lookup.get(addressResource, ip) === undefined;
  }

  #takeGiven(ip: string): string | PoolError {
    const address = parseIp(ip);
    const found = address && this.#networks.find((one) => isInNetwork(address, one) && isUsable(address, one));
    // A dry run looks only at the first network of a family.
    const network = this.#context.dryRun ? this.#firstOf(ip) : found;
    if (address === undefined || network === undefined) {
      return { ip, why: "the provided network does not match the current range" };
    }
    if (!isUsable(address, network)) {
      const range = `${formatIp(networkAddress(network))}/${network.prefix}`;
      return { ip, why: `the provided IP (${ip}) is not in the valid range. The range of valid IPs is ${range}` };
    }
    if (this.#isFree(formatIp(address)) || this.#context.dryRun) return ip;
    return { ip, why: "provided IP is already allocated" };
  }

  #firstOf(ip: string): IpNetwork | undefined {
    const bits = ipFamilyOf(ip) === "IPv6" ? 128 : 32;
    return this.#networks.find((network) => network.bits === bits);
  }

  /** Starts at a random address in the upper part of the range. The lower part, reserved for static allocation, comes last. */
  #takeAny(family: string): string | PoolError {
    for (const network of this.#networks) {
      if ((network.bits === 32 ? "IPv4" : "IPv6") !== family) continue;
      const { first, last } = boundsOf(network);
      if (this.#context.dryRun) return formatIp(networkAddress(network));
      const middle = first + BigInt(keptAddresses(Number(last - first) + 1));
      const free = this.#search(middle, last) ?? this.#search(first, middle - 1n);
      if (free !== undefined) return free;
    }
    throw apiErrors.internalError("failed to allocate a serviceIP: range is full");
  }

  #search(first: bigint, last: bigint): string | undefined {
    const size = last - first + 1n;
    if (size <= 0n) return undefined;
    const largest = 2n ** 31n;
    const start = BigInt(this.#context.random(Number(size > largest ? largest : size)));
    for (let step = 0n; step < size; step++) {
      const ip = formatIp(fromBigInt(first + ((start + step) % size)));
      if (this.#isFree(ip)) return ip;
    }
    return undefined;
  }

  /** Creates the IPAddress object of a service and releases the hold of the request. */
  static settle(
    ip: string,
    { metadata }: Service,
    { writer, context }: { readonly writer: Writer; readonly context: RuleContext },
  ): void {
    heldBy(context.lookup).delete(ip);
    if (context.lookup.get(addressResource, ip) !== undefined) return;
    const { name, namespace = "" } = metadata;
    const object = {
      kind: "IPAddress",
      apiVersion: "networking.k8s.io/v1",
      metadata: {
        name: ip,
        uid: context.uid(),
        creationTimestamp: context.now,
        labels: {
          "ipaddress.kubernetes.io/ip-family": ipFamilyOf(ip) ?? "IPv4",
          "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
        },
      },
      spec: { parentRef: { resource: "services", namespace, name } },
    };
    writer.create(addressResource, writer.own(addressResource, object, { time: context.now }));
  }
}

function networksOf(lookup: Lookup): readonly IpNetwork[] {
  const known = lookup
    .list(networkResource)
    .map((object) => object as ServiceCIDR)
    .filter(isReady)
    .flatMap(({ spec }) => spec?.cidrs ?? []);
  const texts = known.length === 0 ? [defaultServiceNetwork] : known;
  return texts.map(parseNetwork).filter((network) => network !== undefined);
}

function isReady({ status, metadata }: ServiceCIDR): boolean {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  return metadata.deletionTimestamp === undefined && (ready === undefined || ready.status === "True");
}

/** Excludes the network address and, for IPv4, the broadcast address. */
function isUsable(address: NonNullable<ReturnType<typeof parseIp>>, network: IpNetwork): boolean {
  const { first, last } = boundsOf(network);
  const value = toBigInt(address);
  return value >= first && value <= last;
}

/** The first and last usable address: without the network address and, for IPv4, the broadcast address. */
function boundsOf(network: IpNetwork): { first: bigint; last: bigint } {
  const start = toBigInt(networkAddress(network));
  const size = 2n ** BigInt(network.bits - network.prefix);
  return { first: start + 1n, last: start + size - (network.bits === 32 ? 2n : 1n) };
}

/** The number of addresses reserved for static allocation: a sixteenth, at least 16, at most 256. */
function keptAddresses(size: number): number {
  if (size <= 16) return 0;
  return Math.min(256, Math.max(16, Math.floor(size / 16)));
}
