/** Protects claims and volumes in use: their finalizers are removed when they are no longer used. */
import { isApiError } from "@capstan/client";
import { VolumeAttributesClass } from "@capstan/kinds/storage.k8s.io/v1";
import { PersistentVolume, PersistentVolumeClaim, Pod } from "@capstan/kinds/v1";
import { runInformer } from "../informer/informer.ts";
import { WorkQueue } from "../informer/work-queue.ts";
import { isFinished } from "../pod/state.ts";
import { FIELD_MANAGER } from "../controller/context.ts";
import type { ControllerContext } from "../controller/context.ts";
import { ephemeralClaimName } from "./ephemeral.ts";

const CLAIM_FINALIZER = "kubernetes.io/pvc-protection";
const ATTRIBUTES_FINALIZER = "kubernetes.io/vac-protection";
const VOLUME_FINALIZER = "kubernetes.io/pv-protection";

/** The claims of a pod, including ephemeral ones. */
export function claimsUsedBy(pod: Pod): readonly string[] {
  return (pod.spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim !== undefined) return [persistentVolumeClaim.claimName];
    return ephemeral === undefined ? [] : [ephemeralClaimName(pod, name)];
  });
}

/** Starts the protection controllers; they stop with the signal. */
export function startVolumeProtection(context: ControllerContext, signal: AbortSignal): void {
  protectClaims(context, signal);
  protectVolumes(context, signal);
  protectAttributesClasses(context, signal);
}

function protectClaims(context: ControllerContext, signal: AbortSignal): void {
  const { api, clock, log, client } = context;
  const claims = new Map<string, PersistentVolumeClaim>();
  const users = new Map<string, Set<string>>();
  let isSynced = false;
  const reconcile = async (key: string): Promise<undefined> => {
    const claim = claims.get(key);
    if (claim === undefined || !isSynced || (users.get(key)?.size ?? 0) > 0) return;
    const { namespace = "", name } = claim.metadata;
    const strategic = { metadata: { "$deleteFromPrimitiveList/finalizers": [CLAIM_FINALIZER] } };
    await client
      .patch(PersistentVolumeClaim, { namespace, name }, { strategic }, { fieldManager: FIELD_MANAGER })
      .catch(ignoreNotFound);
  };
  const queue = new WorkQueue({ name: "claim protection", clock, log, reconcile });
  const keysOf = (pod: Pod): readonly string[] =>
    claimsUsedBy(pod).map((name) => `${pod.metadata.namespace ?? ""}/${name}`);
  const release = (pod: Pod): void => {
    for (const key of keysOf(pod)) {
      users.get(key)?.delete(pod.metadata.uid);
      queue.add(key);
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
      for (const key of claims.keys()) queue.add(key);
    },
  };
  const claimListener = {
    put(claim: PersistentVolumeClaim): void {
      const key = keyOf(claim);
      const isHeld = claim.metadata.finalizers?.includes(CLAIM_FINALIZER) === true;
      if (claim.metadata.deletionTimestamp === undefined || !isHeld) return void claims.delete(key);
      claims.set(key, claim);
      queue.add(key);
    },
    removed: (claim: PersistentVolumeClaim) => void claims.delete(keyOf(claim)),
  };
  void runInformer<Pod>({ api, kind: Pod, clock, signal, listener: podListener });
  void runInformer<PersistentVolumeClaim>({ api, kind: PersistentVolumeClaim, clock, signal, listener: claimListener });
  signal.addEventListener("abort", () => queue.stop(), { once: true });
}

function keyOf({ metadata: { namespace = "", name } }: PersistentVolumeClaim): string {
  return `${namespace}/${name}`;
}

function protectVolumes({ api, clock, log, client }: ControllerContext, signal: AbortSignal): void {
  const reconcile = async (name: string): Promise<undefined> => {
    const strategic = { metadata: { "$deleteFromPrimitiveList/finalizers": [VOLUME_FINALIZER] } };
    await client
      .patch(PersistentVolume, { name }, { strategic }, { fieldManager: FIELD_MANAGER })
      .catch(ignoreNotFound);
  };
  const queue = new WorkQueue({ name: "volume protection", clock, log, reconcile });
  const listener = {
    put({ metadata, status }: PersistentVolume): void {
      const isHeld = metadata.finalizers?.includes(VOLUME_FINALIZER) === true;
      if (metadata.deletionTimestamp !== undefined && isHeld && status?.phase !== "Bound") queue.add(metadata.name);
    },
    removed: () => undefined,
  };
  void runInformer<PersistentVolume>({ api, kind: PersistentVolume, clock, signal, listener });
  signal.addEventListener("abort", () => queue.stop(), { once: true });
}

/** A VolumeAttributesClass is released when no claim or volume names it. */
function protectAttributesClasses({ api, clock, log, client }: ControllerContext, signal: AbortSignal): void {
  const leaving = new Set<string>();
  const users = new Map<string, ReadonlySet<string>>();
  const reconcile = async (name: string): Promise<undefined> => {
    if (!leaving.has(name) || [...users.values()].some((names) => names.has(name))) return;
    const strategic = { metadata: { "$deleteFromPrimitiveList/finalizers": [ATTRIBUTES_FINALIZER] } };
    await client
      .patch(VolumeAttributesClass, { name }, { strategic }, { fieldManager: FIELD_MANAGER })
      .catch(ignoreNotFound);
  };
  const queue = new WorkQueue({ name: "attributes class protection", clock, log, reconcile });
  const requeueDeleted = (): void => {
    for (const name of leaving) queue.add(name);
  };
  const classes = {
    put({ metadata: { name, deletionTimestamp, finalizers } }: VolumeAttributesClass): void {
      const isHeld = finalizers?.includes(ATTRIBUTES_FINALIZER) === true;
      if (deletionTimestamp === undefined || !isHeld) return void leaving.delete(name);
      leaving.add(name);
      queue.add(name);
    },
    removed: ({ metadata }: VolumeAttributesClass) => void leaving.delete(metadata.name),
  };
  const uses = {
    put({ metadata, spec, status }: PersistentVolumeClaim | PersistentVolume): void {
      const names = [
        spec?.volumeAttributesClassName,
        (status as AttributesClassUser | undefined)?.currentVolumeAttributesClassName,
      ];
      users.set(metadata.uid, new Set(names.filter((name) => name !== undefined)));
      requeueDeleted();
    },
    removed({ metadata }: PersistentVolumeClaim | PersistentVolume): void {
      users.delete(metadata.uid);
      requeueDeleted();
    },
  };
  void runInformer<PersistentVolumeClaim>({ api, kind: PersistentVolumeClaim, clock, signal, listener: uses });
  void runInformer<PersistentVolume>({ api, kind: PersistentVolume, clock, signal, listener: uses });
  void runInformer<VolumeAttributesClass>({ api, kind: VolumeAttributesClass, clock, signal, listener: classes });
  signal.addEventListener("abort", () => queue.stop(), { once: true });
}

interface AttributesClassUser {
  readonly currentVolumeAttributesClassName?: string;
}

function ignoreNotFound(error: unknown): undefined {
  if (!isApiError(error, "NotFound")) throw error;
}
