/** Creates the claims of ephemeral volumes, from the template in the pod and owned by it. */
import { isApiError } from "@capstan/client";
import { PersistentVolumeClaim, Pod } from "@capstan/kinds/v1";
import { controller } from "@capstan/runtime";
import type { Controller, Predicate } from "@capstan/runtime";
import { ClusterError } from "../errors.ts";
import { isNamespaceTerminating, serverMessage } from "../controller/errors.ts";
import { controllerOf, controllerReference } from "../ownership/owner.ts";
import { isFinished } from "../pod/state.ts";
import { FIELD_MANAGER } from "../controller/context.ts";
import type { ControllerContext } from "../controller/context.ts";

type Volume = NonNullable<NonNullable<Pod["spec"]>["volumes"]>[number];

/** The claim name of an ephemeral volume. */
export function ephemeralClaimName({ metadata }: Pod, volume: string): string {
  return `${metadata.name}-${volume}`;
}

/** Whether a claim was created for a pod. */
export function isClaimOf(pod: Pod, claim: PersistentVolumeClaim): boolean {
  return controllerOf(claim)?.uid === pod.metadata.uid;
}

/** The message for an existing claim of the same name. */
export function notOwnedMessage({ metadata }: Pod, claim: string): string {
  const { namespace = "", name } = metadata;
  return `PVC ${namespace}/${claim} was not created for pod ${namespace}/${name} (pod is not owner)`;
}

/** The controller of ephemeral claims. */
export function ephemeralController({ client }: ControllerContext): Controller {
  return controller(
    Pod,
    { name: "ephemeral-volume", reporter: "ephemeral_volume", predicate: hasEphemeralVolumes },
    async ({ object: pod, signal, event }) => {
      if (pod.metadata.deletionTimestamp !== undefined || isFinished(pod)) return;
      for (const volume of ephemeralVolumes(pod)) {
        try {
          await ensureClaim({ client, pod, signal }, volume);
        } catch (error) {
          if (!isNamespaceTerminating(error)) event("Warning", "FailedBinding", failure(pod, volume.name, error));
          throw error;
        }
      }
    },
  );
}

/** Pods without ephemeral volumes are not enqueued. */
const hasEphemeralVolumes: Predicate = ({ object }) => ephemeralVolumes(object as Pod).length > 0;

function ephemeralVolumes({ spec }: Pod): readonly Volume[] {
  return (spec?.volumes ?? []).filter(({ ephemeral }) => ephemeral !== undefined);
}

interface SyncContext extends Pick<ControllerContext, "client"> {
  readonly pod: Pod;
  readonly signal: AbortSignal;
}

async function ensureClaim({ client, pod, signal }: SyncContext, { name: volume, ephemeral }: Volume): Promise<void> {
  const { namespace = "" } = pod.metadata;
  const name = ephemeralClaimName(pod, volume);
  const found = await client.get(PersistentVolumeClaim, { namespace, name, signal }).catch(ignoreNotFound);
  if (found !== undefined && !isClaimOf(pod, found)) throw new ClusterError("InUse", notOwnedMessage(pod, name));
  if (found !== undefined) return;
  const { metadata = {}, spec } = ephemeral?.volumeClaimTemplate ?? {};
  const { labels, annotations } = metadata;
  const claim = {
    metadata: {
      name,
      namespace,
      ownerReferences: [controllerReference(Pod, pod)],
      ...(labels && { labels }),
      ...(annotations && { annotations }),
    },
    ...(spec && { spec }),
  };
  await client.create(PersistentVolumeClaim, claim, { fieldManager: FIELD_MANAGER, signal });
}

function failure(pod: Pod, volume: string, error: unknown): string {
  const what = error instanceof ClusterError ? "" : `create PVC ${ephemeralClaimName(pod, volume)}: `;
  return `ephemeral volume ${volume}: ${what}${serverMessage(error)}`;
}

function ignoreNotFound(error: unknown): undefined {
  if (!isApiError(error, "NotFound")) throw error;
}
