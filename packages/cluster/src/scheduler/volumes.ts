/** Whether the volumes of a pod let it run on a node. Pure. */
import type { StorageClass } from "@capstan/kinds/storage.k8s.io/v1";
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod } from "@capstan/kinds/v1";
import { classOf } from "../volume/match.ts";
import { claimsUsedBy } from "../volume/protection.ts";
import { matchesTerm } from "./affinity.ts";

/** What is known about storage. */
export interface Storage {
  readonly claimOf: (namespace: string, name: string) => PersistentVolumeClaim | undefined;
  readonly volumeOf: (name: string) => PersistentVolume | undefined;
  readonly classOf: (name: string) => StorageClass | undefined;
}

/** A world without storage. */
export const noStorage: Storage = { claimOf: () => undefined, volumeOf: () => undefined, classOf: () => undefined };

/** Why a pod cannot run on a node because of its volumes; worked out once for the pod and asked for each node. */
export function volumeRule(pod: Pod, storage: Storage): (node: Node) => string | undefined {
  const volumes: PersistentVolume[] = [];
  for (const name of claimsUsedBy(pod)) {
    const claim = storage.claimOf(pod.metadata.namespace ?? "", name);
    if (claim === undefined) return () => `persistentvolumeclaim "${name}" not found`;
    if (claim.metadata.deletionTimestamp !== undefined) return () => `persistentvolumeclaim "${name}" is being deleted`;
    const volume = storage.volumeOf(claim.spec?.volumeName ?? "");
    if (volume !== undefined) volumes.push(volume);
    else if (storage.classOf(classOf(claim))?.volumeBindingMode !== "WaitForFirstConsumer") {
      return () => "pod has unbound immediate PersistentVolumeClaims";
    }
  }
  return (node) => {
    const isNear = volumes.every(({ spec }) => {
      const terms = spec?.nodeAffinity?.required?.nodeSelectorTerms;
      return terms === undefined || terms.some((term) => matchesTerm(node, term));
    });
    return isNear ? undefined : "node(s) didn't match PersistentVolume's node affinity";
  };
}
