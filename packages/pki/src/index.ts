/** Certificates without OpenSSL: create an authority, issue, read and verify. */
export { createAuthority, openAuthority, validFor } from "./authority.ts";
export type { Authority, AuthorityOptions, IssueOptions, KeyedCertificate, SignOptions } from "./authority.ts";
export { decodeCertificate, isTrusted, parseCertificate } from "./certificate.ts";
export type { Certificate, Validity } from "./certificate.ts";
export { systemEntropy } from "./entropy.ts";
export type { Entropy, KeyKind } from "./entropy.ts";
export { PkiError } from "./errors.ts";
export type { PkiErrorCode } from "./errors.ts";
export type { AlternativeNames, KeyUsage, Usage } from "./extensions.ts";
export { signJwt, toJsonWebKey, toJwtKey, verifyJwt } from "./jwt.ts";
export type { JsonWebKey, JwtClaims, JwtKey } from "./jwt.ts";
export { createPrivateKeyPem, publicKeyPem } from "./key.ts";
export type { Name } from "./name.ts";
export { bundleCertificates, findPemBlocks, splitBundle } from "./pem.ts";
export type { PemText } from "./pem.ts";
export { createRequest, parseRequest } from "./request.ts";
export type { CertificateRequest, RequestOptions } from "./request.ts";
