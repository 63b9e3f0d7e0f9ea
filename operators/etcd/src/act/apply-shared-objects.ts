/** What a cluster needs beside its members, brought to its desired state in every turn: nothing is written when nothing would change. */
import { PodDisruptionBudget } from "capstan/kinds/policy/v1";
import { PersistentVolumeClaim, Secret, Service } from "capstan/kinds/v1";
import { EtcdBackup } from "../kinds/index.ts";
import {
  claimName,
  clientService,
  clientServiceName,
  clusterLabels,
  disruptionBudget,
  peerService,
  PROFILES,
  volumeClaim,
  UID_LABEL,
} from "../pods/index.ts";
import { isImpossible } from "./rejected-step.ts";
import type { ActionContext } from "./reconcile-context.ts";

/** Writes what can be written; answers with what was refused first, if anything was. */
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

/** One that is refused keeps no other from being written. */
function sharedWrites(context: ActionContext): readonly (() => Promise<unknown>)[] {
  const { apply, seen } = context;
  const { name } = seen;
  const { spec } = seen.object;
  const metadata = { labels: clusterLabels(name) };
  const minimum = Math.max(spec.size, votersOf(seen), 1);
  return [
    () => apply(Service, name, peerService(name)),
    () => apply(Service, clientServiceName(name), clientService(name, spec.clientService)),
    () => apply(PodDisruptionBudget, name, disruptionBudget(name, minimum)),
    ...seen.tls.apply.map((secret) => {
      const { type, data } = secret;
      return () => apply(Secret, secret.name, { metadata, type, data });
    }),
    () => applyBackupSchedule(context),
  ];
}

/** Where members are still to go, the quorum is that of those who vote, not of those who are wanted. */
function votersOf({ membership }: ActionContext["seen"]): number {
  return membership.members.filter(({ isLearner }) => !isLearner).length;
}

/** The policy of the spec is an EtcdBackup of the cluster's name. */
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

/** The volume of a member, as large as it is wanted or as it already is. */
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
