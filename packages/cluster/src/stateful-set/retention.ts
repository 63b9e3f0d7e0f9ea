/** Ties claims to the set or to their pod, as the retention policy wants it: the garbage collector does the rest. */
import { StatefulSet } from "@capstan/kinds/apps/v1";
import { PersistentVolumeClaim, Pod } from "@capstan/kinds/v1";
import { apiVersionOf, isDeepEqual } from "@capstan/model";
import type { OwnerReference, StoredObject } from "@capstan/model";
import { FIELD_MANAGER } from "../controller/context.ts";
import type { SyncContext } from "./controller.ts";
import { claimName, ordinalOf, startOf } from "./identity.ts";

/** Brings the owners of every claim in line with the policy. */
export async function updateClaimOwners(context: SyncContext, pods: readonly Pod[]): Promise<void> {
  const { set, client, getClaim, signal } = context;
  for (const pod of pods) {
    const ordinal = ordinalOf(pod, set);
    if (ordinal < 0) continue;
    for (const template of set.spec?.volumeClaimTemplates ?? []) {
      const claim = getClaim(claimName(template.metadata?.name ?? "", set.metadata.name, ordinal));
      if (claim === undefined) continue;
      const ownerReferences = ownersOf(claim, { set, pod, ordinal });
      if (isDeepEqual(ownerReferences, claim.metadata.ownerReferences ?? [])) continue;
      const { namespace = "", name, resourceVersion } = claim.metadata;
      const merge = { metadata: { resourceVersion, ownerReferences } };
      await client.patch(
        PersistentVolumeClaim,
        { namespace, name },
        { merge },
        { fieldManager: FIELD_MANAGER, signal },
      );
    }
  }
}

interface ClaimOwners {
  readonly set: StatefulSet;
  readonly pod: Pod;
  readonly ordinal: number;
}

/** Owners of a claim: the set where it goes with the set, the pod where it goes with a pod that is to be scaled away. */
export function ownersOf(
  { metadata }: PersistentVolumeClaim,
  { set, pod, ordinal }: ClaimOwners,
): readonly OwnerReference[] {
  const { whenDeleted = "Retain", whenScaled = "Retain" } = set.spec?.persistentVolumeClaimRetentionPolicy ?? {};
  const start = startOf(set);
  const isCondemned = ordinal < start || ordinal >= start + (set.spec?.replicas ?? 1);
  const goesWithPod = whenScaled === "Delete" && isCondemned;
  const goesWithSet = whenDeleted === "Delete" && !goesWithPod;
  const current = metadata.ownerReferences ?? [];
  const others = current.filter(({ uid }) => uid !== set.metadata.uid && uid !== pod.metadata.uid);
  // The pod of a member is another after each restart: references to former ones lead nowhere.
  const foreign = others.filter(({ kind, name }) => !(kind === "Pod" && name === pod.metadata.name));
  // Nothing has two controllers: a claim that is somebody else's stays theirs.
  if (foreign.some(({ controller }) => controller === true)) return foreign;
  return [
    ...foreign,
    ...(goesWithSet ? [referenceTo(StatefulSet, set)] : []),
    ...(goesWithPod ? [referenceTo(Pod, pod)] : []),
  ];
}

function referenceTo(kind: typeof StatefulSet | typeof Pod, { metadata }: StoredObject): OwnerReference {
  const { name, uid } = metadata;
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, name, uid, controller: true, blockOwnerDeletion: true };
}
