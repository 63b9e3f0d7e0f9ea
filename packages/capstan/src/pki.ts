/** Certificates for operators with their own authority: create one, issue, read and verify. */
export {
  bundleCertificates,
  createAuthority,
  isTrusted,
  openAuthority,
  parseCertificate,
  PkiError,
  splitBundle,
  validFor,
} from "@capstan/pki";
export type {
  Authority,
  AuthorityOptions,
  Certificate,
  IssueOptions,
  KeyedCertificate,
  PkiErrorCode,
  Usage,
  Validity,
} from "@capstan/pki";
