/** IP addresses and networks as Go parses them: leading zeros are parsed, so that validation can reject them with the right message. */

/** Sixteen bytes; an IPv4 address is mapped into IPv6, as Go keeps it. */
export type IpAddress = readonly number[];

const mappedPrefix = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255] as const;

/** Parses an address, with leading zeros in IPv4 allowed; `undefined` if it is malformed. */
export function parseIp(text: string): IpAddress | undefined {
  const first = /[.:]/.exec(text)?.[0];
  if (first === undefined) return undefined;
  return first === "." ? parseIpv4(text) : parseIpv6(text);
}

function parseIpv4(text: string): IpAddress | undefined {
  const parts = text.split(".");
  if (parts.length !== 4 || parts.some((part) => !/^[0-9]+$/.test(part) || Number(part) > 255)) return undefined;
  return [...mappedPrefix, ...parts.map(Number)];
}

function parseIpv6(text: string): IpAddress | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map((half) => (half === "" ? [] : toBytes(half.split(":"))));
  if (head === undefined || (halves.length === 2 && tail === undefined)) return undefined;
  if (tail === undefined) return head.length === 16 ? head : undefined;
  const gap = 16 - head.length - tail.length;
  return gap < 2 ? undefined : [...head, ...Array.from({ length: gap }, () => 0), ...tail];
}

/** The bytes of groups between colons; the last may be an IPv4 address. */
function toBytes(groups: readonly string[]): number[] | undefined {
  const bytes: number[] = [];
  for (const [index, group] of groups.entries()) {
    if (group.includes(".")) {
      const ipv4 = index === groups.length - 1 ? parseIpv4(group) : undefined;
      if (ipv4 === undefined) return undefined;
      bytes.push(...ipv4.slice(12));
    } else {
      if (!/^0*[0-9a-fA-F]{1,4}$/.test(group)) return undefined;
      const value = Number.parseInt(group, 16);
      bytes.push(value >> 8, value & 255);
    }
  }
  return bytes.length > 16 ? undefined : bytes;
}

/** Whether an address is IPv4, mapped or not. */
export function isIpv4(address: IpAddress): boolean {
  return mappedPrefix.every((byte, index) => address[index] === byte);
}

/** The family of an address text; `undefined` if it is malformed. */
export function ipFamilyOf(text: string): "IPv4" | "IPv6" | undefined {
  const address = parseIp(text);
  if (address === undefined) return undefined;
  return isIpv4(address) ? "IPv4" : "IPv6";
}

/** The canonical text of an address. */
export function formatIp(address: IpAddress): string {
  if (isIpv4(address)) return address.slice(12).join(".");
  const groups = Array.from(
    { length: 8 },
    (_, index) => ((address[index * 2] ?? 0) << 8) | (address[index * 2 + 1] ?? 0),
  );
  const { start, length } = longestZeros(groups);
  const hex = groups.map((group) => group.toString(16));
  if (length < 2) return hex.join(":");
  return `${hex.slice(0, start).join(":")}::${hex.slice(start + length).join(":")}`;
}

function longestZeros(groups: readonly number[]): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  for (let start = 0; start < groups.length; start++) {
    let end = start;
    while (groups[end] === 0) end++;
    if (end - start > best.length) best = { start, length: end - start };
  }
  return best;
}

/** A network: an address, the length of its prefix, and the number of address bits. */
export interface IpNetwork {
  readonly address: IpAddress;
  readonly prefix: number;
  readonly bits: 32 | 128;
}

/** A network as `10.0.0.0/8`, with bits beyond the prefix and leading zeros allowed. */
export function parseNetwork(text: string): IpNetwork | undefined {
  const slash = text.indexOf("/");
  const length = text.slice(slash + 1);
  if (slash < 0 || !/^[0-9]+$/.test(length)) return undefined;
  const addressText = text.slice(0, slash);
  const address = parseIp(addressText);
  if (address === undefined) return undefined;
  const bits = addressText.includes(":") ? 128 : 32;
  const prefix = Number(length);
  return prefix > bits ? undefined : { address, prefix, bits };
}

/** The first address of a network. */
export function networkAddress({ address, prefix, bits }: IpNetwork): IpAddress {
  const kept = prefix + (128 - bits);
  return address.map((byte, index) => {
    const here = Math.min(8, Math.max(0, kept - index * 8));
    return byte & (0xff << (8 - here)) & 0xff;
  });
}

/** Whether an address lies in a network of its family. */
export function isInNetwork(address: IpAddress, network: IpNetwork): boolean {
  if (isIpv4(address) !== (network.bits === 32)) return false;
  const start = networkAddress(network);
  return networkAddress({ ...network, address }).every((byte, index) => byte === start[index]);
}

/** An address as a number, for arithmetic within a network. */
export function toBigInt(address: IpAddress): bigint {
  return address.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
}

/** The address of a number. */
export function fromBigInt(value: bigint): IpAddress {
  return Array.from({ length: 16 }, (_, index) => Number((value >> BigInt((15 - index) * 8)) & 255n));
}
