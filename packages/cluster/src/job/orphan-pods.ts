/** Removes the tracking finalizer from pods whose Job is gone. */
import { isApiError } from "@capstan/client";
import { Job } from "@capstan/kinds/batch/v1";
import { Pod } from "@capstan/kinds/v1";
import { runInformer } from "../informer/informer.ts";
import { WorkQueue } from "../informer/work-queue.ts";
import { controllerOf } from "../ownership/owner.ts";
import { FIELD_MANAGER } from "../controller/context.ts";
import type { ControllerContext } from "../controller/context.ts";
import { isTracked, TRACKING_FINALIZER } from "./pod.ts";

/** Starts the controller; it stops with the signal. */
export function startOrphanPodController(context: ControllerContext, signal: AbortSignal): void {
  const { api, clock, log } = context;
  const pods = new Map<string, Pod>();
  const reconcile = async (uid: string): Promise<undefined> => {
    const pod = pods.get(uid);
    if (pod !== undefined && !(await hasJob(context, pod))) await removeTrackingFinalizer(context, pod);
  };
  const queue = new WorkQueue({ name: "job pods", clock, log, reconcile, concurrency: 8 });
  const listener = {
    put(pod: Pod): void {
      const { uid, deletionTimestamp } = pod.metadata;
      const isOrphan = isTracked(pod) && (deletionTimestamp !== undefined || controllerOf(pod) === undefined);
      if (!isOrphan) return void pods.delete(uid);
      pods.set(uid, pod);
      queue.add(uid);
    },
    removed: ({ metadata }: Pod) => void pods.delete(metadata.uid),
  };
  void runInformer<Pod>({ api, kind: Pod, clock, signal, listener, metadataOnly: true });
  signal.addEventListener("abort", () => queue.stop(), { once: true });
}

/** Whether the pod has a live job that will count it. */
async function hasJob({ client }: ControllerContext, pod: Pod): Promise<boolean> {
  const owner = controllerOf(pod);
  if (owner?.kind !== Job.kind) return false;
  try {
    const job = await client.get(Job, { namespace: pod.metadata.namespace ?? "", name: owner.name });
    return job.metadata.uid === owner.uid && job.metadata.deletionTimestamp === undefined;
  } catch (error) {
    if (isApiError(error, "NotFound")) return false;
    throw error;
  }
}

async function removeTrackingFinalizer(
  { client }: ControllerContext,
  { metadata: { namespace = "", name, uid } }: Pod,
): Promise<void> {
  const strategic = { metadata: { uid, "$deleteFromPrimitiveList/finalizers": [TRACKING_FINALIZER] } };
  try {
    await client.patch(Pod, { namespace, name }, { strategic }, { fieldManager: FIELD_MANAGER });
  } catch (error) {
    if (!isApiError(error, "NotFound", "Conflict")) throw error;
  }
}
