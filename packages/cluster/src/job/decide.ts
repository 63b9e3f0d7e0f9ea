/** What a Job does next. Pure. */
import type { Job } from "@capstan/kinds/batch/v1";
import type { Pod } from "@capstan/kinds/v1";
import { findCondition } from "@capstan/model";
import { isReady, millisecondsOf } from "../pod/state.ts";
import { endOf, failuresBefore, indexOf, isIndexed, replacesFailedOnly } from "./pod.ts";
import type { Ordinal } from "./pod.ts";
import { parseIndexes } from "./indexes.ts";
import { totals } from "./tally.ts";
import type { Tally } from "./tally.ts";

/** Why a job ends. */
export interface Finish {
  readonly type: "Complete" | "Failed";
  readonly reason: string;
  readonly message: string;
}

/** What is to be done. */
export type Action =
  | { readonly do: "finish"; readonly finish: Finish; readonly end: readonly Pod[] }
  | { readonly do: "suspend"; readonly end: readonly Pod[] }
  | {
      readonly do: "work";
      readonly start: readonly Ordinal[];
      readonly end: readonly Pod[];
      readonly wait: number | undefined;
    };

/** The job, its pods, and how those that ended did. */
export interface Seen {
  readonly job: Job;
  readonly pods: readonly Pod[];
  readonly tally: Tally;
  readonly now: number;
}

/** Pods that work. */
export function activeOf({ job, pods }: Pick<Seen, "job" | "pods">): readonly Pod[] {
  return pods.filter((pod) => endOf(pod, job) === undefined && pod.metadata.deletionTimestamp === undefined);
}

/** Pods that are on their way out. */
export function terminatingOf({ pods }: Pick<Seen, "pods">): readonly Pod[] {
  return pods.filter(
    ({ metadata, status }) =>
      metadata.deletionTimestamp !== undefined && status?.phase !== "Succeeded" && status?.phase !== "Failed",
  );
}

/** Pods that can serve. */
export function readyOf(seen: Pick<Seen, "job" | "pods">): number {
  return activeOf(seen).filter(isReady).length;
}

/** Decides. */
export function decide(seen: Seen): Action {
  const { job } = seen;
  const active = activeOf(seen);
  const finish = begun(job) ?? failure(seen, active) ?? success(seen, active);
  if (finish !== undefined) return { do: "finish", finish, end: active };
  if (job.spec?.suspend === true) return { do: "suspend", end: active };
  return work(seen, active);
}

/** A job that began to end goes on to do so. */
function begun({ status }: Job): Finish | undefined {
  for (const [type, target] of [
    ["Failed", "FailureTarget"],
    ["Complete", "SuccessCriteriaMet"],
  ] as const) {
    const condition = findCondition(status?.conditions, target);
    if (condition?.status === "True") {
      return { type, reason: condition.reason ?? "", message: condition.message ?? "" };
    }
  }
  return undefined;
}

/** The first reason to give up. */
function failure(seen: Seen, active: readonly Pod[]): Finish | undefined {
  const { job, tally } = seen;
  if (tally.failJob !== undefined) return failed("PodFailurePolicy", tally.failJob);
  if (isBeyondBackoff(seen, active)) {
    return failed("BackoffLimitExceeded", "Job has reached the specified backoff limit");
  }
  if (isOverdue(seen)) return failed("DeadlineExceeded", "Job was active longer than specified deadline");
  const { maxFailedIndexes = Infinity, completions = Infinity } = job.spec ?? {};
  if (tally.failedIndexes.size > maxFailedIndexes) {
    return failed("MaxFailedIndexesExceeded", "Job has exceeded the specified maximal number of failed indexes");
  }
  const isSettled = tally.completedIndexes.size + tally.failedIndexes.size >= completions;
  const hasFailures = isIndexed(job) && tally.failedIndexes.size > 0;
  return hasFailures && isSettled ? failed("FailedIndexes", "Job has failed indexes") : undefined;
}

