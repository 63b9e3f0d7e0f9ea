/** PKCS#10 certificate requests: creating, reading and verifying them. */
import type { KeyObject } from "node:crypto";
import { bitString, element, integer, objectId, sequence, tag, tagged } from "./der-writer.ts";
import { childAt, readBits, readChildren, readElement, readObjectId, type Element } from "./der-reader.ts";
import { PkiError } from "./errors.ts";
import {
  readAlternativeNames,
  readExtensions,
  readUsages,
  subjectAltName,
  type AlternativeNames,
  type Usage,
} from "./extensions.ts";
import { parsePrivateKey, publicKeyInfo, readPublicKey, signatureAlgorithm, signBytes, verifyBytes } from "./key.ts";
import { encodeName, readName, type Name } from "./name.ts";
import { extension } from "./object-ids.ts";
import { formatPem, parsePemBlock } from "./pem.ts";

/** The content of a request. */
export interface CertificateRequest extends AlternativeNames {
  readonly subject: Name;
  readonly usages: readonly Usage[];
  readonly publicKey: KeyObject;
  /** The key for the certificate. */
  readonly publicKeyInfo: Buffer;
}

/** The requested content; the key stays with the caller. */
export interface RequestOptions extends Partial<AlternativeNames> {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  readonly privateKey: string;
}

/** Creates a certificate request and signs it with the key of the certificate; returns PEM. */
export function createRequest(options: RequestOptions): string {
  const key = parsePrivateKey(options.privateKey);
  const { commonName, organizations = [], dnsNames = [], ipAddresses = [] } = options;
  const hasNames = dnsNames.length + ipAddresses.length > 0;
  const body = sequence(
    integer(Buffer.of(0)),
    encodeName({ commonName, organizations }),
    publicKeyInfo(key),
    tagged(0, "constructed", ...(hasNames ? [extensionRequest(subjectAltName({ dnsNames, ipAddresses }))] : [])),
  );
  const signature = bitString(signBytes(key, body));
  return formatPem("CERTIFICATE REQUEST", sequence(body, signatureAlgorithm(key), signature));
}

/** Reads a request and verifies that its sender holds the key; throws when the signature does not match. */
export function parseRequest(pem: string): CertificateRequest {
  const [body, algorithm, signature] = threeParts(readElement(parsePemBlock(pem, "CERTIFICATE REQUEST")));
  const fields = readChildren(body);
  const keyInfo = childAt(fields, 2).whole;
  const publicKey = readPublicKey(keyInfo);
  if (!verifyBytes(publicKey, { bytes: body.whole, algorithm, signature: readBits(signature) })) {
    throw new PkiError("BadSignature", "could not accept the request: it is not signed by the key that it names");
  }
  const extensions = requestedExtensions(fields[3]);
  return {
    subject: readName(childAt(fields, 1)),
    usages: readUsages(extensions),
    publicKey,
    publicKeyInfo: keyInfo,
    ...readAlternativeNames(extensions),
  };
}

function extensionRequest(...extensions: readonly Buffer[]): Buffer {
  return sequence(objectId(extension.request), element(tag.set, sequence(...extensions)));
}

function requestedExtensions(attributes: Element | undefined): ReadonlyMap<string, Element> {
  const entries = attributes === undefined ? [] : readChildren(attributes).map(readChildren);
  const wanted = entries.find((entry) => readObjectId(childAt(entry, 0, tag.objectId)) === extension.request);
  return wanted === undefined ? new Map() : readExtensions(childAt(readChildren(childAt(wanted, 1, tag.set)), 0));
}

function threeParts(whole: Element): [Element, Element, Element] {
  const parts = readChildren(whole);
  return [childAt(parts, 0, tag.sequence), childAt(parts, 1, tag.sequence), childAt(parts, 2, tag.bitString)];
}
