/** Whether the volumes of a pod let it run on a node. Pure. */
import type { StorageClass } from "@capstan/kinds/storage.k8s.io/v1";
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod } from "@capstan/kinds/v1";
import { classOf } from "../volume/match.ts";
import { ephemeralClaimName, isClaimOf, notForPod } from "../volume/ephemeral.ts";
import { claimsUsedBy } from "../volume/protection.ts";
import { matchesTerm } from "@capstan/node";
import type { NodeView, PlacedPod } from "./view.ts";

/** What is known about storage. */
export interface Storage {
  readonly claimOf: (namespace: string, name: string) => PersistentVolumeClaim | undefined;
  readonly volumeOf: (name: string) => PersistentVolume | undefined;
  readonly classOf: (name: string) => StorageClass | undefined;
}

/** A world without storage. */
export const noStorage: Storage = { claimOf: () => undefined, volumeOf: () => undefined, classOf: () => undefined };

/**
 * Why a pod cannot run on a node because of its volumes; worked out once for the pod and asked for each node. A text stands for a pod that can
 * run nowhere yet, whatever the nodes are like.
 */
export function volumeRule(pod: Pod, storage: Storage): string | ((node: Node) => string | undefined) {
  const volumes: PersistentVolume[] = [];
  const own = ownClaims(pod);
  for (const name of claimsUsedBy(pod)) {
    const isOwn = own.has(name);
    const claim = storage.claimOf(pod.metadata.namespace ?? "", name);
    if (claim === undefined) return missing(name, isOwn);
    if (isOwn && !isClaimOf(pod, claim)) return notForPod(pod, name);
    if (claim.metadata.deletionTimestamp !== undefined) return `persistentvolumeclaim "${name}" is being deleted`;
    const volume = storage.volumeOf(claim.spec?.volumeName ?? "");
    if (volume !== undefined) volumes.push(volume);
    else if (storage.classOf(classOf(claim))?.volumeBindingMode !== "WaitForFirstConsumer")
      return "pod has unbound immediate PersistentVolumeClaims";
  }
  return (node) => {
    const isNear = volumes.every(({ spec }) => {
      const terms = spec?.nodeAffinity?.required?.nodeSelectorTerms;
      return terms === undefined || terms.some((term) => matchesTerm(node, term));
    });
    return isNear ? undefined : "node(s) didn't match PersistentVolume's node affinity";
  };
}

/** The claims that a pod gets for itself. */
function ownClaims(pod: Pod): ReadonlySet<string> {
  const own = (pod.spec?.volumes ?? []).filter(({ ephemeral }) => ephemeral !== undefined);
  return new Set(own.map(({ name }) => ephemeralClaimName(pod, name)));
}

function missing(claim: string, isOwn: boolean): string {
  if (!isOwn) return `persistentvolumeclaim "${claim}" not found`;
  return `waiting for ephemeral volume controller to create the persistentvolumeclaim "${claim}"`;
}

/** Whether another pod has a claim that only one pod may use at a time; worked out once for the pod. */
export function isSoleUseTaken(pod: Pod, { nodes, storage }: Occupied): boolean {
  const { namespace = "" } = pod.metadata;
  const isSole = (name: string): boolean =>
    storage.claimOf(namespace, name)?.spec?.accessModes?.includes("ReadWriteOncePod") === true;
  const sole = new Set(claimsUsedBy(pod).filter(isSole));
  if (sole.size === 0) return false;
  const isUser = ({ pod: other }: PlacedPod): boolean =>
    other.metadata.namespace === namespace &&
    other.metadata.uid !== pod.metadata.uid &&
    claimsUsedBy(other).some((name) => sole.has(name));
  return nodes.some(({ pods }) => [...pods.values()].some(isUser));
}

/** Storage, and the pods that use it. */
export interface Occupied {
  readonly nodes: readonly NodeView[];
  readonly storage: Storage;
}
