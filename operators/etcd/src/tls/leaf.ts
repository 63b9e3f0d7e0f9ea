/** Certificates of members and clients: kept while valid, renewed in time. */
import { createPrivateKey, createPublicKey } from "node:crypto";
import { isIP } from "node:net";
import { isTrusted, parseCertificate, validFor } from "capstan/pki";
import type { Authority, Certificate, KeyedCertificate, Usage } from "capstan/pki";
import type { Texts } from "./secret.ts";

/** The desired content of a certificate. */
export interface LeafWish {
  readonly commonName: string;
  readonly usages: readonly Usage[];
  /** DNS names and IP addresses. */
  readonly names: readonly string[];
}

export interface LeafInput {
  readonly wish: LeafWish;
  /** The present data of the Secret. */
  readonly texts: Texts;
  /** Undefined while a lost authority is being replaced. */
  readonly signer: Authority | undefined;
  readonly now: number;
  readonly validityMs: number;
}

const DAY = 86_400_000;

/** The present certificate while it is good enough, else a new one if there is a signer. */
export function keepLeaf(input: LeafInput): KeyedCertificate | undefined {
  const current = readLeaf(input.texts);
  if (current && (input.signer === undefined || isGood(current, input))) return current;
  return input.signer ? issueLeaf(input, input.signer) : undefined;
}

/** The time of renewal: two thirds of its lifetime. */
export function renewalTime({ certificate }: KeyedCertificate): number {
  const { notBefore, notAfter } = parseCertificate(certificate);
  return notBefore.getTime() + ((notAfter.getTime() - notBefore.getTime()) * 2) / 3;
}

/** The certificate and key of a Secret, if both are valid and match. */
export function readLeaf(texts: Texts): KeyedCertificate | undefined {
  const { "tls.crt": certificate, "tls.key": privateKey } = texts;
  if (certificate === undefined || privateKey === undefined) return undefined;
  try {
    const { publicKey } = parseCertificate(certificate);
    return createPublicKey(createPrivateKey(privateKey)).equals(publicKey) ? { certificate, privateKey } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a certificate covers all names. A wildcard covers one label. */
export function coversNames(certificate: Certificate, names: readonly string[]): boolean {
  const { dnsNames } = certificate;
  const addresses = new Set(certificate.ipAddresses.map(canonical));
  const hasName = (name: string): boolean => dnsNames.some((own) => matches(own, name));
  return names.every((name) => (isIP(name) ? addresses.has(canonical(name)) : hasName(name)));
}

/** The canonical form of an IP address, for comparison. */
function canonical(address: string): string {
  return isIP(address) === 6 ? new URL(`http://[${address}]`).hostname : address;
}

function matches(own: string, name: string): boolean {
  if (own === name) return true;
  return own.startsWith("*.") && name.slice(name.indexOf(".")) === own.slice(1) && name.indexOf(".") > 0;
}

function isGood(current: KeyedCertificate, { wish, signer, now }: LeafInput): boolean {
  const certificate = parseCertificate(current.certificate);
  return (
    now < renewalTime(current) &&
    certificate.subject.commonName === wish.commonName &&
    wish.usages.every((usage) => certificate.usages.includes(usage)) &&
    coversNames(certificate, wish.names) &&
    signer !== undefined &&
    isTrusted(current.certificate, { authorities: [signer.certificate], now: new Date(now) })
  );
}

/** A certificate does not outlive its authority. */
function issueLeaf({ wish, now, validityMs }: LeafInput, signer: Authority): KeyedCertificate {
  const { notBefore, notAfter } = validFor({ now: new Date(now), days: validityMs / DAY });
  const end = parseCertificate(signer.certificate).notAfter;
  return signer.issue({
    commonName: wish.commonName,
    usages: wish.usages,
    dnsNames: wish.names.filter((name) => !isIP(name)),
    ipAddresses: wish.names.filter((name) => isIP(name)),
    notBefore,
    notAfter: notAfter < end ? notAfter : end,
  });
}