function failed(reason: string, message: string): Finish {
  return { type: "Failed", reason, message };
}

/** Pods that failed count, and so do restarts of containers where pods restart them. */
function isBeyondBackoff({ job, tally }: Seen, active: readonly Pod[]): boolean {
  const limit = job.spec?.backoffLimit ?? 6;
  const restarts = job.spec?.template?.spec?.restartPolicy === "OnFailure" ? restartsOf(active) : 0;
  return totals(tally, job).failed > limit || (restarts > 0 && restarts >= limit);
}

function isOverdue({ job: { spec, status }, now }: Seen): boolean {
  const deadline = spec?.activeDeadlineSeconds;
  if (deadline === undefined || status?.startTime === undefined || spec?.suspend === true) return false;
  return now >= millisecondsOf(status.startTime) + deadline * 1000;
}

function restartsOf(pods: readonly Pod[]): number {
  const statuses = pods.flatMap(({ status }) => [
    ...(status?.initContainerStatuses ?? []),
    ...(status?.containerStatuses ?? []),
  ]);
  return statuses.reduce((sum, { restartCount }) => sum + (restartCount ?? 0), 0);
}

function success({ job, tally, pods }: Seen, active: readonly Pod[]): Finish | undefined {
  const rule = successRule(job, tally);
  if (rule !== undefined) {
    return { type: "Complete", reason: "SuccessPolicy", message: `Matched rules at index ${rule}` };
  }
  const { succeeded } = totals(tally, job);
  const completions = job.spec?.completions;
  const isDone =
    completions === undefined
      ? succeeded > 0 && active.length === 0 && terminatingOf({ pods }).length === 0
      : succeeded >= completions;
  if (!isDone || (completions === 0 && active.length > 0)) return undefined;
  return { type: "Complete", reason: "CompletionsReached", message: "Reached expected number of succeeded pods" };
}

function successRule({ spec }: Job, { completedIndexes }: Tally): number | undefined {
  for (const [position, { succeededIndexes, succeededCount }] of (spec?.successPolicy?.rules ?? []).entries()) {
    const wanted = succeededIndexes === undefined ? undefined : parseIndexes(succeededIndexes, spec?.completions ?? 0);
    const matching = [...completedIndexes].filter((index) => wanted === undefined || wanted.has(index)).length;
    if (matching >= (succeededCount ?? wanted?.size ?? Infinity)) return position;
  }
  return undefined;
}

const FIRST_BACKOFF = 10_000;
const LONGEST_BACKOFF = 600_000;

function work(seen: Seen, active: readonly Pod[]): Action {
  const { job, now } = seen;
  const surplus = active.length - wantedOf(seen, active);
  const doubled = isIndexed(job) ? surplusIndexes(seen, active) : [];
  if (doubled.length > 0) return { do: "work", start: [], end: doubled, wait: deadlineWait(seen) };
  if (surplus > 0)
    return { do: "work", start: [], end: leastReady(active).slice(0, surplus), wait: deadlineWait(seen) };
  const going = replacesFailedOnly(job) || job.spec?.podFailurePolicy !== undefined ? terminatingOf(seen).length : 0;
  const missing = Math.max(0, -surplus - going);
  const rest = missing > 0 ? backoffOf(seen, now) : 0;
  if (missing === 0 || rest > 0) {
    const wait = Math.min(rest > 0 ? rest : Infinity, deadlineWait(seen) ?? Infinity);
    return { do: "work", start: [], end: [], wait: wait === Infinity ? undefined : wait };
  }
  const start = isIndexed(job)
    ? nextIndexes(seen, active, missing)
    : Array.from({ length: missing }, () => ({ index: undefined }));
  return { do: "work", start, end: [], wait: deadlineWait(seen) };
}

