/** Holds claims and volumes that are in use: those that are to go may do so when nobody uses them. */
import { isApiError } from "@capstan/client";
import { PersistentVolume, PersistentVolumeClaim, Pod } from "@capstan/kinds/v1";
import { follow } from "../follow/follow.ts";
import { Worker } from "../follow/worker.ts";
import { isFinished } from "../pod/state.ts";
import { MANAGER } from "../setting.ts";
import type { Setting } from "../setting.ts";

const CLAIM_FINALIZER = "kubernetes.io/pvc-protection";
const VOLUME_FINALIZER = "kubernetes.io/pv-protection";

/** The claims that a pod uses, those of its own ephemeral volumes included. */
export function claimsUsedBy({ metadata, spec }: Pod): readonly string[] {
  return (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim !== undefined) return [persistentVolumeClaim.claimName];
    return ephemeral === undefined ? [] : [`${metadata.name}-${name}`];
  });
}

/** Starts to guard; it ends with the signal. */
export function startVolumeProtection(setting: Setting, signal: AbortSignal): void {
  guardClaims(setting, signal);
  guardVolumes(setting, signal);
}

function guardClaims(setting: Setting, signal: AbortSignal): void {
  const { api, clock, log, client } = setting;
  const claims = new Map<string, PersistentVolumeClaim>();
  const users = new Map<string, Set<string>>();
  let isSynced = false;
  const work = async (key: string): Promise<undefined> => {
    const claim = claims.get(key);
    if (claim === undefined || !isSynced || (users.get(key)?.size ?? 0) > 0) return;
    const { namespace = "", name } = claim.metadata;
    const strategic = { metadata: { "$deleteFromPrimitiveList/finalizers": [CLAIM_FINALIZER] } };
    await client
      .patch(PersistentVolumeClaim, { namespace, name }, { strategic }, { fieldManager: MANAGER })
      .catch(unlessGone);
  };
  const worker = new Worker({ name: "claim protection", clock, log, work });
  const keysOf = (pod: Pod): readonly string[] =>
    claimsUsedBy(pod).map((name) => `${pod.metadata.namespace ?? ""}/${name}`);
  const release = (pod: Pod): void => {
    for (const key of keysOf(pod)) {
      users.get(key)?.delete(pod.metadata.uid);
      worker.add(key);
    }
  };
  const podListener = {
    put(pod: Pod): void {
      if (isFinished(pod)) return release(pod);
      for (const key of keysOf(pod)) users.set(key, (users.get(key) ?? new Set<string>()).add(pod.metadata.uid));
    },
    removed: release,
    synced(): void {
      isSynced = true;
      for (const key of claims.keys()) worker.add(key);
    },
  };
  const claimListener = {
    put(claim: PersistentVolumeClaim): void {
      const key = keyOf(claim);
      const isHeld = claim.metadata.finalizers?.includes(CLAIM_FINALIZER) === true;
      if (claim.metadata.deletionTimestamp === undefined || !isHeld) return void claims.delete(key);
      claims.set(key, claim);
      worker.add(key);
    },
    removed: (claim: PersistentVolumeClaim) => void claims.delete(keyOf(claim)),
  };
  void follow<Pod>({ api, kind: Pod, clock, signal, listener: podListener });
  void follow<PersistentVolumeClaim>({ api, kind: PersistentVolumeClaim, clock, signal, listener: claimListener });
  signal.addEventListener("abort", () => worker.stop(), { once: true });
}

function keyOf({ metadata: { namespace = "", name } }: PersistentVolumeClaim): string {
  return `${namespace}/${name}`;
}

function guardVolumes({ api, clock, log, client }: Setting, signal: AbortSignal): void {
  const work = async (name: string): Promise<undefined> => {
    const strategic = { metadata: { "$deleteFromPrimitiveList/finalizers": [VOLUME_FINALIZER] } };
    await client.patch(PersistentVolume, { name }, { strategic }, { fieldManager: MANAGER }).catch(unlessGone);
  };
  const worker = new Worker({ name: "volume protection", clock, log, work });
  const listener = {
    put({ metadata, status }: PersistentVolume): void {
      const isHeld = metadata.finalizers?.includes(VOLUME_FINALIZER) === true;
      if (metadata.deletionTimestamp !== undefined && isHeld && status?.phase !== "Bound") worker.add(metadata.name);
    },
    removed: () => undefined,
  };
  void follow<PersistentVolume>({ api, kind: PersistentVolume, clock, signal, listener });
  signal.addEventListener("abort", () => worker.stop(), { once: true });
}

function unlessGone(error: unknown): undefined {
  if (!isApiError(error, "NotFound")) throw error;
}
