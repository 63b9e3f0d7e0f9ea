/** When a CronJob starts a Job, and which Jobs it forgets. Pure. */
import { Cron } from "croner";
import type { CronJob, Job } from "@capstan/kinds/batch/v1";
import { findCondition } from "@capstan/model";
import { isEnded } from "../job/conditions.ts";
import { millisecondsOf } from "../pod/state.ts";

/** What is to be done about the schedule. */
export type Action =
  | { readonly do: "wait"; readonly until: number | undefined; readonly warning?: Warning }
  | { readonly do: "start"; readonly at: number; readonly replace: readonly Job[]; readonly next: number | undefined };

/** Something that users should hear of. */
export interface Warning {
  readonly reason: "UnparseableSchedule" | "MissSchedule" | "JobAlreadyActive" | "TooManyMissedTimes";
  readonly note: string;
}

/** The cron job, its jobs, and the time. */
export interface Seen {
  readonly cronJob: CronJob;
  /** Jobs of the cron job that have not ended. */
  readonly active: readonly Job[];
  readonly now: number;
}

/** More missed times than this are a sign of a wrong clock. */
const MANY_MISSED = 100;

/** Decides. */
export function decide({ cronJob, active, now }: Seen): Action {
  const { spec } = cronJob;
  if (spec?.suspend === true) return { do: "wait", until: undefined };
  const times = timesOf(cronJob);
  if (times === undefined) {
    const warning = { reason: "UnparseableSchedule", note: `unparseable schedule: "${spec?.schedule}"` } as const;
    return { do: "wait", until: undefined, warning };
  }
  const next = times.after(now);
  const missed = missedTimes(cronJob, times, now);
  if (missed.last === undefined || wasStarted(cronJob, missed.last)) return { do: "wait", until: next };
  const deadline = spec?.startingDeadlineSeconds;
  if (deadline !== undefined && missed.last + deadline * 1000 < now) {
    const note = `Missed scheduled time to start a job: ${new Date(missed.last).toUTCString()}`;
    return { do: "wait", until: next, warning: { reason: "MissSchedule", note } };
  }
  if (spec?.concurrencyPolicy === "Forbid" && active.length > 0) {
    const note = "Not starting job because prior execution is running and concurrency policy is Forbid";
    return { do: "wait", until: next, warning: { reason: "JobAlreadyActive", note } };
  }
  const replace = spec?.concurrencyPolicy === "Replace" ? active : [];
  return { do: "start", at: missed.last, replace, next };
}

interface Times {
  /** The first time after another. */
  after(time: number): number | undefined;
}

function timesOf({ spec }: CronJob): Times | undefined {
  const { zone, text } = splitZone(spec?.schedule ?? "");
  try {
    const cron = new Cron(text, { timezone: spec?.timeZone ?? zone ?? "UTC" });
    return { after: (time) => cron.nextRun(new Date(time))?.getTime() };
  } catch {
    return undefined;
  }
}

/** A schedule of old could carry its zone: `TZ=Europe/Rome 0 3 * * *`. */
function splitZone(schedule: string): { readonly zone: string | undefined; readonly text: string } {
  const [, zone, text] = /^(?:CRON_)?TZ=(\S+)\s+(.*)$/u.exec(schedule) ?? [];
  return text === undefined ? { zone: undefined, text: anyDay(schedule) } : { zone, text: anyDay(text) };
}

/** In Kubernetes a question mark is a star; to the parser it is the time of now. */
function anyDay(schedule: string): string {
  return schedule.replaceAll("?", "*");
}

function wasStarted({ status }: CronJob, time: number): boolean {
  return status?.lastScheduleTime !== undefined && millisecondsOf(status.lastScheduleTime) >= time;
}

/** The last time before now that has not been used. */
function missedTimes(
  { metadata, spec, status }: CronJob,
  times: Times,
  now: number,
): { readonly last: number | undefined } {
  const last = status?.lastScheduleTime ?? metadata.creationTimestamp;
  const deadline = spec?.startingDeadlineSeconds;
  let from = millisecondsOf(last);
  if (deadline !== undefined) from = Math.max(from, now - deadline * 1000);
  let found: number | undefined;
  for (let count = 0, time = times.after(from); time !== undefined && time <= now; time = times.after(time)) {
    found = time;
    // So long ago that stepping through would take for ever: go back from now instead.
    if (++count > MANY_MISSED) return { last: lastBefore(times, time, now) };
  }
  return { last: found };
}

/** Halves the span until the last time before now is found. */
function lastBefore(times: Times, known: number, now: number): number {
  let found = known;
  let span = now - known;
  while (span >= 1000) {
    const time = times.after(now - span);
    if (time !== undefined && time <= now) found = Math.max(found, time);
    span /= 2;
  }
  for (let time = times.after(found); time !== undefined && time <= now; time = times.after(time)) found = time;
  return found;
}

/** Jobs that ended and are too many to be kept, the oldest first. */
export function superfluous({ spec }: CronJob, jobs: readonly Job[]): readonly Job[] {
  const beyond = (type: "Complete" | "Failed", limit: number): readonly Job[] => {
    const ended = jobs.filter((job) => findCondition(job.status?.conditions, type)?.status === "True").sort(byStart);
    return ended.slice(0, Math.max(0, ended.length - limit));
  };
  return [
    ...beyond("Complete", spec?.successfulJobsHistoryLimit ?? 3),
    ...beyond("Failed", spec?.failedJobsHistoryLimit ?? 1),
  ];
}

function byStart(a: Job, b: Job): number {
  const [first, second] = [a.status?.startTime ?? "", b.status?.startTime ?? ""];
  return first === second ? (a.metadata.name < b.metadata.name ? -1 : 1) : first < second ? -1 : 1;
}

/** When the last job succeeded. */
export function lastSuccess({ status }: CronJob, jobs: readonly Job[]): string | undefined {
  const times = jobs.flatMap((job) => (isEnded(job) ? (job.status?.completionTime ?? []) : []));
  return [...times, ...(status?.lastSuccessfulTime === undefined ? [] : [status.lastSuccessfulTime])]
    .sort((a, b) => (a < b ? -1 : 1))
    .at(-1);
}
