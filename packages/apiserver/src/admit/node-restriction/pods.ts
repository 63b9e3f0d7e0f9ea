/** What a kubelet may write of pods: mirror pods of its own, the status of pods on it, evictions, and the status of their claims. */
import type { PersistentVolumeClaim, Pod } from "@capstan/kinds/v1";
import { apiErrors, isDeepEqual, quote, type ObjectMeta, type OwnerReference } from "@capstan/model";
import { internalObjectDiff, type WithMetadata } from "../../builtin/meta/internal-form.ts";
import { mirrorAnnotation } from "../../builtin/pod-template/annotations.ts";
import { configMapsOf, secretsOf } from "../../authorize/node/pod-references.ts";
import { objectOf, oldObjectOf, refusal } from "../target.ts";
import type { NodeWrite } from "./node-restriction.ts";

export function checkPod(write: NodeWrite): void {
  const { request, node } = write;
  switch (request.operation) {
    case "CREATE":
      return checkMirrorPod(write, objectOf<Pod>(request) as Pod);
    case "DELETE":
      if (podOf(write, request.name || (request.oldObject?.metadata.name ?? "")).spec?.nodeName === node) return;
      throw refusal(request, `node ${quote(node)} can only delete pods with spec.nodeName set to itself`);
    default: {
      const why = `node ${quote(node)} can only create and delete mirror pods`;
      throw refusal(request, `unexpected operation ${quote(request.operation)}, ${why}`);
    }
  }
}

/** The stored pod; 404 with the singular, as Go's listers name it. */
export function podOf({ request, context }: NodeWrite, name: string): Pod {
  const found = context.lookup.get("pods", name, request.namespace);
  if (found === undefined) throw apiErrors.notFound({ group: "", resource: "pod" }, name);
  return found as Pod;
}

function checkMirrorPod({ request, context, node }: NodeWrite, pod: Pod): void {
  const { metadata, spec } = pod;
  const refuse = (why: string): Error => refusal(request, why);
  if (metadata?.annotations?.[mirrorAnnotation] === undefined) {
    const why = `node ${quote(node)} can only create mirror pods`;
    throw refuse(`pod does not have ${quote(mirrorAnnotation)} annotation, ${why}`);
  }
  if (spec?.nodeName !== node) {
    throw refuse(`node ${quote(node)} can only create pods with spec.nodeName set to itself`);
  }
  const ownerProblem = problemOfOwners(metadata.ownerReferences ?? [], node);
  if (ownerProblem !== undefined) throw refuse(ownerProblem);
  const found = context.lookup.get("nodes", node);
  if (found === undefined) throw apiErrors.notFound({ group: "", resource: "node" }, node);
  const uid = metadata.ownerReferences?.[0]?.uid ?? "";
  if (uid !== found.metadata.uid) {
    throw refuse(`node ${node} UID mismatch: expected ${uid} got ${found.metadata.uid}`);
  }
  const unknown = unknownSource(pod);
  if (unknown !== undefined) throw refuse(`error checking mirror pod for API references: ${unknown}`);
  const reference = objectReference(pod);
  if (reference !== undefined) throw refuse(`node ${quote(node)} can not create pods that reference ${reference}`);
}

function problemOfOwners(owners: readonly OwnerReference[], node: string): string | undefined {
  const only = `node ${quote(node)} can only create pods with`;
  if (owners.length > 1) return `${only} a single owner reference set to itself`;
  const [owner] = owners;
  if (owner?.apiVersion !== "v1" || owner.kind !== "Node" || owner.name !== node) {
    return `${only} an owner reference set to itself`;
  }
  if (owner.controller !== true) return `${only} a controller owner reference set to itself`;
  if (owner.blockOwnerDeletion !== true) return undefined;
  return `node ${quote(node)} must not set blockOwnerDeletion on an owner reference`;
}

/** A projected source without a type. It counts only if nothing before it refers to an object. */
function unknownSource(pod: Pod): string | undefined {
  if (referenceOutsideVolumes(pod) !== undefined) return undefined;
  for (const volume of pod.spec?.volumes ?? []) {
    if (referenceOfVolume(volume) !== undefined) return undefined;
    if ((volume.projected?.sources ?? []).some((source) => Object.keys(source).length === 0)) {
      return `unknown source for projected volume ${quote(volume.name)}`;
    }
  }
  return undefined;
}

/** The kind of API object that a pod refers to, as the error names it. */
function objectReference(pod: Pod): string | undefined {
  const outside = referenceOutsideVolumes(pod);
  if (outside !== undefined) return outside;
  for (const volume of pod.spec?.volumes ?? []) {
    const found = referenceOfVolume(volume);
    if (found !== undefined) return found;
  }
  return undefined;
}

