/** The next step for an EtcdBackup: a pure function of the observation. */
import { parseCron } from "capstan";
import type { ObjectOf } from "capstan";
import { parseDuration } from "../duration.ts";
import type { EtcdBackup } from "../kinds/index.ts";
import type { JobResult } from "./agent/job.ts";
import type { BackupJob } from "./pods.ts";

type BackupObject = ObjectOf<typeof EtcdBackup>;
/** A backup as recorded in the status. */
export type BackupRecord = NonNullable<NonNullable<BackupObject["status"]>["last"]>;

export interface BackupSeen {
  readonly now: number;
  readonly spec: BackupObject["spec"];
  readonly status: Partial<NonNullable<BackupObject["status"]>>;
  readonly created: number;
  readonly jobs: readonly BackupJob[];
  /** `none`: the cluster does not exist. `asleep`: it has no running members. */
  readonly cluster: "none" | "asleep" | "there";
}

export type BackupStep =
  | { readonly do: "make" }
  | { readonly do: "verify"; readonly record: BackupRecord }
  /** Records the result of a job. */
  | { readonly do: "record"; readonly job: BackupJob; readonly result: JobResult }
  /** Removes the pod of a job after its result was recorded. */
  | { readonly do: "clear"; readonly pod: string }
  /** Nothing can be done until the user changes something. */
  | {
      readonly do: "refuse";
      readonly reason: "InvalidSchedule" | "ClusterMissing" | "ClusterHibernated";
      readonly why: string;
    }
  | { readonly do: "wait"; readonly ms: number; readonly why: string; readonly isRunning: boolean }
  /** A backup without schedule is complete. */
  | { readonly do: "rest" };

/** Extra time over the timeout of the job, for a pod that does not start. */
const PATIENCE = 5 * 60_000;
const LOOK = 10_000;
const FIRST_DELAY = 30_000;
const LONGEST_DELAY = 10 * 60_000;

export function nextStep(seen: BackupSeen): BackupStep {
  const { jobs, status } = seen;
  const ended = jobs.find(({ state, pod }) => state.is === "ended" && pod !== status.recorded);
  if (ended?.state.is === "ended") return { do: "record", job: ended, result: ended.state.result };
  const written = jobs.find(({ pod, isLeaving }) => pod === status.recorded && !isLeaving);
  if (written) return { do: "clear", pod: written.pod };
  const running = jobs.find(({ isLeaving }) => !isLeaving);
  return running ? waitFor(running, seen) : begin(seen);
}

/** When the next backup is due; undefined when none is. */
export function dueTime({ spec, status, created }: BackupSeen): number | undefined {
  const last = status.lastAttempt === undefined ? undefined : Date.parse(status.lastAttempt);
  const retry = (status.failures ?? 0) > 0 && last !== undefined ? last + delayAfter(status.failures ?? 0) : undefined;
  if (spec.schedule === undefined) return status.last === undefined ? (retry ?? created) : undefined;
  const schedule = parseCron(spec.schedule);
  const regular = schedule?.next(last ?? created);
  return Math.min(regular ?? Number.POSITIVE_INFINITY, retry ?? Number.POSITIVE_INFINITY);
}

function waitFor(job: BackupJob, { now, spec }: BackupSeen): BackupStep {
  const failure = job.state.is === "running" ? job.state.failure : undefined;
  if (now - job.created > parseDuration(spec.timeout) + PATIENCE) {
    const message = `the pod ${job.pod} did not come to an end${failure === undefined ? "" : `: ${failure}`}`;
    return { do: "record", job, result: { ok: false, code: "TimedOut", message } };
  }
  const why =
    failure ??
    (job.purpose === "verify" ? "the backup is being restored into a scratch member" : "the backup is being made");
  return { do: "wait", ms: LOOK, why, isRunning: true };
}

function begin(seen: BackupSeen): BackupStep {
  const { now, spec, status, cluster } = seen;
  if (spec.schedule !== undefined && parseCron(spec.schedule) === undefined) {
    return {
      do: "refuse",
      reason: "InvalidSchedule",
      why: `${JSON.stringify(spec.schedule)} is not a schedule: five fields as in cron`,
    };
  }
  const untried =
    status.last && spec.verify === "restore" && status.last.verified !== "restore" ? status.last : undefined;
  const due = untried ? trialTime(seen, untried) : dueTime(seen);
  if (due === undefined) return { do: "rest" };
  if (now < due) {
    const ms = Math.min(due - now, 3_600_000);
    return { do: "wait", ms, why: `next at ${new Date(due).toISOString()}`, isRunning: false };
  }
  if (untried && cluster !== "none" && !isToBeMadeAnew(seen, untried)) return { do: "verify", record: untried };
  if (cluster === "none")
    return { do: "refuse", reason: "ClusterMissing", why: `there is no EtcdCluster ${spec.cluster}` };
  if (cluster === "asleep")
    return { do: "refuse", reason: "ClusterHibernated", why: `${spec.cluster} has no members now` };
  return { do: "make" };
}

/**
 * A backup that fails its trial restore does not block others. With a schedule the next backup replaces it; without one, a spoiled backup
 * is made again.
 */
function isToBeMadeAnew({ now, spec, status }: BackupSeen, { time }: BackupRecord): boolean {
  if ((status.failures ?? 0) === 0 || isFresh(status)) return false;
  const schedule = spec.schedule === undefined ? undefined : parseCron(spec.schedule);
  if (schedule !== undefined) return (schedule.next(Date.parse(time)) ?? Number.POSITIVE_INFINITY) <= now;
  const reason = reasonOf(status);
  return SPOILED.has(reason) || (reason === "Different" && (status.failures ?? 0) < ENOUGH);
}

/** The reason of `Ready` for a backup that was made after failures and still needs its trial restore. */
export const ON_TRIAL = "OnTrial";

/** Earlier failures were about other backups. */
function isFresh(status: BackupSeen["status"]): boolean {
  return reasonOf(status) === ON_TRIAL;
}

function reasonOf({ conditions }: BackupSeen["status"]): string {
  return conditions?.find(({ type }) => type === "Ready")?.reason ?? "";
}

/** After this many complete backups that fail their trial, a human has to look. More of them would only fill the store. */
const ENOUGH = 6;

/** Reasons after which a retry of the trial cannot succeed: the stored content is spoiled. */
const SPOILED: ReadonlySet<string> = new Set([
  "Changed",
  "Corrupt",
  "Misplaced",
  "NotFound",
  "Truncated",
  "Unencrypted",
  "WrongKey",
]);

/** A failed trial restore is retried after a delay; a new backup may be due earlier. */
function trialTime(seen: BackupSeen, { time }: BackupRecord): number {
  const { status, now, spec } = seen;
  const failures = status.failures ?? 0;
  if (failures === 0 || status.lastAttempt === undefined || isFresh(status)) return now;
  const schedule = spec.schedule === undefined ? undefined : parseCron(spec.schedule);
  const next = schedule?.next(Math.max(Date.parse(time), Date.parse(status.lastAttempt))) ?? Number.POSITIVE_INFINITY;
  return Math.min(Date.parse(status.lastAttempt) + delayAfter(failures), next);
}

function delayAfter(failures: number): number {
  return Math.min(FIRST_DELAY * 2 ** (failures - 1), LONGEST_DELAY);
}
