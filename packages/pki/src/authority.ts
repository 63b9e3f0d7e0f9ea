/** A certificate authority: it creates itself, issues certificates with their keys, and signs requests. */
import { createHash, createPublicKey, type KeyObject } from "node:crypto";
import { buildCertificate, parseCertificate, subjectBytes, type Validity } from "./certificate.ts";
import { systemEntropy, type Entropy, type KeyKind } from "./entropy.ts";
import { PkiError } from "./errors.ts";
import {
  authorityKeyId,
  basicConstraints,
  extendedKeyUsage,
  keyUsage,
  subjectAltName,
  subjectKeyId,
  type AlternativeNames,
  type Usage,
} from "./extensions.ts";
import { formatPrivateKey, keyIdentifier, parsePrivateKey, publicKeyInfo } from "./key.ts";
import { encodeName, type Name } from "./name.ts";
import { parseRequest } from "./request.ts";

/**
 * A certificate with the private key that belongs to it, both as PEM.
 *
 * @example
 * const secretData = ({ certificate, privateKey }: KeyedCertificate) => ({ "tls.crt": certificate, "tls.key": privateKey });
 */
export interface KeyedCertificate {
  readonly certificate: string;
  readonly privateKey: string;
}

/**
 * What to issue. Names and ends of the connection that are left out are not in the certificate.
 *
 * @example
 * const options: IssueOptions = { commonName: "web", usages: ["client"], ...validFor({ now: new Date(), days: 30 }) };
 */
export interface IssueOptions extends Validity, Partial<AlternativeNames> {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  readonly usages: readonly Usage[];
  readonly keyKind?: KeyKind;
}

/** What the signer decides; the names and the key come from the request. */
export interface SignOptions extends Validity {
  readonly usages: readonly Usage[];
}

/**
 * Something that vouches for others.
 *
 * @example
 * const serverCertificate = (authority: Authority, dnsNames: readonly string[]) =>
 *   authority.issue({ commonName: "web", dnsNames, usages: ["server"], ...validFor({ now: new Date(), days: 30 }) });
 */
export interface Authority extends KeyedCertificate {
  /** Creates a key and a certificate for it. */
  readonly issue: (options: IssueOptions) => KeyedCertificate;
  /** Issues the certificate of a request (PEM), after checking its signature. */
  readonly sign: (request: string, options: SignOptions) => string;
}

/**
 * How to make an authority.
 *
 * @example
 * const options: AuthorityOptions = { commonName: "cache", now: new Date(), days: 365 };
 * const authority = createAuthority(options);
 */
export interface AuthorityOptions {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  readonly now: Date;
  readonly days: number;
  readonly keyKind?: KeyKind;
  readonly entropy?: Entropy;
}

const skewMs = 5 * 60_000;
const dayMs = 24 * 60 * 60_000;

/**
 * A period that starts five minutes ago, for clocks that are late, and ends in some days.
 *
 * @example
 * const { notBefore, notAfter } = validFor({ now: new Date(), days: 90 });
 */
export function validFor({ now, days }: { now: Date; days: number }): Validity {
  return { notBefore: new Date(now.getTime() - skewMs), notAfter: new Date(now.getTime() + days * dayMs) };
}

/**
 * Makes an authority that vouches for itself.
 *
 * @example
 * const authority = createAuthority({ commonName: "cache", now: new Date(), days: 365 });
 * const issued = authority.issue({ commonName: "web", usages: ["server"], ...validFor({ now: new Date(), days: 30 }) });
 */
export function createAuthority(options: AuthorityOptions): Authority {
  const { commonName, organizations = [], keyKind = "ec-p256", entropy = systemEntropy } = options;
  const key = entropy.privateKey(keyKind);
  const keyInfo = publicKeyInfo(key);
  const identifier = keyIdentifier(keyInfo);
  const name = encodeName({ commonName, organizations });
  const certificate = buildCertificate(
    {
      ...validFor(options),
      serial: serialNumber(entropy),
      issuer: name,
      subject: name,
      keyInfo,
      extensions: [
        keyUsage(["digitalSignature", "keyEncipherment", "certSign"]),
        basicConstraints(true),
        subjectKeyId(identifier),
      ],
    },
    key,
  );
  return openAuthority({ certificate, privateKey: formatPrivateKey(key), entropy });
}

