/** The certificate that all members share: kept while it is good, issued again when it is due, when its names or the trust change. */
import { createPrivateKey, createPublicKey } from "node:crypto";
import { isIP } from "node:net";
import { isTrusted, parseCertificate, validFor } from "@capstan/pki";
import type { Authority, Certificate, KeyedCertificate, Usage } from "@capstan/pki";
import type { Texts } from "./secret.ts";
import { dueTime } from "./succession.ts";

/**
 * What a certificate should say, and what there is.
 *
 * @example
 * const nameOf = ({ commonName }: LeafInput) => commonName;
 */
export interface LeafInput {
  readonly commonName: string;
  /** Default: server and client. */
  readonly usages?: readonly Usage[];
  /** DNS names and IP addresses. */
  readonly names: readonly string[];
  /** The present data of the Secret. */
  readonly texts: Texts;
  /** Another trust than that of the Secret needs another certificate. Default: the trust does not matter. */
  readonly trust?: string;
  /** Undefined while a lost authority is being replaced. */
  readonly signer: Authority | undefined;
  readonly now: number;
  readonly validityMs: number;
}

const DAY = 86_400_000;
const BOTH: readonly Usage[] = ["server", "client"];

/**
 * The present certificate while it is good enough, else a new one if there is a signer.
 *
 * @example
 * const wished = { commonName: "db", names: ["db.default.svc"], validityMs: 90 * 86_400_000 };
 * const leaf = keepLeaf({ ...wished, texts: {}, signer: undefined, now: Date.now() });
 */
export function keepLeaf(input: LeafInput): KeyedCertificate | undefined {
  const current = readLeaf(input.texts);
  if (current !== undefined && (input.signer === undefined || isGood(current, input))) return current;
  return input.signer && issueLeaf(input, input.signer, current && endOf(current));
}

/**
 * The certificate and key of a Secret, if both are valid and match.
 *
 * @example
 * const leaf = readLeaf({ "tls.crt": "", "tls.key": "" });
 */
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
function isGood(
  current: KeyedCertificate,
  { commonName, names, usages = BOTH, trust, texts, signer, now }: LeafInput,
): boolean {
  const certificate = parseCertificate(current.certificate);
  return (
    signer !== undefined &&
    (trust === undefined || texts["ca.crt"] === trust) &&
    certificate.subject.commonName === commonName &&
    usages.every((usage) => certificate.usages.includes(usage)) &&
    now < dueTime(current) &&
    coversNames(certificate, names) &&
    isTrusted(current.certificate, { authorities: [signer.certificate], now: new Date(now) })
  );
}

/** A certificate does not outlive its authority, and two successive ones have different ends. */
function issueLeaf(
  { commonName, names, usages = BOTH, now, validityMs }: LeafInput,
  signer: Authority,
  currentEnd: number | undefined,
): KeyedCertificate {
  const { notBefore, notAfter } = validFor({ now: new Date(now), days: validityMs / DAY });
  const latest = Math.min(notAfter.getTime(), endOf(signer));
  // Certificates have whole seconds.
  const end = Math.floor(latest / 1_000) * 1_000;
  return signer.issue({
    commonName,
    usages,
    dnsNames: names.filter((name) => !isIP(name)),
    ipAddresses: names.filter((name) => isIP(name)),
    notBefore,
    notAfter: new Date(end === currentEnd ? end - 1_000 : end),
  });
}
