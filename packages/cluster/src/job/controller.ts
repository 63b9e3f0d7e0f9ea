/** Runs the pods of a Job until enough have succeeded. */
import { isApiError } from "@capstan/client";
import { Job } from "@capstan/kinds/batch/v1";
import { Pod } from "@capstan/kinds/v1";
import { formatTime } from "@capstan/model";
import { requeue, anyChange, controller } from "@capstan/runtime";
import type { ReconcileResult, Controller } from "@capstan/runtime";
import { controllerOf } from "../ownership/owner.ts";
import { podIndexes } from "../pod/indexes.ts";
import { PodControl, slowStartBatch } from "../pod/pod-control.ts";
import { FIELD_MANAGER } from "../controller/context.ts";
import type { ControllerContext } from "../controller/context.ts";
import { writeStatus } from "../controller/write-status.ts";
import { finishConditions, isFinished, suspendConditions } from "./conditions.ts";
import type { Condition } from "./conditions.ts";
import { activeOf, decide, readyOf, terminatingOf } from "./decide.ts";
import type { Action } from "./decide.ts";
import { newJobPod, TRACKING_FINALIZER } from "./pod.ts";
import { tallyOf, tallyStatus } from "./tally.ts";
import type { Tally } from "./tally.ts";

/** Jobs with another `managedBy` are ignored. */
const JOB_CONTROLLER = "kubernetes.io/job-controller";

interface SyncContext extends ControllerContext {
  readonly podControl: PodControl;
  readonly job: Job;
  readonly signal: AbortSignal;
  readonly event: (type: "Normal" | "Warning", reason: string, note: string) => void;
}

/** The controller of Jobs. */
export function jobController(controllerContext: ControllerContext): Controller {
  const podControl = new PodControl(controllerContext);
  return controller(
    Job,
    {
      name: "job",
      reporter: "job-controller",
      reads: [Pod],
      predicate: anyChange,
      watches: [podControl.mutations.watch],
      cache: { Pod: podIndexes },
    },
    async ({ object: job, find, signal, event }): Promise<ReconcileResult> => {
      if (isFinished(job) || (job.spec?.managedBy ?? JOB_CONTROLLER) !== JOB_CONTROLLER) return;
      const pods = await podControl.claimPods({ kind: Job, object: job, selector: job.spec?.selector }, find);
      return sync({ ...controllerContext, podControl, job, signal, event }, pods);
    },
  );
}

/**
 * Records finished pods, acts, then removes the finalizers of recorded pods. After a crash in between, the status is enough to continue.
 */
async function sync(context: SyncContext, pods: readonly Pod[]): Promise<ReconcileResult> {
  const { client, clock, podControl, job, signal } = context;
  const now = clock.wall();
  const tally = tallyOf(job, pods);
  const action = decide({ job, pods, tally, now });
  await act(context, action);
  const after = podControl.mutations.current(pods, (pod) => controllerOf(pod)?.uid === job.metadata.uid);
  const status = statusOf({ job, pods: after, tally, action, now });
  const written = await writeStatus(client, Job, { object: job, status, signal });
  recordSuspension(context, status.conditions ?? []);
  await Promise.all(tally.release.map((pod) => removeTrackingFinalizer(context, pod)));
  if (isFinished(written) && !isFinished(job)) recordFinish(context, action);
  return action.do === "work" && action.wait !== undefined
    ? requeue(action.wait, { reason: "waiting for the backoff or deadline" })
    : undefined;
}

async function act({ podControl, job, signal, event }: SyncContext, action: Action): Promise<void> {
  for (const pod of action.delete) {
    await podControl.delete(pod, signal);
    event("Normal", "SuccessfulDelete", `Deleted pod: ${pod.metadata.name}`);
  }
  if (action.do !== "work") return;
  await slowStartBatch(action.create.length, async (index) => {
    const { metadata } = await podControl.create(newJobPod(job, action.create[index] ?? { index: undefined }), signal);
    event("Normal", "SuccessfulCreate", `Created pod: ${metadata.name}`);
  });
}

interface Observed {
  readonly job: Job;
  readonly pods: readonly Pod[];
  readonly tally: Tally;
  readonly action: Action;
  readonly now: number;
}

function statusOf(observed: Observed): NonNullable<Job["status"]> {
  const { job, tally, action, now } = observed;
  const active = activeOf(observed).length;
  const terminating = terminatingOf(observed).length;
  const hasNoPods = active === 0 && terminating === 0 && !hasUncounted(tally);
  const old = job.status?.conditions ?? [];
  const conditions =
    action.do === "finish"
      ? finishConditions(old, action.finish, { hasNoPods, now })
      : suspendConditions(old, action.do === "suspend", now);
  const { startTime: _begun, completionTime: _completed, ...kept } = job.status ?? {};
  const startTime = startOf(observed, conditions !== old);
  const isComplete = action.do === "finish" && action.finish.type === "Complete" && hasNoPods;
  return {
    ...kept,
    ...tallyStatus(job, tally),
    active,
    ready: readyOf(observed),
    terminating,
    ...(startTime !== undefined && { startTime }),
    ...(isComplete && { completionTime: formatTime(now) }),
    conditions,
  };
}

function hasUncounted({ uncounted, release: held }: Tally): boolean {
  return uncounted.succeeded.length > 0 || uncounted.failed.length > 0 || held.length > 0;
}

/** A job starts with its first pods, and again when it is resumed. */
function startOf({ job, action, now }: Observed, hasNewConditions: boolean): string | undefined {
  if (action.do === "suspend") return undefined;
  const isResumed = action.do === "work" && hasNewConditions;
  return isResumed ? formatTime(now) : (job.status?.startTime ?? formatTime(now));
}

/** Removes the finalizer of a pod whose result is recorded. */
async function removeTrackingFinalizer({ client, podControl, signal }: SyncContext, pod: Pod): Promise<void> {
  const { namespace = "", name, uid } = pod.metadata;
  const strategic = { metadata: { uid, "$deleteFromPrimitiveList/finalizers": [TRACKING_FINALIZER] } };
  try {
    const left = await client.patch(Pod, { namespace, name }, { strategic }, { fieldManager: FIELD_MANAGER, signal });
    // A terminating pod without other finalizers is now gone; the informer will not show the response.
    if (left.metadata.deletionTimestamp === undefined) podControl.mutations.wrote(left);
    else podControl.mutations.deleted(pod, left);
  } catch (error) {
    if (!isApiError(error, "NotFound", "Conflict")) throw error;
    podControl.mutations.deleted(pod, { kind: "Status" });
  }
}

function recordSuspension({ job, event }: SyncContext, conditions: readonly Condition[]): void {
  const [before, after] = [job.status?.conditions, conditions].map(
    (all) => all?.find(({ type }) => type === "Suspended")?.status ?? "False",
  );
  if (before === after) return;
  if (after === "True") event("Normal", "Suspended", "Job suspended");
  else event("Normal", "Resumed", "Job resumed");
}

function recordFinish({ event }: SyncContext, action: Action): void {
  if (action.do !== "finish") return;
  const { type, reason, message } = action.finish;
  if (type === "Complete") event("Normal", "Completed", "Job completed");
  else event("Warning", reason, message);
}
