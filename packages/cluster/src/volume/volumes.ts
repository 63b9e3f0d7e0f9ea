/** Sets the phase of volumes, and reclaims released ones. */
import { isApiError } from "@capstan/client";
import { PersistentVolume, PersistentVolumeClaim } from "@capstan/kinds/v1";
import { formatTime } from "@capstan/model";
import { anyChange, controller } from "@capstan/runtime";
import type { Controller } from "@capstan/runtime";
import type { ControllerContext } from "../controller/context.ts";
import { writeStatus } from "../controller/write-status.ts";
import { PROVISIONER } from "./claims.ts";
import { reclaimOf } from "./reclaim.ts";

type Phase = "Available" | "Bound" | "Released" | "Failed";

/** The phase of a volume, given the claim that it names. */
export function phaseOf({ spec }: PersistentVolume, claim: PersistentVolumeClaim | undefined): Phase {
  const reference = spec?.claimRef;
  if (reference?.uid === undefined) return "Available";
  return claim?.metadata.uid === reference.uid ? "Bound" : "Released";
}

interface SyncContext extends ControllerContext {
  readonly volume: PersistentVolume;
  readonly signal: AbortSignal;
  readonly event: (type: "Normal" | "Warning", reason: string, note: string) => void;
  readonly removeFiles: (path: string | undefined) => Promise<void>;
}

/** The controller of volumes. It removes the files of released volumes that our provisioner made. */
export function volumeController(
  controllerContext: ControllerContext,
  removeFiles: SyncContext["removeFiles"],
): Controller {
  return controller(
    PersistentVolume,
    {
      name: "persistentvolume",
      reporter: "persistentvolume-controller",
      reads: [PersistentVolumeClaim],
      predicate: anyChange,
    },
    async ({ object: volume, get, signal, event }) => {
      const { name = "", namespace = "", uid } = volume.spec?.claimRef ?? {};
      const cached = uid === undefined ? undefined : get(PersistentVolumeClaim, { name: name, namespace });
      // The claim's absence must be certain, because the data may be deleted next.
      const isConfirmed = cached?.metadata.uid === uid;
      const claim =
        uid === undefined || isConfirmed
          ? cached
          : await controllerContext.client
              .get(PersistentVolumeClaim, { namespace, name, signal })
              .catch(ignoreNotFound);
      await syncVolume({ ...controllerContext, volume, signal, event, removeFiles }, phaseOf(volume, claim));
    },
  );
}

/** A failed volume counts as released. */
async function syncVolume(context: SyncContext, phase: Phase): Promise<void> {
  const { status, spec } = context.volume;
  const hasFailed = phase === "Released" && status?.phase === "Failed";
  if (status?.phase !== phase && !hasFailed) await setPhase(context, { phase });
  if (phase === "Released" && spec?.persistentVolumeReclaimPolicy === "Delete") await reclaim(context);
}

function setPhase(
  { client, clock, volume, signal }: SyncContext,
  change: { readonly phase: Phase; readonly message?: string },
): Promise<unknown> {
  const status = { ...change, lastPhaseTransitionTime: formatTime(clock.wall()) };
  return writeStatus(client, PersistentVolume, { object: volume, status, signal });
}

/** A volume that cannot be removed fails once and stays. */
async function reclaim(context: SyncContext): Promise<void> {
  const { client, volume, signal, event, removeFiles } = context;
  const wanted = reclaimOf(volume, PROVISIONER);
  if (wanted.do === "leave") return;
  if (wanted.do === "fail") {
    if (volume.status?.phase === "Failed") return;
    await setPhase(context, { phase: "Failed", message: wanted.why });
    event("Warning", "VolumeFailedDelete", wanted.why);
    return;
  }
  await removeFiles(wanted.path);
  const target = { name: volume.metadata.name, preconditions: { uid: volume.metadata.uid }, signal };
  await client.delete(PersistentVolume, target).catch(ignoreNotFound);
}

function ignoreNotFound(error: unknown): undefined {
  if (!isApiError(error, "NotFound")) throw error;
}
