/** NodeRestriction: a kubelet writes only its own Node, the pods on it and what belongs to these. */
import type { CertificateSigningRequest } from "@capstan/kinds/certificates.k8s.io/v1";
import type { ResourceSlice } from "@capstan/kinds/resource.k8s.io/v1";
import { quote } from "@capstan/model";
import { parseRequest } from "@capstan/pki";
import { nodeNameOf } from "../../authorize/node/node-name.ts";
import { encodedRequestProblem } from "../../builtin/certificates/certificate-signing-request.ts";
import type { AdmissionContext, AdmissionRequest, AdmissionStep } from "../admission.ts";
import { objectOf, oldObjectOf, refusal } from "../target.ts";
import { checkNode } from "./nodes.ts";
import { checkClaim, checkEviction, checkPod, checkPodStatus } from "./pods.ts";
import { checkToken } from "./tokens.ts";

export const nodeRestriction: AdmissionStep = {
  name: "NodeRestriction",
  handles: (operation) => operation !== "CONNECT",
  mutate(request, context) {
    const node = nodeNameOf(request.user);
    if (node === undefined) return;
    if (node === "") throw refusal(request, `could not determine node from user ${quote(request.user.name)}`);
    return check({ request, context, node });
  },
};

/** A write of a node. */
export interface NodeWrite {
  readonly request: AdmissionRequest;
  readonly context: AdmissionContext;
  readonly node: string;
}

function check(write: NodeWrite): void | Promise<void> {
  const { group, resource } = write.request.resource;
  switch (group === "" ? resource : `${resource}.${group}`) {
    case "pods":
      return checkPods(write);
    case "nodes":
      return checkNode(write);
    case "persistentvolumeclaims":
      return checkClaim(write);
    case "serviceaccounts":
      return checkToken(write);
    case "leases.coordination.k8s.io":
      return checkLease(write);
    case "csinodes.storage.k8s.io":
      return checkCsiNode(write);
    case "resourceslices.resource.k8s.io":
      return checkResourceSlice(write);
    case "certificatesigningrequests.certificates.k8s.io":
      return checkCertificateRequest(write);
    default:
      return;
  }
}

function checkPods(write: NodeWrite): void {
  const { request } = write;
  switch (request.subresource) {
    case "":
      return checkPod(write);
    case "status":
      return checkPodStatus(write);
    case "eviction":
      return checkEviction(write);
    default: {
      const why = `unexpected pod subresource ${quote(request.subresource)}, only 'status' and 'eviction' are allowed`;
      throw refusal(request, why);
    }
  }
}

/** On create, the name is that of the object; the path has none. */
function writtenName({ operation, name, object }: AdmissionRequest): string {
  return operation === "CREATE" ? (object?.metadata?.name ?? "") : name;
}

function checkLease({ request, node }: NodeWrite): void {
  if (request.namespace !== "kube-node-lease") {
    throw refusal(request, 'can only access leases in the "kube-node-lease" system namespace');
  }
  if (writtenName(request) === node) return;
  throw refusal(request, "can only access node lease with the same name as the requesting node");
}

function checkCsiNode({ request, node }: NodeWrite): void {
  if (writtenName(request) === node) return;
  throw refusal(request, "can only access CSINode with the same name as the requesting node");
}

/** The authorizer decides the other writes. */
function checkResourceSlice({ request, node }: NodeWrite): void {
  if (request.operation === "UPDATE") return;
  const isCreate = request.operation === "CREATE";
  const { spec } = isCreate ? objectOf<ResourceSlice>(request) : oldObjectOf<ResourceSlice>(request);
  if (spec?.nodeName === node) return;
  const verb = isCreate ? "create" : "delete";
  throw refusal(request, `can only ${verb} ResourceSlice with the same NodeName as the requesting node`);
}

const nodeSigners: ReadonlySet<string> = new Set([
  "kubernetes.io/kubelet-serving",
  "kubernetes.io/kube-apiserver-client-kubelet",
]);

function checkCertificateRequest({ request, node }: NodeWrite): void {
  if (request.operation !== "CREATE" || request.subresource !== "") return;
  const { spec } = objectOf<CertificateSigningRequest>(request);
  if (!nodeSigners.has(spec?.signerName ?? "")) return;
  const commonName = commonNameOf(request, spec?.request ?? "");
  if (commonName === `system:node:${node}`) return;
  throw refusal(request, `can only create a node CSR with CN=system:node:${node}`);
}

function commonNameOf(request: AdmissionRequest, encoded: string): string | undefined {
  const problem = encodedRequestProblem(encoded);
  if (problem !== undefined) throw refusal(request, `unable to parse csr: ${problem}`);
  return parseRequest(Buffer.from(encoded, "base64").toString("latin1")).subject.commonName;
}
