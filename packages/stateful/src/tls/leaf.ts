/** The certificate that all members share: kept while it is good, issued again when it is due, when its names or the trust change. */
import { createPrivateKey, createPublicKey } from "node:crypto";
import { isIP } from "node:net";
import { isTrusted, parseCertificate, validFor } from "@capstan/pki";
import type { Authority, Certificate, KeyedCertificate } from "@capstan/pki";
import type { Texts } from "./secret.ts";
import { dueTime } from "./succession.ts";

export interface LeafInput {
  readonly commonName: string;
  /** DNS names and IP addresses. */
  readonly names: readonly string[];
  /** The present data of the Secret. */
  readonly texts: Texts;
  /** The authorities that members must trust. */
  readonly trust: string;
  /** Undefined while a lost authority is being replaced. */
  readonly signer: Authority | undefined;
  readonly now: number;
  readonly validityMs: number;
}

const DAY = 86_400_000;

/** The present certificate while it is good enough, else a new one if there is a signer. */
export function keepLeaf(input: LeafInput): KeyedCertificate | undefined {
  const current = readLeaf(input.texts);
  if (current !== undefined && (input.signer === undefined || isGood(current, input))) return current;
  return input.signer && issueLeaf(input, input.signer, current && endOf(current));
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

/** The end of a certificate, in milliseconds since 1970. */
export function endOf({ certificate }: Pick<KeyedCertificate, "certificate">): number {
  return parseCertificate(certificate).notAfter.getTime();
}

/** Whether a certificate covers all names. A wildcard covers one label. */
export function coversNames(certificate: Certificate, names: readonly string[]): boolean {
  const addresses = new Set(certificate.ipAddresses.map(canonical));
  return names.every((name) =>
    isIP(name) ? addresses.has(canonical(name)) : certificate.dnsNames.some((own) => matches(own, name)),
  );
}

/** The canonical form of an IP address, for comparison. */
function canonical(address: string): string {
  return isIP(address) === 6 ? new URL(`http://[${address}]`).hostname : address;
}

function matches(own: string, name: string): boolean {
  if (own === name) return true;
  const dot = name.indexOf(".");
  return own.startsWith("*.") && dot > 0 && name.slice(dot) === own.slice(1);
}

/** A change of the trust needs another certificate: members are known to have loaded both by the end of the one that they serve. */
function isGood(current: KeyedCertificate, { names, trust, texts, signer, now }: LeafInput): boolean {
  const certificate = parseCertificate(current.certificate);
  return (
    signer !== undefined &&
    texts["ca.crt"] === trust &&
    now < dueTime(current) &&
    coversNames(certificate, names) &&
    isTrusted(current.certificate, { authorities: [signer.certificate], now: new Date(now) })
  );
}

/** A certificate does not outlive its authority, and two successive ones have different ends. */
function issueLeaf(
  { commonName, names, now, validityMs }: LeafInput,
  signer: Authority,
  currentEnd: number | undefined,
): KeyedCertificate {
  const { notBefore, notAfter } = validFor({ now: new Date(now), days: validityMs / DAY });
  const latest = Math.min(notAfter.getTime(), endOf(signer));
  // Certificates have whole seconds.
  const end = Math.floor(latest / 1_000) * 1_000;
  return signer.issue({
    commonName,
    usages: ["server", "client"],
    dnsNames: names.filter((name) => !isIP(name)),
    ipAddresses: names.filter((name) => isIP(name)),
    notBefore,
    notAfter: new Date(end === currentEnd ? end - 1_000 : end),
  });
}
