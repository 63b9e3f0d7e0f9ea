/** Whether an object is related to a node: by a pod on the node, or because the object names the node. */
import type { PersistentVolume, Pod } from "@capstan/kinds/v1";
import type { ResourceSlice } from "@capstan/kinds/resource.k8s.io/v1";
import type { VolumeAttachment } from "@capstan/kinds/storage.k8s.io/v1";
import type { Lookup } from "../../builtin/context.ts";
import { mirrorAnnotation } from "../../builtin/pod-template/annotations.ts";
import { referencesOf, type PodReferences } from "./pod-references.ts";

/** The resources whose objects nodes read one by one. */
export type RelatedResource =
  | "configmaps"
  | "persistentvolumeclaims"
  | "persistentvolumes"
  | "pods"
  | "resourceclaims"
  | "resourceslices"
  | "secrets"
  | "serviceaccounts"
  | "volumeattachments";

/** An object, which need not exist. */
export interface Candidate {
  readonly resource: RelatedResource;
  readonly namespace: string;
  readonly name: string;
}

/** Whether an object is related to a node. The work is linear in the pods of the namespace, and in the volumes for a Secret. */
export function isRelated(node: string, { resource, namespace, name }: Candidate, lookup: Lookup): boolean {
  const isUsed = (names: (references: PodReferences) => ReadonlySet<string>): boolean =>
    anyPod(node, namespace, lookup, (references) => names(references).has(name));
  switch (resource) {
    case "pods":
      return namespace !== "" && nodeOfPod(lookup.get("pods", name, namespace)) === node;
    case "secrets":
      return isUsed(({ secrets }) => secrets) || isSecretOfVolume(node, { namespace, name }, lookup);
    case "configmaps":
      return isUsed(({ configMaps }) => configMaps);
    case "persistentvolumeclaims":
      return isUsed(({ claims }) => claims);
    case "resourceclaims":
      return isUsed(({ resourceClaims }) => resourceClaims);
    case "serviceaccounts":
      return anyPod(node, namespace, lookup, ({ serviceAccount }) => serviceAccount === name);
    case "persistentvolumes":
      return namespace === "" && isVolumeUsed(node, lookup.get("persistentvolumes", name), lookup);
    case "volumeattachments":
      return namespace === "" && namesNode(lookup.get("volumeattachments.storage.k8s.io", name), node);
    case "resourceslices":
      return namespace === "" && namesNode(lookup.get("resourceslices.resource.k8s.io", name), node);
  }
}

function namesNode(object: object | undefined, node: string): boolean {
  return (object as VolumeAttachment | ResourceSlice | undefined)?.spec.nodeName === node;
}

const known = new WeakMap<Pod, PodReferences>();

/** Stored objects never change, so the references of each are found once. */
function referencesOnce(pod: Pod): PodReferences {
  let found = known.get(pod);
  if (found === undefined) known.set(pod, (found = referencesOf(pod)));
  return found;
}

/** Mirror pods are made by nodes, so they grant nothing. */
function anyPod(
  node: string,
  namespace: string,
  lookup: Lookup,
  matches: (references: PodReferences) => boolean,
): boolean {
  if (namespace === "") return false;
  return (lookup.list("pods", namespace) as readonly Pod[]).some(
    (pod) =>
      nodeOfPod(pod) === node &&
      pod.metadata?.annotations?.[mirrorAnnotation] === undefined &&
      matches(referencesOnce(pod)),
  );
}

function nodeOfPod(pod: object | undefined): string | undefined {
  return (pod as Pod | undefined)?.spec?.nodeName;
}

/** Whether a pod on the node uses the claim that a volume is bound to. */
function isVolumeUsed(node: string, volume: object | undefined, lookup: Lookup): boolean {
  const claim = (volume as PersistentVolume | undefined)?.spec?.claimRef;
  const name = claim?.name ?? "";
  return claim !== undefined && anyPod(node, claim.namespace ?? "", lookup, ({ claims }) => claims.has(name));
}

function isSecretOfVolume(
  node: string,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  lookup: Lookup,
): boolean {
  return (lookup.list("persistentvolumes") as readonly PersistentVolume[]).some(
    (volume) =>
      volume.spec?.claimRef !== undefined &&
      secretsOf(volume).some((secret) => secret.namespace === namespace && secret.name === name) &&
      isVolumeUsed(node, volume, lookup),
  );
}

interface SecretName {
  readonly namespace: string;
  readonly name: string;
}

/** The Secrets of a volume that kubelets read. Old sources use the namespace of the claim if they name none. */
function secretsOf({ spec }: PersistentVolume): readonly SecretName[] {
  const home = spec?.claimRef?.namespace ?? "";
  const { azureFile, cephfs, cinder, csi, flexVolume, iscsi, rbd, scaleIO, storageos } = spec ?? {};
  const inHome = [cephfs, flexVolume, iscsi, rbd, scaleIO].map((source) => toSecret(source?.secretRef, home));
  const named = [
    cinder?.secretRef,
    storageos?.secretRef,
    csi?.nodePublishSecretRef,
    csi?.nodeStageSecretRef,
    csi?.nodeExpandSecretRef,
  ].map((reference) => toSecret(reference, ""));
  const share = azureFile && { name: azureFile.secretName, namespace: azureFile.secretNamespace };
  return [...inHome, ...named, toSecret(share, home)].filter(({ name }) => name !== "");
}

function toSecret(
  reference: { readonly name?: string | undefined; readonly namespace?: string | null | undefined } | undefined,
  home: string,
): SecretName {
  return { namespace: reference?.namespace || home, name: reference?.name ?? "" };
}
