/** Objects that a cluster needs beside its members. Every reconcile applies them; nothing is written when nothing changed. */
import { PodDisruptionBudget } from "capstan/kinds/policy/v1";
import { PersistentVolumeClaim, Secret, Service } from "capstan/kinds/v1";
import { EtcdBackup } from "../kinds/index.ts";
import {
  claimName,
  clusterLabels,
  disruptionBudget,
  peerService,
  PROFILES,
  volumeClaim,
  UID_LABEL,
} from "../pods/index.ts";
import { isImpossible } from "./rejected-step.ts";
import { serveClients } from "./serve-clients.ts";
import type { ActionContext } from "./reconcile-context.ts";

/** Applies all shared objects, and returns the first error that the API server rejected one with. */
export async function applySharedObjects(context: ActionContext): Promise<Error | undefined> {
  const refused: Error[] = [];
  for (const write of sharedWrites(context)) {
    try {
      await write();
    } catch (error) {
      if (!isImpossible(error)) throw error;
      refused.push(error);
    }
  }
  return refused[0];
}

/** A rejected object does not stop the others from being applied. */
function sharedWrites(context: ActionContext): readonly (() => Promise<unknown>)[] {
  const { apply, seen } = context;
  const { name } = seen;
  const { spec } = seen.object;
  const metadata = { labels: clusterLabels(name) };
  const minimum = Math.max(spec.size, votersOf(seen), 1);
  return [
    () => apply(Service, name, peerService(name)),
    () => serveClients(context),
    () => apply(PodDisruptionBudget, name, disruptionBudget(name, minimum)),
    ...seen.tls.apply.map((secret) => {
      const { type, data } = secret;
      return () => apply(Secret, secret.name, { metadata, type, data });
    }),
    () => applyBackupSchedule(context),
  ];
}

/** While a cluster scales down, the quorum is computed from its present voters, not from `spec.size`. */
function votersOf({ membership }: ActionContext["seen"]): number {
  return membership.members.filter(({ isLearner }) => !isLearner).length;
}

/** `spec.backup` becomes an EtcdBackup with the name of the cluster. */
async function applyBackupSchedule({ apply, get, remove, seen }: ActionContext): Promise<void> {
  const { name, object } = seen;
  const { backup } = object.spec;
  if (backup !== undefined) {
    await apply(EtcdBackup, name, { metadata: { labels: clusterLabels(name) }, spec: { cluster: name, ...backup } });
    return;
  }
  const old = get(EtcdBackup, name);
  const isOurs = old?.metadata.ownerReferences?.some(({ uid }) => uid === object.metadata.uid) === true;
  if (isOurs) await remove(EtcdBackup, name);
}

/** Applies the volume of a member with the requested size, or its present size if that is larger. */
export async function applyVolume({ apply, seen }: ActionContext, member: string): Promise<void> {
  const { object, desired, volumes, name } = seen;
  const { storage } = object.spec;
  const has = volumes.find((volume) => volume.member === member)?.requested ?? 0;
  const text = String(storage.size ?? PROFILES[object.spec.profile].storage);
  const bytes = has > desired.volumeBytes ? String(has) : text;
  const claim = volumeClaim(name, member, {
    bytes,
    ...(storage.className === undefined ? {} : { className: storage.className }),
  });
  const labels = { ...claim.metadata?.labels, [UID_LABEL]: object.metadata.uid };
  await apply(
    PersistentVolumeClaim,
    claimName(member),
    { ...claim, metadata: { labels } },
    { owned: storage.onDelete === "Delete" },
  );
}
