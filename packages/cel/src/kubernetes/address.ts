/** IP addresses and prefixes as Go's netip reads and writes them. */

import { quote } from "../values/text.ts";

/** An address: 4 or 16 bytes, and a zone for some of the longer ones. */
export interface Address {
  readonly bytes: Uint8Array;
  readonly zone: string;
}

/** The error of an invalid address or prefix. */
export class AddressError extends Error {
  override readonly name = "AddressError";
}

function refuse(input: string, reason: string, at = ""): never {
  throw new AddressError(`ParseAddr(${quote(input)}): ${reason}${at === "" ? "" : ` (at ${quote(at)})`}`);
}

export function parseAddress(text: string): Address {
  const first = /[.:%]/.exec(text)?.[0];
  if (first === ".") return { bytes: parseIpv4(text, text), zone: "" };
  if (first === ":") return parseIpv6(text);
  return refuse(text, first === "%" ? "missing IPv6 address" : "unable to parse IP");
}

function parseIpv4(input: string, text: string): Uint8Array {
  const fields: number[] = [];
  let value = 0;
  let digits = 0;
  for (let index = 0; index < text.length; index++) {
    const char = text[index] as string;
    if (char >= "0" && char <= "9") {
      if (digits === 1 && value === 0) refuse(input, "IPv4 field has octet with leading zero");
      value = value * 10 + Number(char);
      digits++;
      if (value > 255) refuse(input, "IPv4 field has value >255");
      continue;
    }
    if (char !== ".") refuse(input, "unexpected character", text.slice(index));
    if (index === 0 || index === text.length - 1 || text[index - 1] === ".") {
      refuse(input, "IPv4 field must have at least one digit", text.slice(index));
    }
    if (fields.length === 3) refuse(input, "IPv4 address too long");
    fields.push(value);
    value = 0;
    digits = 0;
  }
  if (fields.length < 3) refuse(input, "IPv4 address too short");
  return Uint8Array.from([...fields, value]);
}

function parseIpv6(input: string): Address {
  const percent = input.indexOf("%");
  const zone = percent === -1 ? "" : input.slice(percent + 1);
  if (percent !== -1 && zone === "") refuse(input, "zone must be a non-empty string");
  const text = percent === -1 ? input : input.slice(0, percent);
  return { bytes: new Ipv6Reader(input, text).read(), zone };
}

/** Reads the groups of one address from left to right. */
class Ipv6Reader {
  private readonly input: string;
  private rest: string;
  private readonly bytes: number[] = [];
  /** How many bytes stand before `::`; -1 without one. */
  private gap = -1;

  constructor(input: string, text: string) {
    this.input = input;
    this.rest = text;
  }

  read(): Uint8Array {
    if (this.rest.startsWith("::")) {
      this.gap = 0;
      this.rest = this.rest.slice(2);
      if (this.rest === "") return new Uint8Array(16);
    }
    while (this.bytes.length < 16 && this.group());
    if (this.rest !== "") refuse(this.input, "trailing garbage after address", this.rest);
    return this.filled();
  }

  /** One group; false at the end. */
  private group(): boolean {
    const digits = /^[0-9a-fA-F]*/.exec(this.rest)?.[0] ?? "";
    if (digits.length > 4) refuse(this.input, "each group must have 4 or less digits", this.rest);
    if (digits === "") refuse(this.input, "each colon-separated field must have at least one digit", this.rest);
    if (this.rest[digits.length] === ".") return this.embedded();
    const value = Number.parseInt(digits, 16);
    this.bytes.push(value >> 8, value & 0xff);
    this.rest = this.rest.slice(digits.length);
    return this.rest !== "" && this.colon();
  }

  private embedded(): boolean {
    if (this.gap < 0 && this.bytes.length !== 12) {
      refuse(this.input, "embedded IPv4 address must replace the final 2 fields of the address", this.rest);
    }
    if (this.bytes.length + 4 > 16) {
      refuse(this.input, "too many hex fields to fit an embedded IPv4 at the end of the address", this.rest);
    }
    this.bytes.push(...parseIpv4(this.input, this.rest));
    this.rest = "";
    return false;
  }

