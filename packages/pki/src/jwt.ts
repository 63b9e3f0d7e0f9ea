/** Small signed tokens (JWT) as service accounts use them: RS256 and ES256. */
import { createHash, createPublicKey, sign, verify, type KeyObject, type webcrypto } from "node:crypto";
import { PkiError } from "./errors.ts";
import { parsePrivateKey } from "./key.ts";

/** The claims of a token. Times are seconds since 1970. */
export interface JwtClaims {
  readonly iss?: string;
  readonly sub?: string;
  readonly aud?: string | readonly string[];
  readonly exp?: number;
  readonly nbf?: number;
  readonly iat?: number;
  readonly jti?: string;
  readonly [claim: string]: unknown;
}

/** A key to verify tokens with. */
export interface JwtKey {
  readonly keyId: string;
  readonly publicKey: KeyObject;
}

/** A public key as a JSON Web Key, as /openid/v1/jwks lists them. */
export interface JsonWebKey {
  readonly use: "sig";
  readonly kty: string;
  readonly kid: string;
  readonly alg: JwtAlgorithm;
  readonly [member: string]: unknown;
}

type JwtAlgorithm = "RS256" | "ES256";

/** The verifying half of a signing key (PEM, private or public), with the key id of Kubernetes: the hash of its bits. */
export function toJwtKey(pem: string): JwtKey {
  const publicKey = createPublicKey(pem);
  const bits = publicKey.export({ type: "spki", format: "der" });
  return { publicKey, keyId: createHash("sha256").update(bits).digest("base64url") };
}

/** A verifying key in its published form. */
export function toJsonWebKey({ keyId, publicKey }: JwtKey): JsonWebKey {
  const members = publicKey.export({ format: "jwk" }) as webcrypto.JsonWebKey;
  return { ...members, use: "sig", kty: members.kty ?? "", kid: keyId, alg: algorithmOf(publicKey) };
}

/** Signs claims with a private key (PEM); the key decides the algorithm. */
export function signJwt(claims: JwtClaims, privateKeyPem: string): string {
  const key = parsePrivateKey(privateKeyPem);
  const header = { alg: algorithmOf(key), kid: toJwtKey(privateKeyPem).keyId };
  const signed = `${encodePart(header)}.${encodePart(claims)}`;
  const signature = sign("sha256", Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" });
  return `${signed}.${signature.toString("base64url")}`;
}

/** The claims of a token that one of the keys signed and that is valid at the given time, if any; throws otherwise. */
export function verifyJwt(
  token: string,
  options: { readonly keys: readonly JwtKey[]; readonly now?: Date | undefined },
): JwtClaims {
  const { header, claims, signed, signature } = splitToken(token);
  const candidates = options.keys.filter((key) => header["kid"] === undefined || key.keyId === header["kid"]);
  if (candidates.length === 0) throw new PkiError("UnknownKey", "could not trust the token: no key has its key id");
  const isGenuine = candidates.some(
    ({ publicKey }) =>
      algorithmOf(publicKey) === header["alg"] &&
      verify("sha256", Buffer.from(signed), { key: publicKey, dsaEncoding: "ieee-p1363" }, signature),
  );
  if (!isGenuine) throw new PkiError("BadSignature", "could not trust the token: its signature does not match");
  if (options.now !== undefined) checkTimes(claims, options.now.getTime() / 1000);
  return claims;
}

function checkTimes(claims: JwtClaims, seconds: number): void {
  if (claims.exp !== undefined && seconds >= claims.exp) {
    throw new PkiError("TokenExpired", "could not trust the token: it has expired; ask for a new one");
  }
  if (claims.nbf !== undefined && seconds < claims.nbf) {
    throw new PkiError("TokenNotYetValid", "could not trust the token: it is not valid yet");
  }
}

function algorithmOf(key: KeyObject): JwtAlgorithm {
  if (key.asymmetricKeyType === "rsa") return "RS256";
  if (key.asymmetricKeyDetails?.namedCurve === "prime256v1") return "ES256";
  throw new PkiError("UnsupportedAlgorithm", "could not use the key for tokens; use an RSA or EC P-256 key");
}

function splitToken(token: string) {
  const parts = token.split(".");
  const [header, claims, signature] = parts;
  if (parts.length !== 3 || header === undefined || claims === undefined || signature === undefined) throw malformed();
  return {
    header: decodePart(header),
    claims: decodePart(claims) as JwtClaims,
    signed: `${header}.${claims}`,
    signature: Buffer.from(signature, "base64url"),
  };
}

function encodePart(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function decodePart(part: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  } catch (cause) {
    throw malformed(cause);
  }
  throw malformed();
}

function malformed(cause?: unknown): PkiError {
  return new PkiError("MalformedToken", "could not read the token: it is not a signed JWT", { cause });
}
