/** Client certificates: the common name is the user, the organisations are the groups. */
import { decodeCertificate } from "@capstan/pki";
import type { Authenticator } from "./authenticator.ts";
import { authenticatedGroup } from "./user.ts";

/** The TLS connection has already verified that the client owns the certificate and that our CA signed it. */
export const certificateAuthenticator: Authenticator = {
  name: "certificate",
  authenticate({ certificate }) {
    if (certificate === undefined) return { type: "none" };
    const { subject, fingerprint } = decodeCertificate(Buffer.from(certificate));
    if (subject.commonName === undefined || subject.commonName === "") return { type: "none" };
    const extra = { "authentication.kubernetes.io/credential-id": [`X509SHA256=${fingerprint}`] };
    return {
      type: "user",
      user: { name: subject.commonName, groups: [...(subject.organizations ?? []), authenticatedGroup], extra },
    };
  },
};