  private colon(): boolean {
    if (!this.rest.startsWith(":")) refuse(this.input, "unexpected character, want colon", this.rest);
    if (this.rest.length === 1) refuse(this.input, "colon must be followed by more characters", this.rest);
    this.rest = this.rest.slice(1);
    if (!this.rest.startsWith(":")) return true;
    if (this.gap >= 0) refuse(this.input, "multiple :: in address", this.rest);
    this.gap = this.bytes.length;
    this.rest = this.rest.slice(1);
    return this.rest !== "";
  }

  private filled(): Uint8Array {
    const missing = 16 - this.bytes.length;
    if (missing > 0 && this.gap < 0) refuse(this.input, "address string too short");
    if (missing === 0 && this.gap >= 0) refuse(this.input, "the :: must expand to at least one field of zeros");
    const zeros = Array.from({ length: missing }, () => 0);
    return Uint8Array.from([
      ...this.bytes.slice(0, this.gap < 0 ? 16 : this.gap),
      ...zeros,
      ...(this.gap < 0 ? [] : this.bytes.slice(this.gap)),
    ]);
  }
}

export function isIpv4(address: Address): boolean {
  return address.bytes.length === 4;
}

/** An IPv4 address in the clothes of IPv6. */
export function isMapped(address: Address): boolean {
  const { bytes } = address;
  return (
    bytes.length === 16 && bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff
  );
}

/** The canonical text: the longest run of zero groups becomes `::`. */
export function formatAddress(address: Address): string {
  if (isIpv4(address)) return address.bytes.join(".");
  const groups = Array.from({ length: 8 }, (_, index) => groupAt(address, index));
  const { start, length } = longestZeros(groups);
  const hex = (part: readonly number[]): string => part.map((group) => group.toString(16)).join(":");
  const text = length < 2 ? hex(groups) : `${hex(groups.slice(0, start))}::${hex(groups.slice(start + length))}`;
  return address.zone === "" ? text : `${text}%${address.zone}`;
}

/** Two bytes of an IPv6 address as one number. */
export function groupAt(address: Address, index: number): number {
  return ((address.bytes[index * 2] ?? 0) << 8) | (address.bytes[index * 2 + 1] ?? 0);
}

function longestZeros(groups: readonly number[]): { readonly start: number; readonly length: number } {
  let best = { start: 0, length: 0 };
  for (let start = 0; start < groups.length; start++) {
    let length = 0;
    while (groups[start + length] === 0) length++;
    if (length > best.length) best = { start, length };
  }
  return best;
}

/** An address with the number of its leading bits that name a network. */
export interface Prefix {
  readonly address: Address;
  readonly bits: number;
}

export function parsePrefix(text: string): Prefix {
  const slash = text.lastIndexOf("/");
  const refusal = (reason: string): AddressError => new AddressError(`netip.ParsePrefix(${quote(text)}): ${reason}`);
  if (slash === -1) throw refusal("no '/'");
  const address = parseWithin(text.slice(0, slash), refusal);
  if (address.zone !== "") throw refusal("IPv6 zones cannot be present in a prefix");
  const bitsText = text.slice(slash + 1);
  if (!/^(0|[1-9]\d*)$/.test(bitsText)) throw refusal(`bad bits after slash: ${quote(bitsText)}`);
  const bits = Number(bitsText);
  if (bits > address.bytes.length * 8) throw refusal("prefix length out of range");
  return { address, bits };
}

function parseWithin(text: string, refusal: (reason: string) => AddressError): Address {
  try {
    return parseAddress(text);
  } catch (error) {
    if (!(error instanceof AddressError)) throw error;
    throw refusal(error.message);
  }
}

/** The prefix with all bits after it cleared. */
export function masked({ address, bits }: Prefix): Prefix {
  const bytes = address.bytes.map((byte, index) => byte & maskByte(bits - index * 8));
  return { address: { bytes, zone: "" }, bits };
}

function maskByte(bits: number): number {
  if (bits >= 8) return 0xff;
  return bits <= 0 ? 0 : (0xff << (8 - bits)) & 0xff;
}

/** Whether the first `bits` bits of two addresses of one family are the same. */
export function sharePrefix(a: Address, b: Address, bits: number): boolean {
  if (a.bytes.length !== b.bytes.length) return false;
  const left = masked({ address: a, bits }).address.bytes;
  const right = masked({ address: b, bits }).address.bytes;
  return left.every((byte, index) => byte === right[index]);
}

export function sameAddress(a: Address, b: Address): boolean {
  return a.zone === b.zone && sharePrefix(a, b, 128);
}