/** How many pods should work now. */
function wantedOf({ job, tally }: Seen, active: readonly Pod[]): number {
  const { parallelism = 1, completions } = job.spec ?? {};
  const { succeeded } = totals(tally, job);
  if (completions === undefined) return succeeded > 0 ? Math.min(active.length, parallelism) : parallelism;
  return Math.max(0, Math.min(parallelism, completions - succeeded - tally.failedIndexes.size));
}

function deadlineWait({ job, now }: Seen): number | undefined {
  const { activeDeadlineSeconds } = job.spec ?? {};
  if (activeDeadlineSeconds === undefined) return undefined;
  const start = job.status?.startTime === undefined ? now : millisecondsOf(job.status.startTime);
  return Math.max(0, start + activeDeadlineSeconds * 1000 - now);
}

/** Failures that were not followed by a success make the job wait: 10 s, 20 s, 40 s and so on. */
function backoffOf({ job, pods }: Seen, now: number): number {
  const failures = pods
    .filter((pod) => endOf(pod, job) === "failed")
    .map(endTime)
    .sort((a, b) => a - b);
  const lastSuccess = Math.max(-Infinity, ...pods.filter((pod) => endOf(pod, job) === "succeeded").map(endTime));
  const recent = failures.filter((time) => time > lastSuccess);
  const last = recent.at(-1);
  if (last === undefined || job.spec?.backoffLimitPerIndex !== undefined) return 0;
  const delay = Math.min(LONGEST_BACKOFF, FIRST_BACKOFF * 2 ** (recent.length - 1));
  return Math.max(0, last + delay - now);
}

function endTime({ metadata, status }: Pod): number {
  const times = (status?.containerStatuses ?? []).flatMap(({ state }) => state?.terminated?.finishedAt ?? []);
  const ready = findCondition(status?.conditions, "Ready")?.lastTransitionTime;
  const known = [...times, ...(ready === undefined ? [] : [ready]), metadata.creationTimestamp];
  return millisecondsOf(known[0] ?? metadata.creationTimestamp);
}

/** Pods whose index is done, given up, out of range, or worked on by another. */
function surplusIndexes({ job, tally }: Seen, active: readonly Pod[]): readonly Pod[] {
  const taken = new Set<number>();
  return active.filter((pod) => {
    const index = indexOf(pod);
    const isNeeded =
      index !== undefined &&
      index < (job.spec?.completions ?? 0) &&
      !tally.completedIndexes.has(index) &&
      !tally.failedIndexes.has(index) &&
      !taken.has(index);
    if (index !== undefined) taken.add(index);
    return !isNeeded;
  });
}

function nextIndexes({ job, pods, tally }: Seen, active: readonly Pod[], count: number): readonly Ordinal[] {
  const taken = new Set(active.map(indexOf));
  const held = replacesFailedOnly(job) ? new Set(terminatingOf({ pods }).map(indexOf)) : new Set();
  const ordinals: Ordinal[] = [];
  for (let index = 0; index < (job.spec?.completions ?? 0) && ordinals.length < count; index++) {
    if (taken.has(index) || held.has(index) || tally.completedIndexes.has(index) || tally.failedIndexes.has(index))
      continue;
    ordinals.push(
      job.spec?.backoffLimitPerIndex === undefined ? { index } : { index, failures: failuresOf(job, pods, index) },
    );
  }
  return ordinals;
}

function failuresOf(job: Job, pods: readonly Pod[], index: number): number {
  const failed = pods.filter((pod) => indexOf(pod) === index && endOf(pod, job) === "failed");
  return failed.reduce((most, pod) => Math.max(most, failuresBefore(pod) + 1), 0);
}

function leastReady(pods: readonly Pod[]): Pod[] {
  return [...pods].sort(
    (a, b) =>
      Number(isReady(a)) - Number(isReady(b)) || (a.metadata.creationTimestamp > b.metadata.creationTimestamp ? -1 : 1),
  );
}
