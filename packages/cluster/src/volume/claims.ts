/** Binds claims to volumes, and provisions volumes for our storage class. */
import { isApiError } from "@capstan/client";
import { StorageClass } from "@capstan/kinds/storage.k8s.io/v1";
import { PersistentVolume, PersistentVolumeClaim, Pod } from "@capstan/kinds/v1";
import { compareQuantities } from "@capstan/model";
import { anyChange, controller } from "@capstan/runtime";
import type { Controller } from "@capstan/runtime";
import { podIndexes } from "../pod/indexes.ts";
import { FIELD_MANAGER } from "../controller/context.ts";
import type { ControllerContext } from "../controller/context.ts";
import { writeStatus } from "../controller/write-status.ts";
import { capacityOf, classOf, isBoundTo, requestOf, sizeOf, findMatchingVolume } from "./match.ts";
import { claimsUsedBy } from "./protection.ts";
import { PROVISIONED_BY } from "./reclaim.ts";

/** The provisioner of volumes that are folders on this machine. */
export const PROVISIONER = "capstan.dev/local";
const BIND_COMPLETED = "pv.kubernetes.io/bind-completed";
const BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller";

interface SyncContext extends ControllerContext {
  readonly claim: PersistentVolumeClaim;
  readonly signal: AbortSignal;
  readonly event: (type: "Normal" | "Warning", reason: string, note: string) => void;
}

/** The path of volumes inside nodes; each node maps it to its own folder. */
const VOLUMES = "/var/lib/capstan/volumes";

/** The controller of claims. */
export function claimController(controllerContext: ControllerContext): Controller {
  return controller(
    PersistentVolumeClaim,
    {
      name: "persistentvolume-binder",
      reporter: "persistentvolume-controller",
      reads: [PersistentVolume, StorageClass, Pod],
      predicate: anyChange,
      // Two claims must not choose the same volume.
      concurrency: 1,
      cache: { Pod: podIndexes },
    },
    async ({ object: claim, find, get, signal, event }) => {
      const context: SyncContext = { ...controllerContext, claim, signal, event };
      const named = claim.spec?.volumeName ?? "";
      const bound = named === "" ? undefined : get(PersistentVolume, named);
      if (claim.metadata.annotations?.[BIND_COMPLETED] !== undefined) return checkBound(context, bound);
      const volume = findMatchingVolume(claim, find(PersistentVolume));
      if (volume !== undefined) return bind(context, volume);
      const storageClass = classOf(claim) === "" ? undefined : get(StorageClass, classOf(claim));
      await reportPending(context);
      if (storageClass === undefined || storageClass.provisioner !== PROVISIONER || named !== "") return;
      const waitsForConsumer = storageClass.volumeBindingMode === "WaitForFirstConsumer";
      const { namespace = "", name } = claim.metadata;
      const isUsed = (): boolean => find(Pod, { namespace }).some((pod) => claimsUsedBy(pod).includes(name));
      if (!waitsForConsumer || isUsed()) await provision(context, storageClass);
      else event("Normal", "WaitForFirstConsumer", "waiting for first consumer to be created before binding");
    },
  );
}

async function reportPending({ client, claim, signal }: SyncContext): Promise<void> {
  if (claim.status?.phase === "Pending") return;
  await writeStatus(client, PersistentVolumeClaim, { object: claim, status: { phase: "Pending" }, signal });
}

/** A bound claim whose volume is gone or bound to another claim is Lost. A claim that requests more storage is expanded. */
async function checkBound(context: SyncContext, volume: PersistentVolume | undefined): Promise<void> {
  const { client, claim, signal } = context;
  if (volume === undefined || !isBoundTo(volume, claim)) {
    if (claim.status?.phase === "Lost") return;
    const status = { ...claim.status, phase: "Lost" as const };
    await writeStatus(client, PersistentVolumeClaim, { object: claim, status, signal });
    return context.event("Warning", "ClaimLost", "Bound claim has lost its PersistentVolume.");
  }
  const grown = claim.status?.phase === "Bound" ? await expand(context, volume) : volume;
  await reportBound(context, claim, grown);
}

