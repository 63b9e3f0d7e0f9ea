/** The IP and CIDR libraries. */

import type { Implementation } from "../check/declarations.ts";
import { member, overload } from "../check/declarations.ts";
import type { Library } from "../library/library.ts";
import { BOOL, INT, opaqueType, STRING, type Type } from "../type.ts";
import { quote } from "../values/text.ts";
import type { CelResult, CelValue } from "../values/value.ts";
import { CelError, CelObject, fail, noSuchOverload } from "../values/value.ts";
import type { TypeProvider } from "../check/declarations.ts";
import type { Address, Prefix } from "./address.ts";
import {
  AddressError,
  formatAddress,
  groupAt,
  isIpv4,
  isMapped,
  masked,
  parseAddress,
  parsePrefix,
  sameAddress,
  sharePrefix,
} from "./address.ts";

export const IP: Type = opaqueType("net.IP");
export const CIDR: Type = opaqueType("net.CIDR");

/** An IP address. */
export class CelIp extends CelObject {
  override readonly type: Type = IP;
  readonly address: Address;
  constructor(address: Address) {
    super();
    this.address = address;
  }
  override equals(other: CelValue): boolean | CelError {
    return other instanceof CelIp ? sameAddress(this.address, other.address) : noSuchOverload();
  }
  override get costSize(): number {
    return this.address.bytes.length;
  }
  override get text(): string {
    return formatAddress(this.address);
  }
}

/** A network prefix. */
export class CelCidr extends CelObject {
  override readonly type: Type = CIDR;
  readonly prefix: Prefix;
  constructor(prefix: Prefix) {
    super();
    this.prefix = prefix;
  }
  override equals(other: CelValue): boolean | CelError {
    if (!(other instanceof CelCidr)) return noSuchOverload();
    return this.prefix.bits === other.prefix.bits && sameAddress(this.prefix.address, other.prefix.address);
  }
  override get costSize(): number {
    return Math.ceil(this.prefix.bits / 8);
  }
  override get text(): string {
    return `${formatAddress(this.prefix.address)}/${this.prefix.bits}`;
  }
}

/** Runs a parser and turns its exception into an error value. */
function attempt<T extends CelValue>(parse: () => T, word: (message: string) => string): T | CelError {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof AddressError)) throw error;
    return fail(word(error.message));
  }
}

function toIp(value: CelValue | undefined): CelIp | CelError {
  const text = value as string;
  const ip = attempt(
    () => new CelIp(parseAddress(text)),
    (message) => `IP Address ${quote(text)} parse error during conversion from string: ${message}`,
  );
  if (ip instanceof CelError) return ip;
  if (ip.address.zone !== "") return fail(`IP address ${quote(text)} with zone value is not allowed`);
  return isMapped(ip.address) ? fail(`IPv4-mapped IPv6 address ${quote(text)} is not allowed`) : ip;
}

const CIDR_COMPLAINT = "network address parse error during conversion from string: ";

function toCidr(value: CelValue | undefined): CelCidr | CelError {
  const text = value as string;
  const cidr = attempt(
    () => new CelCidr(parsePrefix(text)),
    (message) => `${CIDR_COMPLAINT}${CIDR_COMPLAINT}${message}`,
  );
  if (cidr instanceof CelError || !isMapped(cidr.prefix.address)) return cidr;
  return fail(`${CIDR_COMPLAINT}IPv4-mapped IPv6 address ${quote(text)} is not allowed`);
}

function byteAt(address: Address, index: number): number {
  return address.bytes[index] ?? 0;
}

function isUnspecified(address: Address): boolean {
  return address.bytes.every((byte) => byte === 0);
}

function isLoopback(address: Address): boolean {
  if (isIpv4(address)) return byteAt(address, 0) === 127;
  return address.bytes.subarray(0, 15).every((byte) => byte === 0) && byteAt(address, 15) === 1;
}

function isLinkLocalUnicast(address: Address): boolean {
  if (isIpv4(address)) return byteAt(address, 0) === 169 && byteAt(address, 1) === 254;
  return (groupAt(address, 0) & 0xffc0) === 0xfe80;
}

function isLinkLocalMulticast(address: Address): boolean {
  if (isIpv4(address)) return byteAt(address, 0) === 224 && byteAt(address, 1) === 0 && byteAt(address, 2) === 0;
  return (groupAt(address, 0) & 0xff0f) === 0xff02;
}

function isMulticast(address: Address): boolean {
  return isIpv4(address) ? (byteAt(address, 0) & 0xf0) === 0xe0 : byteAt(address, 0) === 0xff;
}

