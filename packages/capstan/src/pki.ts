/** Certificates for operators that keep an authority of their own: make one, issue, read and verify. */
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