/** Only the provisioner can expand a volume; for other provisioners the controller waits, as kube-controller-manager does. */
async function expand(
  { client, claim, signal, event }: SyncContext,
  volume: PersistentVolume,
): Promise<PersistentVolume> {
  if (!isOurs(volume)) {
    const isTooSmall = compareQuantities(requestOf(claim), sizeOf(claim)) > 0;
    if (isTooSmall) event("Normal", "ExternalExpanding", "waiting for an external controller to expand this PVC");
    return volume;
  }
  if (compareQuantities(requestOf(claim), capacityOf(volume)) <= 0) return volume;
  const merge = { spec: { capacity: { storage: claim.spec?.resources?.requests?.["storage"] } } };
  const { name } = volume.metadata;
  return client.patch(PersistentVolume, { name }, { merge }, { fieldManager: FIELD_MANAGER, signal });
}

async function bind(context: SyncContext, volume: PersistentVolume): Promise<void> {
  const { client, claim, signal } = context;
  const { namespace = "", name, uid, resourceVersion } = claim.metadata;
  const options = { fieldManager: FIELD_MANAGER, signal };
  if (volume.spec?.claimRef?.uid !== uid) {
    const claimRef = { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace, name, uid, resourceVersion };
    const annotations = volume.spec?.claimRef === undefined ? { [BOUND_BY_CONTROLLER]: "yes" } : {};
    const metadata = { resourceVersion: volume.metadata.resourceVersion, annotations };
    const merge = { metadata, spec: { claimRef } };
    await client.patch(PersistentVolume, { name: volume.metadata.name }, { merge }, options);
  }
  const isChosenByController = (claim.spec?.volumeName ?? "") === "";
  const annotations = { [BIND_COMPLETED]: "yes", ...(isChosenByController && { [BOUND_BY_CONTROLLER]: "yes" }) };
  const merge = { metadata: { annotations }, spec: { volumeName: volume.metadata.name } };
  const bound = await client.patch(PersistentVolumeClaim, { namespace, name }, { merge }, options);
  await reportBound(context, bound, volume);
}

async function reportBound(
  { client, signal }: SyncContext,
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
): Promise<void> {
  const { spec } = volume;
  // A volume of another provisioner may be larger than its file system: its provisioner reports the size of the claim.
  const isAsLarge = isOurs(volume) || claim.status?.phase !== "Bound";
  const status = {
    ...claim.status,
    phase: "Bound" as const,
    ...(spec?.accessModes && { accessModes: spec.accessModes }),
    ...(isAsLarge && spec?.capacity && { capacity: spec.capacity }),
  };
  await writeStatus(client, PersistentVolumeClaim, { object: claim, status, signal });
}

/** Whether our provisioner created a volume. */
export function isOurs({ metadata }: PersistentVolume): boolean {
  return metadata.annotations?.[PROVISIONED_BY] === PROVISIONER;
}

async function provision(context: SyncContext, { metadata, reclaimPolicy = "Delete" }: StorageClass): Promise<void> {
  const { client, claim, signal, event } = context;
  const { namespace = "", name, uid } = claim.metadata;
  const volume = {
    metadata: { name: `pvc-${uid}`, annotations: { [PROVISIONED_BY]: PROVISIONER } },
    spec: {
      capacity: { storage: claim.spec?.resources?.requests?.["storage"] ?? "1Gi" },
      accessModes: claim.spec?.accessModes ?? [],
      persistentVolumeReclaimPolicy: reclaimPolicy,
      storageClassName: metadata.name,
      ...(claim.spec?.volumeMode && { volumeMode: claim.spec.volumeMode }),
      claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace, name, uid },
      hostPath: { path: `${VOLUMES}/pvc-${uid}`, type: "DirectoryOrCreate" as const },
    },
  };
  try {
    await client.create(PersistentVolume, volume, { fieldManager: FIELD_MANAGER, signal });
    event("Normal", "ProvisioningSucceeded", `Successfully provisioned volume pvc-${uid}`);
  } catch (error) {
    if (!isApiError(error, "AlreadyExists")) throw error;
  }
}
