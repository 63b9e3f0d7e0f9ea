/** The next step for a backup: a pure function of the observation. */
import { parseCron, toMilliseconds } from "@capstan/runtime";
import type { JobResult } from "./agent/job.ts";
import type { BackupJob } from "./pods.ts";
import type { BackupObject, BackupRecord, BackupSpec } from "./resource.ts";

/** What a decision depends on. */
export interface BackupSeen {
  readonly now: number;
  readonly spec: BackupSpec;
  readonly status: NonNullable<BackupObject["status"]>;
  readonly created: number;
  readonly jobs: readonly BackupJob[];
  /** `none`: the cluster does not exist. `hibernated`: it has no running members. */
  readonly cluster: "none" | "hibernated" | "available";
  readonly lineage?: string | undefined;
}

/** One step. */
export type BackupStep =
  | { readonly do: "make" }
  | { readonly do: "store-log" }
  | { readonly do: "verify"; readonly record: BackupRecord }
  /** Records the result of a job. */
  | { readonly do: "record"; readonly job: BackupJob; readonly result: JobResult }
  /** Removes the pod of a job after its result was recorded. */
  | { readonly do: "clear"; readonly pod: string }
  | {
      readonly do: "refuse";
      readonly reason: "InvalidSchedule" | "ClusterMissing" | "ClusterHibernated";
      readonly why: string;
    }
  | { readonly do: "wait"; readonly ms: number; readonly why: string; readonly isRunning: boolean }
  | { readonly do: "rest" };

/** Extra time over the timeout of the job, for a pod that does not start. */
const PATIENCE_MS = 5 * 60_000;
const POLL_MS = 5_000;
const FIRST_DELAY_MS = 30_000;
const LONGEST_DELAY_MS = 10 * 60_000;
const LONGEST_WAIT_MS = 3_600_000;

export function nextStep(seen: BackupSeen): BackupStep {
  const { jobs, status } = seen;
  const ended = jobs.find(({ state, pod }) => state.is === "ended" && pod !== status.recorded);
  if (ended?.state.is === "ended") return { do: "record", job: ended, result: ended.state.result };
  const written = jobs.find(({ pod, isLeaving }) => pod === status.recorded && !isLeaving);
  if (written) return { do: "clear", pod: written.pod };
  const running = jobs.find(({ isLeaving }) => !isLeaving);
  return running ? waitFor(running, seen) : begin(seen);
}

function waitFor(job: BackupJob, { now, spec }: BackupSeen): BackupStep {
  const failure = job.state.is === "running" ? job.state.failure : undefined;
  if (now - job.created > toMilliseconds(spec.timeout) + PATIENCE_MS) {
    const message = `the pod ${job.pod} did not come to an end${failure === undefined ? "" : `: ${failure}`}`;
    return { do: "record", job, result: { ok: false, code: "TimedOut", message } };
  }
  const words = {
    backup: "made",
    log: "extended with the log",
    verify: "restored into a scratch server",
    describe: "read",
  };
  return { do: "wait", ms: POLL_MS, why: failure ?? `the backup is being ${words[job.purpose]}`, isRunning: true };
}

function begin(seen: BackupSeen): BackupStep {
  const { now, spec, cluster } = seen;
  if (spec.schedule !== undefined && parseCron(spec.schedule) === undefined) {
    const why = `${JSON.stringify(spec.schedule)} is not a schedule: write five fields as in cron`;
    return { do: "refuse", reason: "InvalidSchedule", why };
  }
  const work = dueWork(seen);
  const [next] = work.toSorted((one, other) => one.due - other.due);
  if (next === undefined) return { do: "rest" };
  if (now < next.due) {
    const ms = Math.min(next.due - now, LONGEST_WAIT_MS);
    return { do: "wait", ms, why: `next at ${new Date(next.due).toISOString()}`, isRunning: false };
  }
  if (next.step.do !== "verify" && cluster === "none") {
    return { do: "refuse", reason: "ClusterMissing", why: `there is no cluster ${spec.cluster}: create it` };
  }
  if (next.step.do !== "verify" && cluster === "hibernated") {
    const why = `${spec.cluster} has no members that serve: the backup is made when it has`;
    return { do: "refuse", reason: "ClusterHibernated", why };
  }
  return next.step;
}

interface Work {
  readonly due: number;
  readonly step: BackupStep;
}

/** All that is to be done, with the time at which it is due. */
function dueWork(seen: BackupSeen): readonly Work[] {
  const { spec, status, now } = seen;
  const { last } = status;
  const isUntried = spec.verify === "restore" && last !== undefined && last.verified !== "restore";
  const backup = backupTime(seen);
  const verify: Work[] = isUntried ? [{ due: trialTime(seen), step: { do: "verify", record: last } }] : [];
  const make: Work[] =
    backup === undefined || (isUntried && !isScheduled(seen)) ? [] : [{ due: backup, step: { do: "make" } }];
  const hasBase = last !== undefined && last.lineage === seen.lineage;
  if (spec.log === undefined || !hasBase || seen.cluster !== "available") return [...verify, ...make];
  const { log } = status;
  const wait = log === undefined ? 0 : Math.max(toMilliseconds(spec.log.every), delayAfter(log.failures));
  const due = log === undefined ? now : Date.parse(log.lastAttempt) + wait;
  return [...verify, ...make, { due, step: { do: "store-log" } }];
}

function isScheduled({ spec }: BackupSeen): boolean {
  return spec.schedule !== undefined;
}

/** When the next backup is due; undefined when none is. */
export function backupTime(seen: BackupSeen): number | undefined {
  const { spec, status, created } = seen;
  const last = status.lastAttempt === undefined ? undefined : Date.parse(status.lastAttempt);
  const retry = retryTime(seen, last);
  if (spec.schedule === undefined) return status.last === undefined ? (retry ?? created) : undefined;
  // The first backup of the data is made at once: until then there is nothing to restore.
  if (last === undefined || (isReplaced(seen) && retry === undefined)) return created;
  const regular = parseCron(spec.schedule)?.next(last);
  return Math.min(regular ?? Number.POSITIVE_INFINITY, retry ?? Number.POSITIVE_INFINITY);
}

function retryTime({ status }: BackupSeen, last: number | undefined): number | undefined {
  const { failures = 0 } = status;
  const isRetry = failures > 0 && last !== undefined && status.last?.verified !== "checksum";
  return isRetry ? last + delayAfter(failures) : undefined;
}

/** The cluster was restored in place since its newest backup. */
function isReplaced({ status, lineage }: BackupSeen): boolean {
  return status.last !== undefined && lineage !== undefined && status.last.lineage !== lineage;
}

/** After this many failed trials of one backup a human has to look. */
const ENOUGH = 6;

/** A failed trial restore is repeated after a delay. */
function trialTime({ status, now }: BackupSeen): number {
  const { failures = 0, lastAttempt } = status;
  if (failures === 0 || lastAttempt === undefined) return now;
  return failures >= ENOUGH ? Number.POSITIVE_INFINITY : Date.parse(lastAttempt) + delayAfter(failures);
}

function delayAfter(failures: number): number {
  return failures === 0 ? 0 : Math.min(FIRST_DELAY_MS * 2 ** (failures - 1), LONGEST_DELAY_MS);
}
