/** Starts Jobs at the times of a schedule. */
import { isApiError } from "@capstan/client";
import { CronJob, Job } from "@capstan/kinds/batch/v1";
import { formatTime } from "@capstan/model";
import { requeue, anyChange, controller } from "@capstan/runtime";
import type { ReconcileResult, Controller } from "@capstan/runtime";
import { isNamespaceGoing, wordsOf } from "../failure/failure.ts";
import { isEnded } from "../job/conditions.ts";
import { Ledger } from "../ledger/ledger.ts";
import { controllerOf, controllerReference } from "../ownership/owner.ts";
import { podIndexes } from "../pod/cache.ts";
import { MANAGER } from "../setting.ts";
import type { Setting } from "../setting.ts";
import { writeStatus } from "../status/status.ts";
import { decide, lastSuccess, superfluous } from "./decide.ts";

interface Turn extends Setting {
  readonly ledger: Ledger<typeof Job>;
  readonly cronJob: CronJob;
  readonly signal: AbortSignal;
  readonly event: (type: "Normal" | "Warning", reason: string, note: string) => void;
}

/** The controller of CronJobs. */
export function cronJobController(setting: Setting): Controller {
  const ledger = new Ledger(Job, setting.clock);
  return controller(
    CronJob,
    {
      name: "cronjob",
      reporter: "cronjob-controller",
      reads: [Job],
      predicate: anyChange,
      watches: [ledger.watch],
      cache: { Job: { indexes: { controller: podIndexes.indexes.controller } } },
    },
    async ({ object: cronJob, find, signal, event }): Promise<ReconcileResult> => {
      const isOurs = (job: Job): boolean => controllerOf(job)?.uid === cronJob.metadata.uid;
      const cached = find(Job, { index: { name: "controller", value: cronJob.metadata.uid } });
      return sync({ ...setting, ledger, cronJob, signal, event }, ledger.current(cached, isOurs));
    },
  );
}

async function sync(turn: Turn, jobs: readonly Job[]): Promise<ReconcileResult> {
  const { client, clock, cronJob, signal, event } = turn;
  for (const job of superfluous(cronJob, jobs)) {
    await remove(turn, job);
    event("Normal", "SuccessfulDelete", `Deleted job ${job.metadata.name}`);
  }
  const active = jobs.filter((job) => !isEnded(job) && job.metadata.deletionTimestamp === undefined);
  const now = clock.wall();
  const action = decide({ cronJob, active, now });
  if (action.warning !== undefined) event("Warning", action.warning.reason, action.warning.note);
  const started = action.do === "start" ? await start(turn, action) : undefined;
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

async function start(turn: Turn, { at, replace }: Start): Promise<Job | undefined> {
  const { client, ledger, cronJob, signal, event } = turn;
  for (const job of replace) await remove(turn, job);
  const { name, namespace = "" } = cronJob.metadata;
  const { metadata, spec } = cronJob.spec?.jobTemplate ?? {};
  const job = {
    metadata: {
      // The time is part of the name, so that no time is used twice.
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
    const created = ledger.wrote(await client.create(Job, job, { fieldManager: MANAGER, signal }));
    event("Normal", "SuccessfulCreate", `Created job ${created.metadata.name}`);
    return created;
  } catch (error) {
    if (isApiError(error, "AlreadyExists")) return undefined;
    if (!isNamespaceGoing(error)) event("Warning", "FailedCreate", `Error creating job: ${wordsOf(error)}`);
    throw error;
  }
}

async function remove({ client, ledger, signal }: Turn, job: Job): Promise<void> {
  const { namespace = "", name, uid } = job.metadata;
  const target = { namespace, name, preconditions: { uid }, propagationPolicy: "Background", signal } as const;
  try {
    ledger.deleted(job, await client.delete(Job, target));
  } catch (error) {
    if (!isApiError(error, "NotFound", "Conflict")) throw error;
  }
}