function isGlobalUnicast(address: Address): boolean {
  const broadcast = isIpv4(address) && address.bytes.every((byte) => byte === 255);
  return !(
    broadcast ||
    isUnspecified(address) ||
    isLoopback(address) ||
    isMulticast(address) ||
    isLinkLocalUnicast(address)
  );
}

function ipTest(
  name: string,
  id: string,
  test: (address: Address) => boolean,
): NonNullable<Library["functions"]>[number] {
  return { name, overloads: [member(id, [IP], BOOL, (ip) => test((ip as CelIp).address))] };
}

const isCanonical: Implementation = (text) => {
  const ip = toIp(text as CelValue);
  return ip instanceof CelError ? ip : ip.text === text;
};

/** Makes a type known by its name, so that `type(x) == net.IP` can be written. */
function named(type: Type): TypeProvider {
  return { findType: (name) => (name === type.name ? type : undefined), findField: () => undefined };
}

export const IP_LIBRARY: Library = {
  name: "kubernetes.net.ip",
  types: named(IP),
  functions: [
    { name: "ip", overloads: [overload("string_to_ip", [STRING], IP, (text) => toIp(text as CelValue))] },
    { name: "family", overloads: [member("ip_family", [IP], INT, (ip) => (isIpv4((ip as CelIp).address) ? 4n : 6n))] },
    { name: "ip.isCanonical", overloads: [overload("ip_is_canonical", [STRING], BOOL, isCanonical)] },
    ipTest("isUnspecified", "ip_is_unspecified", isUnspecified),
    ipTest("isLoopback", "ip_is_loopback", isLoopback),
    ipTest("isLinkLocalMulticast", "ip_is_link_local_multicast", isLinkLocalMulticast),
    ipTest("isLinkLocalUnicast", "ip_is_link_local_unicast", isLinkLocalUnicast),
    ipTest("isGlobalUnicast", "ip_is_global_unicast", isGlobalUnicast),
    { name: "isIP", overloads: [overload("is_ip", [STRING], BOOL, (text) => toIp(text as CelValue) instanceof CelIp)] },
    { name: "string", overloads: [overload("ip_to_string", [IP], STRING, (ip) => (ip as CelIp).text)] },
  ],
};

function containsIp(cidr: CelValue | undefined, ip: CelResult): CelResult {
  if (ip instanceof CelError) return noSuchOverload();
  const { prefix } = cidr as CelCidr;
  return sharePrefix(prefix.address, (ip as CelIp).address, prefix.bits);
}

function containsCidr(cidr: CelValue | undefined, other: CelResult): CelResult {
  if (other instanceof CelError) return other;
  const { prefix } = cidr as CelCidr;
  const inner = (other as CelCidr).prefix;
  return prefix.bits <= inner.bits && sharePrefix(prefix.address, inner.address, prefix.bits);
}

export const CIDR_LIBRARY: Library = {
  name: "kubernetes.net.cidr",
  types: named(CIDR),
  functions: [
    { name: "cidr", overloads: [overload("string_to_cidr", [STRING], CIDR, (text) => toCidr(text as CelValue))] },
    {
      name: "containsIP",
      overloads: [
        member("cidr_contains_ip_string", [CIDR, STRING], BOOL, (cidr, text) => containsIp(cidr, toIp(text))),
        member("cidr_contains_ip_ip", [CIDR, IP], BOOL, (cidr, ip) => containsIp(cidr, ip as CelValue)),
      ],
    },
    {
      name: "containsCIDR",
      overloads: [
        member("cidr_contains_cidr_string", [CIDR, STRING], BOOL, (cidr, text) => containsCidr(cidr, toCidr(text))),
        member("cidr_contains_cidr", [CIDR, CIDR], BOOL, (cidr, other) => containsCidr(cidr, other as CelValue)),
      ],
    },
    { name: "ip", overloads: [member("cidr_ip", [CIDR], IP, (cidr) => new CelIp((cidr as CelCidr).prefix.address))] },
    {
      name: "prefixLength",
      overloads: [member("cidr_prefix_length", [CIDR], INT, (cidr) => BigInt((cidr as CelCidr).prefix.bits))],
    },
    {
      name: "masked",
      overloads: [member("cidr_masked", [CIDR], CIDR, (cidr) => new CelCidr(masked((cidr as CelCidr).prefix)))],
    },
    {
      name: "isCIDR",
      overloads: [overload("is_cidr", [STRING], BOOL, (text) => toCidr(text as CelValue) instanceof CelCidr)],
    },
    { name: "string", overloads: [overload("cidr_to_string", [CIDR], STRING, (cidr) => (cidr as CelCidr).text)] },
  ],
};
