import type { Kind } from "@capstan/model";
import type * as shapes from "../../shapes/certificates.k8s.io/v1.ts";

export type * from "../../shapes/certificates.k8s.io/v1.ts";

export type CertificateSigningRequest = shapes.CertificateSigningRequest;
export const CertificateSigningRequest: Kind<shapes.CertificateSigningRequest, shapes.CertificateSigningRequestApply, "Cluster"> = /* @__PURE__ */ Object.freeze({"group":"certificates.k8s.io","version":"v1","kind":"CertificateSigningRequest","plural":"certificatesigningrequests","scope":"Cluster"} as const);
