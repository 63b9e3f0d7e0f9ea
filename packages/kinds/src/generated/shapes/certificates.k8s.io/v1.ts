import type { KubeList, ObjectMeta, StoredMeta } from "@capstan/model";
import type { Keyed } from "../../../shape.ts";

export interface CertificateSigningRequest {
  readonly apiVersion: "certificates.k8s.io/v1";
  readonly kind: "CertificateSigningRequest";
  readonly metadata: StoredMeta;
  readonly spec: CertificateSigningRequestSpec;
  readonly status?: CertificateSigningRequestStatus;
}

export interface CertificateSigningRequestApply {
  readonly apiVersion?: "certificates.k8s.io/v1";
  readonly kind?: "CertificateSigningRequest";
  readonly metadata?: ObjectMeta;
  readonly spec?: CertificateSigningRequestSpecApply;
  readonly status?: CertificateSigningRequestStatusApply;
}

export interface CertificateSigningRequestCondition {
  readonly lastTransitionTime?: string;
  readonly lastUpdateTime?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly status: string;
  readonly type: string;
}

export interface CertificateSigningRequestConditionApply {
  readonly lastTransitionTime?: string;
  readonly lastUpdateTime?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly status?: string;
  readonly type?: string;
}

export type CertificateSigningRequestList = KubeList<CertificateSigningRequest>;

export interface CertificateSigningRequestSpec {
  readonly expirationSeconds?: number;
  readonly extra?: { readonly [key: string]: readonly string[] };
  readonly groups?: readonly string[];
  readonly request: string;
  readonly signerName: string;
  readonly uid?: string;
  readonly usages?: readonly ("any" | "cert sign" | "client auth" | "code signing" | "content commitment" | "crl sign" | "data encipherment" | "decipher only" | "digital signature" | "email protection" | "encipher only" | "ipsec end system" | "ipsec tunnel" | "ipsec user" | "key agreement" | "key encipherment" | "microsoft sgc" | "netscape sgc" | "ocsp signing" | "s/mime" | "server auth" | "signing" | "timestamping")[];
  readonly username?: string;
}

export interface CertificateSigningRequestSpecApply {
  readonly expirationSeconds?: number;
  readonly extra?: { readonly [key: string]: readonly string[] };
  readonly groups?: readonly string[];
  readonly request?: string;
  readonly signerName?: string;
  readonly uid?: string;
  readonly usages?: readonly ("any" | "cert sign" | "client auth" | "code signing" | "content commitment" | "crl sign" | "data encipherment" | "decipher only" | "digital signature" | "email protection" | "encipher only" | "ipsec end system" | "ipsec tunnel" | "ipsec user" | "key agreement" | "key encipherment" | "microsoft sgc" | "netscape sgc" | "ocsp signing" | "s/mime" | "server auth" | "signing" | "timestamping")[];
  readonly username?: string;
}

export interface CertificateSigningRequestStatus {
  readonly certificate?: string;
  readonly conditions?: readonly CertificateSigningRequestCondition[];
}

export interface CertificateSigningRequestStatusApply {
  readonly certificate?: string;
  readonly conditions?: readonly Keyed<CertificateSigningRequestConditionApply, "type">[];
}
