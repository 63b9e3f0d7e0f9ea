/** Keys: reading, writing and identifying them, and signing with them. */
import { createHash, createPrivateKey, createPublicKey, sign, verify, type KeyObject } from "node:crypto";
import { element, objectId, sequence, tag } from "./der-writer.ts";
import { childAt, readBits, readChildren, readElement, readObjectId, type Element } from "./der-reader.ts";
import { systemEntropy, type Entropy, type KeyKind } from "./entropy.ts";
import { PkiError } from "./errors.ts";
import { signature, signatureDigest } from "./object-ids.ts";

/** A new private key as PKCS#8 PEM. Default: EC P-256. */
export function createPrivateKeyPem(kind: KeyKind = "ec-p256", entropy: Entropy = systemEntropy): string {
  return formatPrivateKey(entropy.privateKey(kind));
}

/** A private key from PEM, in PKCS#8 or one of the older forms. */
export function parsePrivateKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (cause) {
    throw new PkiError("MalformedPem", "could not read the private key; give PEM text without a passphrase", { cause });
  }
}

/** A private key as PKCS#8 PEM. */
export function formatPrivateKey(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}

/** The public half of a private key as PEM. */
export function publicKeyPem(privateKey: string): string {
  return createPublicKey(parsePrivateKey(privateKey)).export({ type: "spki", format: "pem" }).toString();
}

/** The public half as SubjectPublicKeyInfo. */
export function publicKeyInfo(privateKey: KeyObject): Buffer {
  return createPublicKey(privateKey).export({ type: "spki", format: "der" });
}

/** The public key that SubjectPublicKeyInfo holds. */
export function readPublicKey(keyInfo: Buffer): KeyObject {
  try {
    return createPublicKey({ key: keyInfo, format: "der", type: "spki" });
  } catch (cause) {
    throw new PkiError("UnsupportedAlgorithm", "could not read the public key; use EC, RSA or Ed25519 keys", { cause });
  }
}

/** The identifier of a key in certificates: SHA-1 of its bits, as RFC 5280 (4.2.1.2) suggests. */
export function keyIdentifier(keyInfo: Buffer): Buffer {
  const bits = readBits(childAt(readChildren(readElement(keyInfo)), 1));
  return createHash("sha1").update(bits).digest();
}

/** The signature algorithm of this key in certificates. */
export function signatureAlgorithm(privateKey: KeyObject): Buffer {
  switch (privateKey.asymmetricKeyType) {
    case "ec":
      return sequence(objectId(signature.ecdsaSha256));
    case "rsa":
      return sequence(objectId(signature.rsaSha256), element(tag.nothing));
    case "ed25519":
      return sequence(objectId(signature.ed25519));
    default:
      throw unsupported(privateKey.asymmetricKeyType ?? privateKey.type);
  }
}

/** Signs bytes with the algorithm of {@link signatureAlgorithm}. */
export function signBytes(privateKey: KeyObject, bytes: Buffer): Buffer {
  return sign(privateKey.asymmetricKeyType === "ed25519" ? null : "sha256", bytes, privateKey);
}

/** Whether these bytes were signed by the owner of this public key. */
export function verifyBytes(
  publicKey: KeyObject,
  signed: { bytes: Buffer; algorithm: Element; signature: Buffer },
): boolean {
  const algorithm = readObjectId(childAt(readChildren(signed.algorithm), 0, tag.objectId));
  if (!(algorithm in signatureDigest)) throw unsupported(algorithm);
  return verify(signatureDigest[algorithm], signed.bytes, publicKey, signed.signature);
}

function unsupported(algorithm: string): PkiError {
  return new PkiError(
    "UnsupportedAlgorithm",
    `could not sign or verify with ${algorithm}; use EC, RSA or Ed25519 keys`,
  );
}
