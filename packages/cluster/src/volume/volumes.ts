/** Says what a volume is: free, bound, or released by a claim that is gone; and removes it then if it shall not be kept. */
import { isApiError } from "@capstan/client";
import { PersistentVolume, PersistentVolumeClaim } from "@capstan/kinds/v1";
import { formatTime } from "@capstan/model";
import { anyChange, controller } from "@capstan/runtime";
import type { Controller } from "@capstan/runtime";
import type { Setting } from "../setting.ts";
import { writeStatus } from "../status/status.ts";
import { isOurs } from "./claims.ts";

type Phase = "Available" | "Bound" | "Released";

/** The phase of a volume, given the claim that it names. */
export function phaseOf({ spec }: PersistentVolume, claim: PersistentVolumeClaim | undefined): Phase {
  const reference = spec?.claimRef;
  if (reference?.uid === undefined) return "Available";
  return claim?.metadata.uid === reference.uid ? "Bound" : "Released";
}

/** The controller of volumes; what is left of one that nobody claims is removed if it is ours to remove. */
export function volumeController(
  { client, clock }: Setting,
  removeFiles: (path: string | undefined) => Promise<void>,
): Controller {
  return controller(
    PersistentVolume,
    { name: "persistentvolume", reads: [PersistentVolumeClaim], on: anyChange },
    async ({ object: volume, get, signal }) => {
      const { name = "", namespace = "", uid } = volume.spec?.claimRef ?? {};
      const cached = uid === undefined ? undefined : get(PersistentVolumeClaim, name, { namespace });
      // That a claim is gone has to be certain: what follows may be the end of its data.
      const isCertain = cached?.metadata.uid === uid;
      const claim =
        uid === undefined || isCertain
          ? cached
          : await client.get(PersistentVolumeClaim, { namespace, name, signal }).catch(unlessGone);
      const phase = phaseOf(volume, claim);
      if (volume.status?.phase !== phase) {
        const status = { phase, lastPhaseTransitionTime: formatTime(clock.wall()) };
        await writeStatus(client, PersistentVolume, { object: volume, status, signal });
      }
      if (phase !== "Released" || volume.spec?.persistentVolumeReclaimPolicy !== "Delete") return;
      await removeFiles(ownPath(volume));
      const target = { name: volume.metadata.name, preconditions: { uid: volume.metadata.uid }, signal };
      await client.delete(PersistentVolume, target).catch(unlessGone);
    },
  );
}

/** Where the files of a volume are that our provisioner made for a claim. */
function ownPath(volume: PersistentVolume): string | undefined {
  return isOurs(volume) ? volume.spec?.hostPath?.path : undefined;
}

function unlessGone(error: unknown): undefined {
  if (!isApiError(error, "NotFound")) throw error;
}
