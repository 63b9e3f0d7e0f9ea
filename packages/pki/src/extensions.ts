/** The extensions of certificates: usages and alternative names. */
import { isIP, isIPv4 } from "node:net";
import { bitString, boolean, objectId, octetString, sequence, tag, tagged } from "./der-writer.ts";
import { childAt, readChildren, readElement, readObjectId, type Element } from "./der-reader.ts";
import { PkiError } from "./errors.ts";
import { extendedUsage, extension } from "./object-ids.ts";

/**
 * An end of a TLS connection that a certificate may stand at.
 *
 * @example
 * const usages: readonly Usage[] = ["server", "client"];
 */
export type Usage = "server" | "client";

/** The names besides the subject's under which a certificate is valid. */
export interface AlternativeNames {
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
}

/** Key usages, in the order of the bits in a certificate. */
export const keyUsages = [
  "digitalSignature",
  "contentCommitment",
  "keyEncipherment",
  "dataEncipherment",
  "keyAgreement",
  "certSign",
  "crlSign",
] as const;

/** One key usage. */
export type KeyUsage = (typeof keyUsages)[number];

/** Extensions by object identifier, each with its element. */
export type ExtensionTable = ReadonlyMap<string, Element>;

/** Whether the subject is an authority; always critical. */
export function basicConstraints(isAuthority: boolean): Buffer {
  return critical(extension.basicConstraints, isAuthority ? sequence(boolean(true)) : sequence());
}

/** The key usages; always critical. */
export function keyUsage(allowed: readonly KeyUsage[]): Buffer {
  const bits = allowed.reduce((sum, usage) => sum | (0x80 >> keyUsages.indexOf(usage)), 0);
  const trailingZeros = 31 - Math.clz32(bits & -bits);
  return critical(extension.keyUsage, bitString(Buffer.of(bits), trailingZeros));
}

/** The extended key usages: TLS server, TLS client or both. */
export function extendedKeyUsage(usages: readonly Usage[]): Buffer {
  return plain(extension.extendedKeyUsage, sequence(...usages.map((usage) => objectId(extendedUsage[usage]))));
}

/** The alternative names. */
export function subjectAltName(names: AlternativeNames): Buffer {
  const dns = names.dnsNames.map((name) => tagged(2, "primitive", dnsBytes(name)));
  const ips = names.ipAddresses.map((address) => tagged(7, "primitive", ipBytes(address)));
  return plain(extension.subjectAltName, sequence(...dns, ...ips));
}

/** The identifier of the certificate's key. */
export function subjectKeyId(identifier: Buffer): Buffer {
  return plain(extension.subjectKeyId, octetString(identifier));
}

/** The identifier of the issuer's key. */
export function authorityKeyId(identifier: Buffer): Buffer {
  return plain(extension.authorityKeyId, sequence(tagged(0, "primitive", identifier)));
}

/** Reads a SEQUENCE OF Extension into a table. */
export function readExtensions(list: Element): ExtensionTable {
  return new Map(
    readChildren(list).map((entry) => {
      const parts = readChildren(entry);
      return [readObjectId(childAt(parts, 0, tag.objectId)), readElement(childAt(parts, parts.length - 1).content)];
    }),
  );
}

/** Whether the extensions make the subject an authority. */
export function readIsAuthority(extensions: ExtensionTable): boolean {
  const constraints = extensions.get(extension.basicConstraints);
  const flag = constraints && readChildren(constraints)[0];
  return flag !== undefined && flag.tag === tag.boolean && flag.content[0] !== 0;
}

/** The key usages; all of them, when the certificate does not restrict them. */
export function readKeyUsages(extensions: ExtensionTable): KeyUsage[] {
  const bits = extensions.get(extension.keyUsage)?.content[1];
  return bits === undefined ? [] : keyUsages.filter((_, index) => (bits & (0x80 >> index)) !== 0);
}

/** The supported extended key usages. */
export function readUsages(extensions: ExtensionTable): Usage[] {
  const list = extensions.get(extension.extendedKeyUsage);
  const ids = list === undefined ? [] : readChildren(list).map(readObjectId);
  return (["server", "client"] as const).filter((usage) => ids.includes(extendedUsage[usage]));
}

/** The alternative names of the two supported kinds. */
export function readAlternativeNames(extensions: ExtensionTable): AlternativeNames {
  const list = extensions.get(extension.subjectAltName);
  const names = list === undefined ? [] : readChildren(list);
  return {
    dnsNames: names.filter((name) => name.tag === 0x82).map((name) => name.content.toString("latin1")),
    ipAddresses: names.filter((name) => name.tag === 0x87).map((name) => formatIp(name.content)),
  };
}

/** The bytes of a key identifier, when the certificate has one. */
export function readSubjectKeyId(extensions: ExtensionTable): Buffer | undefined {
  return extensions.get(extension.subjectKeyId)?.content;
}

function plain(id: string, value: Buffer): Buffer {
  return sequence(objectId(id), octetString(value));
}

function critical(id: string, value: Buffer): Buffer {
  return sequence(objectId(id), boolean(true), octetString(value));
}

function dnsBytes(name: string): Buffer {
  if (name === "" || !/^[\x21-\x7e]+$/.test(name)) {
    throw new PkiError("InvalidName", `could not use "${name}" as a DNS name; write it in ASCII (xn-- for others)`);
  }
  return Buffer.from(name, "latin1");
}

function ipBytes(address: string): Buffer {
  if (isIP(address) === 0) {
    throw new PkiError("InvalidName", `could not use "${address}" as an IP address; give IPv4 or IPv6 text`);
  }
  return isIPv4(address) ? Buffer.from(address.split(".").map(Number)) : ipv6Bytes(address);
}

function ipv6Bytes(address: string): Buffer {
  const plainHex = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = "", tail] = plainHex.split("::");
  const groups = (part: string | undefined) => (part === undefined || part === "" ? [] : part.split(":"));
  const [left, right] = [groups(head), groups(tail)];
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => "0");
  return Buffer.from([...left, ...zeros, ...right].map((group) => group.padStart(4, "0")).join(""), "hex");
}

function formatIp(bytes: Buffer): string {
  if (bytes.length === 4) return bytes.join(".");
  const groups = bytes.toString("hex").match(/.{4}/g) ?? [];
  return new URL(`http://[${groups.join(":")}]`).hostname.slice(1, -1);
}
