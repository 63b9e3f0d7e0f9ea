/** Creates Jobs on a schedule. */
import { isApiError } from "@capstan/client";
import { CronJob, Job } from "@capstan/kinds/batch/v1";
import { formatTime } from "@capstan/model";
import { requeue, anyChange, controller } from "@capstan/runtime";
import type { ReconcileResult, Controller } from "@capstan/runtime";
import { isNamespaceTerminating, serverMessage } from "../controller/errors.ts";
import { isFinished } from "../job/conditions.ts";
import { MutationCache } from "../controller/mutation-cache.ts";
import { controllerOf, controllerReference } from "../ownership/owner.ts";
import { podIndexes } from "../pod/indexes.ts";
import { FIELD_MANAGER } from "../controller/context.ts";
import type { ControllerContext } from "../controller/context.ts";
import { writeStatus } from "../controller/write-status.ts";
import { decide, lastSuccess, jobsToRemove } from "./decide.ts";

interface SyncContext extends ControllerContext {
  readonly jobCache: MutationCache<typeof Job>;
  readonly cronJob: CronJob;
  readonly signal: AbortSignal;
  readonly event: (type: "Normal" | "Warning", reason: string, note: string) => void;
}

/** The controller of CronJobs. */
export function cronJobController(controllerContext: ControllerContext): Controller {
  const jobCache = new MutationCache(Job, controllerContext.clock);
  return controller(
    CronJob,
    {
      name: "cronjob",
      reporter: "cronjob-controller",
      reads: [Job],
      predicate: anyChange,
      watches: [jobCache.watch],
      cache: { Job: { indexes: { controller: podIndexes.indexes.controller } } },
    },
    async ({ object: cronJob, find, signal, event }): Promise<ReconcileResult> => {
      const isOwned = (job: Job): boolean => controllerOf(job)?.uid === cronJob.metadata.uid;
      const cached = find(Job, { index: { name: "controller", value: cronJob.metadata.uid } });
      return sync({ ...controllerContext, jobCache, cronJob, signal, event }, jobCache.current(cached, isOwned));
    },
  );
}

async function sync(context: SyncContext, jobs: readonly Job[]): Promise<ReconcileResult> {
  const { client, clock, cronJob, signal, event } = context;
  for (const job of jobsToRemove(cronJob, jobs)) {
    await remove(context, job);
    event("Normal", "SuccessfulDelete", `Deleted job ${job.metadata.name}`);
  }
  const active = jobs.filter((job) => !isFinished(job) && job.metadata.deletionTimestamp === undefined);
  const now = clock.wall();
  const action = decide({ cronJob, active, now });
  if (action.warning !== undefined) event("Warning", action.warning.reason, action.warning.note);
  const started = action.do === "start" ? await start(context, action) : undefined;
  const replaced = action.do === "start" ? new Set(action.replace) : new Set<Job>();
  const running = [...active.filter((job) => !replaced.has(job)), ...(started === undefined ? [] : [started])];
  const { lastScheduleTime: before } = cronJob.status ?? {};
  const lastScheduleTime = action.do === "start" ? formatTime(action.at) : before;
  const lastSuccessfulTime = lastSuccess(cronJob, jobs);
  const status = {
    ...(running.length > 0 && { active: running.map(toReference) }),
    ...(lastScheduleTime !== undefined && { lastScheduleTime }),
    ...(lastSuccessfulTime !== undefined && { lastSuccessfulTime }),
  };
  await writeStatus(client, CronJob, { object: cronJob, status, signal });
  const next = action.do === "start" ? action.next : action.until;
  // 100 ms late, as in kube-controller-manager, to tolerate clock skew.
  return next === undefined
    ? undefined
    : requeue(Math.max(0, next - now) + 100, { reason: "waiting for the next time" });
}

function toReference({ metadata }: Job): NonNullable<NonNullable<CronJob["status"]>["active"]>[number] {
  const { namespace = "", name, uid, resourceVersion } = metadata;
  return { apiVersion: "batch/v1", kind: "Job", namespace, name, uid, resourceVersion };
}

interface Start {
  readonly at: number;
  readonly replace: readonly Job[];
}

async function start(context: SyncContext, { at, replace }: Start): Promise<Job | undefined> {
  const { client, jobCache, cronJob, signal, event } = context;
  for (const job of replace) await remove(context, job);
  const { name, namespace = "" } = cronJob.metadata;
  const { metadata, spec } = cronJob.spec?.jobTemplate ?? {};
  const job = {
    metadata: {
      // The name contains the scheduled time, so that no time gets two Jobs.
      name: `${name}-${Math.floor(at / 60_000)}`,
      namespace,
      ...(metadata?.labels && { labels: metadata.labels }),
      annotations: {
        ...metadata?.annotations,
        "batch.kubernetes.io/cronjob-scheduled-timestamp": formatTime(at),
      },
      ownerReferences: [controllerReference(CronJob, cronJob)],
    },
    ...(spec && { spec }),
  };
  try {
    const created = jobCache.wrote(await client.create(Job, job, { fieldManager: FIELD_MANAGER, signal }));
    event("Normal", "SuccessfulCreate", `Created job ${created.metadata.name}`);
    return created;
  } catch (error) {
    if (isApiError(error, "AlreadyExists")) return undefined;
    if (!isNamespaceTerminating(error)) event("Warning", "FailedCreate", `Error creating job: ${serverMessage(error)}`);
    throw error;
  }
}

async function remove({ client, jobCache, signal }: SyncContext, job: Job): Promise<void> {
  const { namespace = "", name, uid } = job.metadata;
  const target = { namespace, name, preconditions: { uid }, propagationPolicy: "Background", signal } as const;
  try {
    jobCache.deleted(job, await client.delete(Job, target));
  } catch (error) {
    if (!isApiError(error, "NotFound", "Conflict")) throw error;
  }
}
