/** Sets owner references of claims by the retention policy; the garbage collector deletes them. */
import { StatefulSet } from "@capstan/kinds/apps/v1";
import { PersistentVolumeClaim, Pod } from "@capstan/kinds/v1";
import { apiVersionOf, isDeepEqual } from "@capstan/model";
import type { OwnerReference, StoredObject } from "@capstan/model";
import { FIELD_MANAGER } from "../controller/context.ts";
import type { SyncContext } from "./controller.ts";
import { claimName, ordinalOf, startOf } from "./identity.ts";

/** Updates the owner references of every claim. */
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

/** The owners of a claim: the set with `whenDeleted: Delete`, the pod with `whenScaled: Delete` and a condemned ordinal. */
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
  // A recreated pod has a new uid, so references to earlier pods of this name are dropped.
  const foreign = others.filter(({ kind, name }) => !(kind === "Pod" && name === pod.metadata.name));
  // An object has one controller: a claim of another controller stays as it is.
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
