/** The object identifiers in certificates and requests. */

/** Attributes of a distinguished name. */
export const attribute = { commonName: "2.5.4.3", organization: "2.5.4.10" } as const;

/** Extensions of certificates, and the request attribute for them. */
export const extension = {
  subjectKeyId: "2.5.29.14",
  keyUsage: "2.5.29.15",
  subjectAltName: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  authorityKeyId: "2.5.29.35",
  extendedKeyUsage: "2.5.29.37",
  request: "1.2.840.113549.1.9.14",
} as const;

/** Extended key usages for TLS. */
export const extendedUsage = { server: "1.3.6.1.5.5.7.3.1", client: "1.3.6.1.5.5.7.3.2" } as const;

/** Signature algorithms: how each is encoded and which digest it uses (Ed25519 has its own). */
export const signatureDigest: Readonly<Record<string, "sha256" | "sha384" | "sha512" | undefined>> = {
  "1.2.840.10045.4.3.2": "sha256",
  "1.2.840.10045.4.3.3": "sha384",
  "1.2.840.10045.4.3.4": "sha512",
  "1.2.840.113549.1.1.11": "sha256",
  "1.2.840.113549.1.1.12": "sha384",
  "1.2.840.113549.1.1.13": "sha512",
  "1.3.101.112": undefined,
};

/** The signature algorithms that we sign with. */
export const signature = {
  ecdsaSha256: "1.2.840.10045.4.3.2",
  rsaSha256: "1.2.840.113549.1.1.11",
  ed25519: "1.3.101.112",
} as const;
