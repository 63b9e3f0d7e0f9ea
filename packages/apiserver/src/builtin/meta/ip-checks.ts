/** Validation of addresses and networks in fields that accepted non-canonical forms in the past. */
import { fieldErrors, quote, type FieldError } from "@capstan/model";
import {
  formatIp,
  isInNetwork,
  isIpv4,
  networkAddress,
  parseIp,
  parseNetwork,
  type IpAddress,
  type IpNetwork,
} from "./ip-address.ts";

const sets = new WeakMap<readonly string[], ReadonlySet<string>>();

/** Whether a list, which is asked about each of many values, contains a value. */
function isIn(list: readonly string[], value: string): boolean {
  if (list.length < 16) return list.includes(value);
  let set = sets.get(list);
  if (set === undefined) sets.set(list, (set = new Set(list)));
  return set.has(value);
}

/** Checks an address; one that the old object has may stay. */
export function checkIp(value: string, path: string, before: readonly string[] = []): FieldError[] {
  if (isIn(before, value)) return [];
  const address = parseIp(value);
  if (address === undefined) {
    return [fieldErrors.invalid(path, value, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)")];
  }
  if (hasLeadingZeros(value)) return [fieldErrors.invalid(path, value, "must not have leading 0s")];
  if (isMapped(value, address)) return [fieldErrors.invalid(path, value, "must not be an IPv4-mapped IPv6 address")];
  return [];
}

/** Checks a network; one that the old object has may stay. */
export function checkNetwork(value: string, path: string, before: readonly string[] = []): FieldError[] {
  if (isIn(before, value)) return [];
  const network = parseNetwork(value);
  if (network === undefined) {
    return [fieldErrors.invalid(path, value, "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)")];
  }
  const [address = "", prefix = ""] = value.split("/");
  if (hasLeadingZeros(address) || /^0[0-9]/.test(prefix)) {
    return [fieldErrors.invalid(path, value, "must not have leading 0s in IP or prefix length")];
  }
  if (isMapped(address, network.address)) {
    return [fieldErrors.invalid(path, value, "must not have an IPv4-mapped IPv6 address")];
  }
  if (hasHostBits(network)) {
    return [fieldErrors.invalid(path, value, "must not have bits set beyond the prefix length")];
  }
  return [];
}

/** Checks an interface address, an address with a prefix length, in canonical form. */
export function checkInterfaceAddress(value: string, path: string): FieldError[] {
  const network = parseNetwork(value);
  if (network === undefined) {
    const why = "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)";
    return [fieldErrors.invalid(path, value, why)];
  }
  const { address, prefix, bits } = network;
  const size = isIpv4(address) && bits === 128 && prefix > 32 ? prefix - 96 : prefix;
  const canonical = `${formatIp(address)}/${size}`;
  return value === canonical
    ? []
    : [fieldErrors.invalid(path, value, `must be in canonical form (${quote(canonical)})`)];
}

/** Strict parsers reject leading zeros in the IPv4 part and groups of more than four digits. */
function hasLeadingZeros(text: string): boolean {
  const ipv4 = text.slice(text.lastIndexOf(":") + 1);
  return (ipv4.includes(".") && /(^|\.)0[0-9]/.test(ipv4)) || /[0-9a-fA-F]{5,}/.test(text);
}

function isMapped(text: string, address: IpAddress): boolean {
  return text.includes(":") && isIpv4(address);
}

function hasHostBits(network: IpNetwork): boolean {
  const start = networkAddress(network);
  return network.address.some((byte, index) => byte !== start[index]);
}

/** Warnings about an address that is valid but not canonical. */
export function ipWarnings(value: string, path: string): string[] {
  const address = parseIp(value);
  if (address === undefined) return [];
  if (hasLeadingZeros(value) || isMapped(value, address)) {
    return [`${path}: non-standard IP address ${quote(value)} is invalid: use ${quote(formatIp(address))}`];
  }
  const canonical = formatIp(address);
  if (!value.includes(":") || canonical === value) return [];
  return [`${path}: IPv6 address ${quote(value)} should be in RFC 5952 canonical format (${quote(canonical)})`];
}

/** Warnings about a network that is valid but not canonical. */
export function networkWarnings(value: string, path: string): string[] {
  const network = parseNetwork(value);
  if (network === undefined) return [];
  const canonical = `${formatIp(networkAddress(network))}/${network.prefix}`;
  const single = `${formatIp(network.address)}/${network.bits}`;
  const [address = "", prefix = ""] = value.split("/");
  const warnings: string[] = [];
  if (hasHostBits(network)) {
    warnings.push(
      `${path}: CIDR value ${quote(value)} is ambiguous in this context (should be ${quote(canonical)} or ${quote(single)}?)`,
    );
  }
  if (hasLeadingZeros(address) || /^0[0-9]/.test(prefix) || isMapped(address, network.address)) {
    warnings.push(`${path}: non-standard CIDR value ${quote(value)} is invalid: use ${quote(canonical)}`);
  }
  if (warnings.length > 0 || !value.includes(":") || canonical === value) return warnings;
  return [`${path}: IPv6 CIDR value ${quote(value)} should be in RFC 5952 canonical format (${quote(canonical)})`];
}

/** Requires an address that traffic can be sent to: not unspecified, loopback or link-local. */
export function checkEndpointIp(value: string, path: string): FieldError[] {
  const address = parseIp(value);
  if (address === undefined) return [fieldErrors.invalid(path, value, "must be a valid IP address")];
  return unreachableBecause(address, value).map((why) => fieldErrors.invalid(path, value, why));
}

function unreachableBecause(address: IpAddress, value: string): string[] {
  const text = formatIp(address);
  const reasons: string[] = [];
  if (text === "0.0.0.0" || text === "::") reasons.push(`may not be unspecified (${value})`);
  for (const [networks, why] of unreachable) {
    if (networks.some((network) => isInNetwork(address, network))) reasons.push(`may not be in the ${why}`);
  }
  return reasons;
}

const unreachable: readonly (readonly [readonly IpNetwork[], string])[] = [
  [toNetworks("127.0.0.0/8", "::1/128"), "loopback range (127.0.0.0/8, ::1/128)"],
  [toNetworks("169.254.0.0/16", "fe80::/10"), "link-local range (169.254.0.0/16, fe80::/10)"],
  [
    // A multicast address of scope 2 is link-local, whatever its other flags.
    toNetworks("224.0.0.0/24", ...Array.from({ length: 16 }, (_, flags) => `ff${flags.toString(16)}2::/16`)),
    "link-local multicast range (224.0.0.0/24, ff02::/10)",
  ],
];

function toNetworks(...texts: readonly string[]): IpNetwork[] {
  return texts.map(parseNetwork).filter((network) => network !== undefined);
}