function referenceOutsideVolumes({ spec }: Pod): string | undefined {
  if (spec === undefined) return undefined;
  if ((spec.serviceAccountName ?? "") !== "" || (spec.serviceAccount ?? "") !== "") return "serviceaccounts";
  if (secretsOf(spec).size > 0) return "secrets";
  if (configMapsOf(spec).size > 0) return "configmaps";
  return (spec.resourceClaims ?? []).length > 0 ? "resourceclaims" : undefined;
}

type Volume = NonNullable<NonNullable<Pod["spec"]>["volumes"]>[number];

/** The volume types that refer to objects. */
const referring: readonly (readonly [source: keyof Volume, kind: string])[] = [
  ["configMap", "configmaps (via configmap volumes)"],
  ["secret", "secrets (via secret volumes)"],
  ["csi", "csidrivers (via CSI volumes)"],
  ["glusterfs", "endpoints (via glusterFS volumes)"],
  ["persistentVolumeClaim", "persistentvolumeclaims"],
  ["ephemeral", "persistentvolumeclaims (via ephemeral volumes)"],
  ["azureFile", "secrets (via azureFile volumes)"],
];

type Source = NonNullable<NonNullable<Volume["projected"]>["sources"]>[number];

const projecting: readonly (readonly [source: keyof Source, kind: string])[] = [
  ["configMap", "configmaps (via projected volumes)"],
  ["secret", "secrets (via projected volumes)"],
  ["serviceAccountToken", "serviceaccounts (via projected volumes)"],
  ["clusterTrustBundle", "clustertrustbundles"],
  ["podCertificate", "podcertificates"],
];

function referenceOfVolume(volume: Volume): string | undefined {
  const found = referring.find(([source]) => volume[source] !== undefined);
  if (found !== undefined) return found[1];
  for (const one of volume.projected?.sources ?? []) {
    const projected = projecting.find(([source]) => one[source] !== undefined);
    if (projected !== undefined) return projected[1];
    if (one.downwardAPI === undefined) return undefined;
  }
  return undefined;
}

export function checkPodStatus({ request, node }: NodeWrite): void {
  if (request.operation !== "UPDATE") throw refusal(request, `unexpected operation ${quote(request.operation)}`);
  const old = oldObjectOf<Pod>(request);
  const now = objectOf<Pod>(request) as Pod;
  const why = problemOfStatus(now, old, node);
  if (why !== undefined) throw refusal(request, `node ${quote(node)} ${why}`);
}

function problemOfStatus(now: Pod, old: Pod, node: string): string | undefined {
  if (old.spec?.nodeName !== node) return "can only update pod status for pods with spec.nodeName set to itself";
  if (!isDeepEqual(now.metadata?.labels ?? {}, old.metadata?.labels ?? {})) {
    return "cannot update labels through pod status";
  }
  const claims = ({ status }: Pod): unknown =>
    (status?.resourceClaimStatuses ?? []).map(({ name, resourceClaimName }) => [name, resourceClaimName ?? null]);
  // The spelling is that of kube-apiserver.
  if (!isDeepEqual(claims(now), claims(old))) return "cannot update resource claim statues";
  const extended = ({ status }: Pod): unknown => status?.extendedResourceClaimStatus ?? null;
  return isDeepEqual(extended(now), extended(old)) ? undefined : "cannot update extended resource claim status";
}

export function checkEviction(write: NodeWrite): void {
  const { request, node } = write;
  if (request.operation !== "CREATE") throw refusal(request, `unexpected operation ${request.operation}`);
  const name = request.name || (request.object?.metadata?.name ?? "");
  if (name === "") throw refusal(request, "could not determine pod from request data");
  if (podOf(write, name).spec?.nodeName === node) return;
  throw refusal(request, `node ${node} can only evict pods with spec.nodeName set to itself`);
}

export function checkClaim({ request, node }: NodeWrite): void {
  if (request.subresource !== "status") throw refusal(request, "may only update PVC status");
  if (request.operation !== "UPDATE") throw refusal(request, `unexpected operation ${quote(request.operation)}`);
  const old = withoutChangeable(oldObjectOf<PersistentVolumeClaim>(request));
  const now = withoutChangeable(objectOf<PersistentVolumeClaim>(request) as PersistentVolumeClaim);
  if (isDeepEqual(now, old)) return;
  const what = "is not allowed to update fields other than status.quantity and status.conditions";
  throw refusal(request, `node ${quote(node)} ${what}: ${internalObjectDiff("PersistentVolumeClaim", old, now)}`);
}

/** A claim without what a kubelet may change, and without what the server keeps. */
function withoutChangeable({ metadata, spec, status }: PersistentVolumeClaim): WithMetadata {
  const { resourceVersion: _version, managedFields: _managed, ...kept }: Partial<ObjectMeta> = metadata ?? {};
  const { capacity: _capacity, conditions: _conditions, ...rest } = status ?? {};
  const { allocatedResources: _resources, allocatedResourceStatuses: _statuses, ...others } = rest;
  return { metadata: kept, ...(spec && { spec }), status: others };
}