/**
 * An authority from its certificate and key, such as those kept in a Secret.
 *
 * @example
 * const authority = createAuthority({ commonName: "cache", now: new Date(), days: 365 });
 * const { certificate, privateKey } = authority;
 * const same = openAuthority({ certificate, privateKey });
 */
export function openAuthority(options: KeyedCertificate & { readonly entropy?: Entropy }): Authority {
  const { certificate, privateKey, entropy = systemEntropy } = options;
  const key = parsePrivateKey(privateKey);
  const parsed = parseCertificate(certificate);
  if (!createPublicKey(key).equals(parsed.publicKey)) {
    throw new PkiError(
      "KeyMismatch",
      `could not open the authority "${parsed.subject.commonName}": the key is another's`,
    );
  }
  const issuer: Issuer = {
    key,
    entropy,
    name: subjectBytes(certificate),
    identifier: parsed.subjectKeyId?.subarray() ?? keyIdentifier(publicKeyInfo(key)),
  };
  return {
    certificate,
    privateKey,
    issue: (wanted) => issue(issuer, wanted),
    sign: (request, granted) => signRequest(issuer, request, granted),
  };
}

interface Issuer {
  readonly key: KeyObject;
  readonly entropy: Entropy;
  readonly name: Buffer;
  readonly identifier: Buffer;
}

interface Leaf extends Validity, AlternativeNames {
  readonly subject: Name;
  readonly keyInfo: Buffer;
  readonly keyType: string | undefined;
  readonly usages: readonly Usage[];
}

function issue(issuer: Issuer, options: IssueOptions): KeyedCertificate {
  const key = issuer.entropy.privateKey(options.keyKind ?? "ec-p256");
  const certificate = leafCertificate(issuer, {
    notBefore: options.notBefore,
    notAfter: options.notAfter,
    subject: { commonName: options.commonName, organizations: options.organizations ?? [] },
    dnsNames: options.dnsNames ?? [],
    ipAddresses: options.ipAddresses ?? [],
    usages: options.usages,
    keyInfo: publicKeyInfo(key),
    keyType: key.asymmetricKeyType,
  });
  return { certificate, privateKey: formatPrivateKey(key) };
}

function signRequest(issuer: Issuer, pem: string, options: SignOptions): string {
  const { subject, dnsNames, ipAddresses, publicKey, publicKeyInfo: keyInfo } = parseRequest(pem);
  const keyType = publicKey.asymmetricKeyType;
  return leafCertificate(issuer, { ...options, subject, dnsNames, ipAddresses, keyInfo, keyType });
}

function leafCertificate(issuer: Issuer, leaf: Leaf): string {
  const hasNames = leaf.dnsNames.length + leaf.ipAddresses.length > 0;
  const extensions = [
    keyUsage(leaf.keyType === "rsa" ? ["digitalSignature", "keyEncipherment"] : ["digitalSignature"]),
    ...(leaf.usages.length > 0 ? [extendedKeyUsage(leaf.usages)] : []),
    basicConstraints(false),
    authorityKeyId(issuer.identifier),
    ...(hasNames ? [subjectAltName(leaf)] : []),
  ];
  return buildCertificate(
    {
      notBefore: leaf.notBefore,
      notAfter: leaf.notAfter,
      serial: serialNumber(issuer.entropy),
      issuer: issuer.name,
      subject: encodeName(leaf.subject),
      keyInfo: leaf.keyInfo,
      extensions,
    },
    issuer.key,
  );
}

/** Sixteen bytes, hashed so that a predictable source in a test still gives numbers of full length, never negative. */
function serialNumber(entropy: Entropy): Buffer {
  const bytes = createHash("sha256").update(entropy.bytes(16)).digest().subarray(0, 16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes;
}
