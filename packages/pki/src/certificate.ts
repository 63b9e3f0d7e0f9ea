/** Certificates: building one, reading one, and checking its issuer. */
import { createHash, X509Certificate, type KeyObject } from "node:crypto";
import { bitString, integer, sequence, tagged, time } from "./der-writer.ts";
import { childAt, readChildren, readElement, readTime, type Element } from "./der-reader.ts";
import {
  readAlternativeNames,
  readExtensions,
  readIsAuthority,
  readKeyUsages,
  readSubjectKeyId,
  readUsages,
  type AlternativeNames,
  type ExtensionTable,
  type KeyUsage,
  type Usage,
} from "./extensions.ts";
import { readPublicKey, signatureAlgorithm, signBytes } from "./key.ts";
import { readName, type Name } from "./name.ts";
import { formatPem, parsePemBlock } from "./pem.ts";
import { remember } from "./remember.ts";

/**
 * From when to when a certificate is valid.
 *
 * @example
 * const month: Validity = validFor({ now: new Date(), days: 30 });
 */
export interface Validity {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/**
 * What a certificate says.
 *
 * @example
 * const isExpired = ({ notAfter }: Certificate, now: Date) => notAfter < now;
 */
export interface Certificate extends Validity, AlternativeNames {
  readonly subject: Name;
  readonly issuer: Name;
  /** Lower-case hexadecimal. */
  readonly serialNumber: string;
  readonly isAuthority: boolean;
  /** The usages of the key; empty when the certificate does not restrict them. */
  readonly keyUsages: readonly KeyUsage[];
  readonly usages: readonly Usage[];
  readonly publicKey: KeyObject;
  readonly subjectKeyId?: Buffer;
  /** SHA-256 of the whole certificate, lower-case hexadecimal. */
  readonly fingerprint: string;
}

/** The content of a certificate, with the names, key and extensions already encoded. */
export interface CertificateParts extends Validity {
  readonly serial: Uint8Array;
  readonly issuer: Buffer;
  readonly subject: Buffer;
  readonly keyInfo: Buffer;
  readonly extensions: readonly Buffer[];
}

/** Encodes and signs a version 3 certificate; returns PEM. */
export function buildCertificate(parts: CertificateParts, signer: KeyObject): string {
  const algorithm = signatureAlgorithm(signer);
  const body = sequence(
    tagged(0, "constructed", integer(Buffer.of(2))),
    integer(parts.serial),
    algorithm,
    parts.issuer,
    sequence(time(parts.notBefore), time(parts.notAfter)),
    parts.subject,
    parts.keyInfo,
    tagged(3, "constructed", sequence(...parts.extensions)),
  );
  return formatPem("CERTIFICATE", sequence(body, algorithm, bitString(signBytes(signer, body))));
}

/**
 * Reads the first certificate of a PEM text.
 *
 * @example
 * const authority = createAuthority({ commonName: "cache", now: new Date(), days: 365 });
 * const { subject, notAfter } = parseCertificate(authority.certificate);
 */
export function parseCertificate(pem: string): Certificate {
  return readCertificate(pem);
}

const readCertificate = remember(256, (pem) => decodeCertificate(parsePemBlock(pem, "CERTIFICATE")));

/** Reads a certificate from its DER bytes, such as a TLS peer's. */
export function decodeCertificate(der: Buffer): Certificate {
  const fields = certificateFields(der);
  const extensions = extensionsOf(fields);
  const validity = readChildren(childAt(fields, 4));
  const keyId = readSubjectKeyId(extensions);
  return {
    serialNumber: childAt(fields, 1)
      .content.toString("hex")
      .replace(/^(00)+(?=.)/, ""),
    issuer: readName(childAt(fields, 3)),
    notBefore: readTime(childAt(validity, 0)),
    notAfter: readTime(childAt(validity, 1)),
    subject: readName(childAt(fields, 5)),
    publicKey: readPublicKey(childAt(fields, 6).whole),
    isAuthority: readIsAuthority(extensions),
    keyUsages: readKeyUsages(extensions),
    usages: readUsages(extensions),
    ...readAlternativeNames(extensions),
    ...(keyId && { subjectKeyId: keyId }),
    fingerprint: createHash("sha256").update(der).digest("hex"),
  };
}

/** The encoded subject, to be copied as an issuer. */
export function subjectBytes(pem: string): Buffer {
  return childAt(certificateFields(parsePemBlock(pem, "CERTIFICATE")), 5).whole;
}

/**
 * Whether a certificate was signed by one of the authorities of a bundle and is valid at this moment.
 *
 * @example
 * const authority = createAuthority({ commonName: "cache", now: new Date(), days: 365 });
 * const issued = authority.issue({ commonName: "web", usages: ["server"], ...validFor({ now: new Date(), days: 30 }) });
 * isTrusted(issued.certificate, { authorities: [authority.certificate], now: new Date() });
 */
export function isTrusted(pem: string, options: { authorities: readonly string[]; now: Date }): boolean {
  const { notBefore, notAfter } = parseCertificate(pem);
  if (options.now < notBefore || options.now > notAfter) return false;
  return options.authorities.some((authority) => isIssuedBy(JSON.stringify([pem, authority])));
}

const isIssuedBy = remember(256, (pair) => {
  const [pem = "", issuer = ""] = JSON.parse(pair) as readonly string[];
  const certificate = new X509Certificate(pem);
  const authority = new X509Certificate(issuer);
  return certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
});

/** The fields of the signed part, with the version always at the front. */
function certificateFields(der: Buffer): Element[] {
  const fields = readChildren(childAt(readChildren(readElement(der)), 0));
  const hasVersion = fields[0]?.tag === 0xa0;
  return hasVersion ? fields : [readElement(Buffer.from("a003020100", "hex")), ...fields];
}

function extensionsOf(fields: readonly Element[]): ExtensionTable {
  const wrapped = fields.find((field) => field.tag === 0xa3);
  return wrapped === undefined ? new Map() : readExtensions(childAt(readChildren(wrapped), 0));
}
