/** Lets go of the pods of Jobs that are gone: nobody will count their end any more. */
import { isApiError } from "@capstan/client";
import { Job } from "@capstan/kinds/batch/v1";
import { Pod } from "@capstan/kinds/v1";
import { follow } from "../follow/follow.ts";
import { Worker } from "../follow/worker.ts";
import { controllerOf } from "../ownership/owner.ts";
import { MANAGER } from "../setting.ts";
import type { Setting } from "../setting.ts";
import { isTracked, TRACKING } from "./pod.ts";

/** Starts to look for such pods; it ends with the signal. */
export function startOrphanedPods(setting: Setting, signal: AbortSignal): void {
  const { api, clock, log } = setting;
  const pods = new Map<string, Pod>();
  const work = async (uid: string): Promise<undefined> => {
    const pod = pods.get(uid);
    if (pod !== undefined && !(await isCounted(setting, pod))) await letGo(setting, pod);
  };
  const worker = new Worker({ name: "job pods", clock, log, work, concurrency: 8 });
  const listener = {
    put(pod: Pod): void {
      const { uid, deletionTimestamp } = pod.metadata;
      const isForlorn = isTracked(pod) && (deletionTimestamp !== undefined || controllerOf(pod) === undefined);
      if (!isForlorn) return void pods.delete(uid);
      pods.set(uid, pod);
      worker.add(uid);
    },
    removed: ({ metadata }: Pod) => void pods.delete(metadata.uid),
  };
  void follow<Pod>({ api, kind: Pod, clock, signal, listener, metadataOnly: true });
  signal.addEventListener("abort", () => worker.stop(), { once: true });
}

/** Whether a job is there that will count the pod. */
async function isCounted({ client }: Setting, pod: Pod): Promise<boolean> {
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

async function letGo({ client }: Setting, { metadata: { namespace = "", name, uid } }: Pod): Promise<void> {
  const strategic = { metadata: { uid, "$deleteFromPrimitiveList/finalizers": [TRACKING] } };
  try {
    await client.patch(Pod, { namespace, name }, { strategic }, { fieldManager: MANAGER });
  } catch (error) {
    if (!isApiError(error, "NotFound", "Conflict")) throw error;
  }
}
