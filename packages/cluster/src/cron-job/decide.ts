/** When a CronJob creates a Job, and which Jobs it removes. Pure. */
import type { CronJob, Job } from "@capstan/kinds/batch/v1";
import { findCondition } from "@capstan/model";
import { isFinished } from "../job/conditions.ts";
import { millisecondsOf } from "../pod/state.ts";
import { missedIn, nextAfter } from "./missed.ts";
import { parseSchedule } from "./schedule.ts";
import type { Schedule } from "./schedule.ts";

/** What to do about the schedule. */
export type Action =
  | { readonly do: "wait"; readonly until: number | undefined; readonly warning?: Warning }
  | {
      readonly do: "start";
      readonly at: number;
      readonly replace: readonly Job[];
      readonly next: number | undefined;
      readonly warning?: Warning;
    };

/** A warning event. */
export interface Warning {
  readonly reason: "UnparseableSchedule" | "MissSchedule" | "JobAlreadyActive" | "TooManyMissedTimes";
  readonly note: string;
}

/** The cron job, its jobs, and the time. */
export interface Observed {
  readonly cronJob: CronJob;
  /** Jobs of the cron job that have not finished. */
  readonly active: readonly Job[];
  readonly now: number;
}

/** More missed times than this indicate a wrong clock. */
const MANY_MISSED = 100;

const tooMany: Warning = {
  reason: "TooManyMissedTimes",
  note: "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew",
};

/** Decides the next action. */
export function decide(observed: Observed): Action {
  const { spec } = observed.cronJob;
  if (spec?.suspend === true) return { do: "wait", until: undefined };
  const schedule = parseSchedule(spec?.schedule ?? "", spec?.timeZone);
  if (schedule === undefined) {
    const warning = { reason: "UnparseableSchedule", note: `unparseable schedule: "${spec?.schedule}"` } as const;
    return { do: "wait", until: undefined, warning };
  }
  return decideBySchedule(schedule, observed);
}

function decideBySchedule(schedule: Schedule, { cronJob, active, now }: Observed): Action {
  const { metadata, spec, status } = cronJob;
  const since = millisecondsOf(status?.lastScheduleTime ?? metadata.creationTimestamp);
  const next = nextAfter(schedule, { from: since, now });
  const { startingDeadlineSeconds: deadline = Infinity } = spec ?? {};
  const { last, count } = missedIn(schedule, { from: Math.max(since, now - deadline * 1000), now });
  if (last === undefined || wasJobStarted(cronJob, last)) return { do: "wait", until: next };
  const skipped = last + deadline * 1000 < now ? tooLate(last) : skipReason(cronJob, active);
  if (skipped !== undefined) return { do: "wait", until: next, warning: skipped };
  const replace = spec?.concurrencyPolicy === "Replace" ? active : [];
  return { do: "start", at: last, replace, next, ...(count > MANY_MISSED && { warning: tooMany }) };
}

function tooLate(time: number): Warning {
  return { reason: "MissSchedule", note: `Missed scheduled time to start a job: ${new Date(time).toUTCString()}` };
}

function skipReason({ spec }: CronJob, active: readonly Job[]): Warning | undefined {
  if (spec?.concurrencyPolicy !== "Forbid" || active.length === 0) return undefined;
  const note = "Not starting job because prior execution is running and concurrency policy is Forbid";
  return { reason: "JobAlreadyActive", note };
}

function wasJobStarted({ status }: CronJob, time: number): boolean {
  return status?.lastScheduleTime !== undefined && millisecondsOf(status.lastScheduleTime) >= time;
}

/** Finished jobs beyond the history limits, oldest first. */
export function jobsToRemove({ spec }: CronJob, jobs: readonly Job[]): readonly Job[] {
  const oldest = (type: "Complete" | "Failed", limit: number): readonly Job[] => {
    const ended = jobs.filter((job) => findCondition(job.status?.conditions, type)?.status === "True").sort(byStart);
    return ended.slice(0, Math.max(0, ended.length - limit));
  };
  return [
    ...oldest("Complete", spec?.successfulJobsHistoryLimit ?? 3),
    ...oldest("Failed", spec?.failedJobsHistoryLimit ?? 1),
  ];
}

function byStart(a: Job, b: Job): number {
  const [first, second] = [a.status?.startTime ?? "", b.status?.startTime ?? ""];
  return first === second ? (a.metadata.name < b.metadata.name ? -1 : 1) : first < second ? -1 : 1;
}

/** When a job last succeeded. */
export function lastSuccess({ status }: CronJob, jobs: readonly Job[]): string | undefined {
  const times = jobs.flatMap((job) => (isFinished(job) ? (job.status?.completionTime ?? []) : []));
  return [...times, ...(status?.lastSuccessfulTime === undefined ? [] : [status.lastSuccessfulTime])]
    .sort((a, b) => (a < b ? -1 : 1))
    .at(-1);
}
