/** Signer plugins: permissions to approve and sign certificate requests and to attest trust bundles, and restricted subjects. */
import type { CertificateSigningRequest } from "@capstan/kinds/certificates.k8s.io/v1";
import { isDeepEqual, quote, type KubeObject } from "@capstan/model";
import { parseRequest, PkiError } from "@capstan/pki";
import type { AdmissionContext, AdmissionRequest, AdmissionStep } from "./admission.ts";
import { isFor, isForAny, objectOf, oldObjectOf, refusal } from "./target.ts";

const group = "certificates.k8s.io";

export const certificateApproval: AdmissionStep = {
  name: "CertificateApproval",
  handles: (operation) => operation === "UPDATE",
  async validate(request, context) {
    if (!isForAny(request, "certificatesigningrequests", group) || request.subresource !== "approval") return;
    // The signer name is immutable, so the old object is used.
    const signer = signerOf(request.oldObject);
    if (await isAllowed(request, context, { verb: "approve", signer })) return;
    throw refusal(request, `user not permitted to approve requests with signerName ${quote(signer)}`);
  },
};

export const certificateSigning: AdmissionStep = {
  name: "CertificateSigning",
  handles: (operation) => operation === "UPDATE",
  async validate(request, context) {
    if (!isForAny(request, "certificatesigningrequests", group) || request.subresource !== "status") return;
    const { status } = objectOf<CertificateSigningRequest>(request);
    const { status: old } = oldObjectOf<CertificateSigningRequest>(request);
    const isSame =
      status?.certificate === old?.certificate && isDeepEqual(status?.conditions ?? [], old?.conditions ?? []);
    if (isSame) return;
    const signer = signerOf(request.oldObject);
    if (await isAllowed(request, context, { verb: "sign", signer })) return;
    throw refusal(request, `user not permitted to sign requests with signerName ${quote(signer)}`);
  },
};

export const clusterTrustBundleAttest: AdmissionStep = {
  name: "ClusterTrustBundleAttest",
  handles: (operation) => operation === "CREATE" || operation === "UPDATE",
  async validate(request, context) {
    if (!isForAny(request, "clustertrustbundles", group)) return;
    const signer = signerOf(request.object);
    if (signer === "" || (request.oldObject !== undefined && changesOnlyBookkeeping(request))) return;
    if (await isAllowed(request, context, { verb: "attest", signer })) return;
    throw refusal(request, `user not permitted to attest for signerName ${quote(signer)}`);
  },
};

const clientSigner = "kubernetes.io/kube-apiserver-client";

export const certificateSubjectRestriction: AdmissionStep = {
  name: "CertificateSubjectRestriction",
  handles: (operation) => operation === "CREATE",
  validate(request) {
    if (!isFor(request, "certificatesigningrequests", group)) return;
    const { spec } = objectOf<CertificateSigningRequest>(request);
    if (spec.signerName !== clientSigner) return;
    if (!organizationsOf(request, spec.request).includes("system:masters")) return;
    throw refusal(request, `use of ${clientSigner} signer with system:masters group is not allowed`);
  },
};

function organizationsOf(request: AdmissionRequest, encoded: string): readonly string[] {
  try {
    return parseRequest(Buffer.from(encoded, "base64").toString("utf8")).subject.organizations ?? [];
  } catch (error) {
    if (!(error instanceof PkiError)) throw error;
    throw refusal(request, `failed to parse CSR: ${error.message}`);
  }
}

function signerOf(object: KubeObject | undefined): string {
  const { spec } = object as { readonly spec?: { readonly signerName?: string } };
  return spec?.signerName ?? "";
}

/** A permission for one signer by name, or for all signers of its domain. */
async function isAllowed(
  { user }: AdmissionRequest,
  { authorizer }: AdmissionContext,
  { verb, signer }: { readonly verb: string; readonly signer: string },
): Promise<boolean> {
  const domain = `${signer.split("/", 1)[0]}/*`;
  const base = { type: "resource", user, verb, group, version: "*", resource: "signers", subresource: "" } as const;
  for (const name of [signer, domain]) {
    const decision = await authorizer.authorize({ ...base, namespace: "", name });
    if (decision.verdict === "Allow") return true;
  }
  return false;
}

/** Garbage collection and storage migration do not need the permission to attest. */
function changesOnlyBookkeeping({ object, oldObject }: AdmissionRequest): boolean {
  const bare = (one: KubeObject | undefined): unknown => {
    if (one === undefined) return undefined;
    const { ownerReferences: _owners, finalizers: _finalizers, managedFields: _managed, ...metadata } = one.metadata;
    return { ...one, metadata };
  };
  return isDeepEqual(bare(object), bare(oldObject));
}
