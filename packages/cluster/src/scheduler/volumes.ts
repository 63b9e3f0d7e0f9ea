/** Whether the volumes of a pod allow a node. Pure. */
import type { StorageClass } from "@capstan/kinds/storage.k8s.io/v1";
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod } from "@capstan/kinds/v1";
import { classOf } from "../volume/match.ts";
import { ephemeralClaimName, isClaimOf, notOwnedMessage } from "../volume/ephemeral.ts";
import { claimsUsedBy } from "../volume/protection.ts";
import { matchesTerm } from "@capstan/node";
import type { NodeInfo, PodInfo } from "./cache.ts";

/** Reads claims, volumes and storage classes. */
export interface StorageLister {
  readonly claimOf: (namespace: string, name: string) => PersistentVolumeClaim | undefined;
  readonly volumeOf: (name: string) => PersistentVolume | undefined;
  readonly classOf: (name: string) => StorageClass | undefined;
}

/** A lister without objects. */
export const emptyStorage: StorageLister = {
  claimOf: () => undefined,
  volumeOf: () => undefined,
  classOf: () => undefined,
};

/** Why a pod's volumes reject a node. A string means that the pod cannot be scheduled on any node yet. */
export function volumeFilter(pod: Pod, storage: StorageLister): string | ((node: Node) => string | undefined) {
  const volumes: PersistentVolume[] = [];
  const ephemeral = ephemeralClaims(pod);
  for (const name of claimsUsedBy(pod)) {
    const isEphemeral = ephemeral.has(name);
    const claim = storage.claimOf(pod.metadata.namespace ?? "", name);
    if (claim === undefined) return missingClaimMessage(name, isEphemeral);
    if (isEphemeral && !isClaimOf(pod, claim)) return notOwnedMessage(pod, name);
    if (claim.metadata.deletionTimestamp !== undefined) return `persistentvolumeclaim "${name}" is being deleted`;
    const volume = storage.volumeOf(claim.spec?.volumeName ?? "");
    if (volume !== undefined) volumes.push(volume);
    else if (storage.classOf(classOf(claim))?.volumeBindingMode !== "WaitForFirstConsumer")
      return "pod has unbound immediate PersistentVolumeClaims";
  }
  return (node) => {
    const matchesVolumes = volumes.every(({ spec }) => {
      const terms = spec?.nodeAffinity?.required?.nodeSelectorTerms;
      return terms === undefined || terms.some((term) => matchesTerm(node, term));
    });
    return matchesVolumes ? undefined : "node(s) didn't match PersistentVolume's node affinity";
  };
}

/** The names of the pod's ephemeral claims. */
function ephemeralClaims(pod: Pod): ReadonlySet<string> {
  const ephemeral = (pod.spec?.volumes ?? []).filter(({ ephemeral }) => ephemeral !== undefined);
  return new Set(ephemeral.map(({ name }) => ephemeralClaimName(pod, name)));
}

function missingClaimMessage(claim: string, isEphemeral: boolean): string {
  if (!isEphemeral) return `persistentvolumeclaim "${claim}" not found`;
  return `waiting for ephemeral volume controller to create the persistentvolumeclaim "${claim}"`;
}

/** Whether another pod uses one of the pod's ReadWriteOncePod claims. */
export function hasReadWriteOncePodConflict(pod: Pod, { nodes, storage }: StorageInUse): boolean {
  const { namespace = "" } = pod.metadata;
  const isReadWriteOncePod = (name: string): boolean =>
    storage.claimOf(namespace, name)?.spec?.accessModes?.includes("ReadWriteOncePod") === true;
  const exclusive = new Set(claimsUsedBy(pod).filter(isReadWriteOncePod));
  if (exclusive.size === 0) return false;
  const isUser = ({ pod: other }: PodInfo): boolean =>
    other.metadata.namespace === namespace &&
    other.metadata.uid !== pod.metadata.uid &&
    claimsUsedBy(other).some((name) => exclusive.has(name));
  return nodes.some(({ pods }) => [...pods.values()].some(isUser));
}

/** Claims, and the nodes with the pods that use them. */
export interface StorageInUse {
  readonly nodes: readonly NodeInfo[];
  readonly storage: StorageLister;
}
