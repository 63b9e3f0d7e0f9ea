/** What a Job does next. Pure. */
import type { Job } from "@capstan/kinds/batch/v1";
import type { Pod } from "@capstan/kinds/v1";
import { findCondition } from "@capstan/model";
import { isReady, millisecondsOf } from "../pod/state.ts";
import { endOf, failuresBefore, indexOf, isIndexed, replacesFailedOnly } from "./pod.ts";
import type { PodIndex } from "./pod.ts";
import { parseIndexes } from "./indexes.ts";
import { totals } from "./tally.ts";
import type { Tally } from "./tally.ts";

/** Why a job finishes. */
export interface Finish {
  readonly type: "Complete" | "Failed";
  readonly reason: string;
  readonly message: string;
}

/** What to do next. */
export type Action =
  | { readonly do: "finish"; readonly finish: Finish; readonly delete: readonly Pod[] }
  | { readonly do: "suspend"; readonly delete: readonly Pod[] }
  | {
      readonly do: "work";
      readonly create: readonly PodIndex[];
      readonly delete: readonly Pod[];
      readonly wait: number | undefined;
    };

/** The job, its pods, and the tally of finished pods. */
export interface Observed {
  readonly job: Job;
  readonly pods: readonly Pod[];
  readonly tally: Tally;
  readonly now: number;
}

/** Pods that are neither finished nor terminating. */
export function activeOf({ job, pods }: Pick<Observed, "job" | "pods">): readonly Pod[] {
  return pods.filter((pod) => endOf(pod, job) === undefined && pod.metadata.deletionTimestamp === undefined);
}

/** Terminating pods. */
export function terminatingOf({ pods }: Pick<Observed, "pods">): readonly Pod[] {
  return pods.filter(
    ({ metadata, status }) =>
      metadata.deletionTimestamp !== undefined && status?.phase !== "Succeeded" && status?.phase !== "Failed",
  );
}

/** The number of ready pods. */
export function readyOf(observed: Pick<Observed, "job" | "pods">): number {
  return activeOf(observed).filter(isReady).length;
}

/** Decides the next action. */
export function decide(observed: Observed): Action {
  const { job } = observed;
  const active = activeOf(observed);
  const finish = finishInProgress(job) ?? failure(observed, active) ?? success(observed, active);
  if (finish !== undefined) return { do: "finish", finish, delete: active };
  if (job.spec?.suspend === true) return { do: "suspend", delete: active };
  return manageJob(observed, active);
}

/** A job with a target condition continues to finish. */
function finishInProgress({ status }: Job): Finish | undefined {
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

/** The first reason for the job to fail. */
function failure(observed: Observed, active: readonly Pod[]): Finish | undefined {
  const { job, tally } = observed;
  if (tally.failJob !== undefined) return failed("PodFailurePolicy", tally.failJob);
  if (isPastBackoffLimit(observed, active)) {
    return failed("BackoffLimitExceeded", "Job has reached the specified backoff limit");
  }
  if (isPastDeadline(observed)) return failed("DeadlineExceeded", "Job was active longer than specified deadline");
  const { maxFailedIndexes = Infinity, completions = Infinity } = job.spec ?? {};
  if (tally.failedIndexes.size > maxFailedIndexes) {
    return failed("MaxFailedIndexesExceeded", "Job has exceeded the specified maximal number of failed indexes");
  }
  const hasResult = tally.completedIndexes.size + tally.failedIndexes.size >= completions;
  const hasFailures = isIndexed(job) && tally.failedIndexes.size > 0;
  return hasFailures && hasResult ? failed("FailedIndexes", "Job has failed indexes") : undefined;
}

function failed(reason: string, message: string): Finish {
  return { type: "Failed", reason, message };
}

/** Counts failed pods, and container restarts with `restartPolicy: OnFailure`. */
function isPastBackoffLimit({ job, tally }: Observed, active: readonly Pod[]): boolean {
  const limit = job.spec?.backoffLimit ?? 6;
  const restarts = job.spec?.template?.spec?.restartPolicy === "OnFailure" ? restartsOf(active) : 0;
  return totals(tally, job).failed > limit || (restarts > 0 && restarts >= limit);
}

function isPastDeadline({ job: { spec, status }, now }: Observed): boolean {
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

function success({ job, tally, pods }: Observed, active: readonly Pod[]): Finish | undefined {
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

const INITIAL_BACKOFF = 10_000;
const MAX_BACKOFF = 600_000;

function manageJob(observed: Observed, active: readonly Pod[]): Action {
  const { job, now } = observed;
  const surplus = active.length - wantedActive(observed, active);
  const doubled = isIndexed(job) ? surplusIndexes(observed, active) : [];
  if (doubled.length > 0) return { do: "work", create: [], delete: doubled, wait: deadlineWait(observed) };
  if (surplus > 0)
    return { do: "work", create: [], delete: leastReady(active).slice(0, surplus), wait: deadlineWait(observed) };
  const terminating =
    replacesFailedOnly(job) || job.spec?.podFailurePolicy !== undefined ? terminatingOf(observed).length : 0;
  const missing = Math.max(0, -surplus - terminating);
  const rest = missing > 0 ? backoffOf(observed, now) : 0;
  if (missing === 0 || rest > 0) {
    const wait = Math.min(rest > 0 ? rest : Infinity, deadlineWait(observed) ?? Infinity);
    return { do: "work", create: [], delete: [], wait: wait === Infinity ? undefined : wait };
  }
  const start = isIndexed(job)
    ? nextIndexes(observed, active, missing)
    : Array.from({ length: missing }, () => ({ index: undefined }));
  return { do: "work", create: start, delete: [], wait: deadlineWait(observed) };
}

/** The desired number of active pods. */
function wantedActive({ job, tally }: Observed, active: readonly Pod[]): number {
  const { parallelism = 1, completions } = job.spec ?? {};
  const { succeeded } = totals(tally, job);
  if (completions === undefined) return succeeded > 0 ? Math.min(active.length, parallelism) : parallelism;
  return Math.max(0, Math.min(parallelism, completions - succeeded - tally.failedIndexes.size));
}

function deadlineWait({ job, now }: Observed): number | undefined {
  const { activeDeadlineSeconds } = job.spec ?? {};
  if (activeDeadlineSeconds === undefined) return undefined;
  const start = job.status?.startTime === undefined ? now : millisecondsOf(job.status.startTime);
  return Math.max(0, start + activeDeadlineSeconds * 1000 - now);
}

/** Failures since the last success delay new pods: 10 s, 20 s, 40 s and so on. */
function backoffOf({ job, pods }: Observed, now: number): number {
  const failures = pods
    .filter((pod) => endOf(pod, job) === "failed")
    .map(endTime)
    .sort((a, b) => a - b);
  const lastSuccess = Math.max(-Infinity, ...pods.filter((pod) => endOf(pod, job) === "succeeded").map(endTime));
  const recent = failures.filter((time) => time > lastSuccess);
  const last = recent.at(-1);
  if (last === undefined || job.spec?.backoffLimitPerIndex !== undefined) return 0;
  const delay = Math.min(MAX_BACKOFF, INITIAL_BACKOFF * 2 ** (recent.length - 1));
  return Math.max(0, last + delay - now);
}

function endTime({ metadata, status }: Pod): number {
  const times = (status?.containerStatuses ?? []).flatMap(({ state }) => state?.terminated?.finishedAt ?? []);
  const ready = findCondition(status?.conditions, "Ready")?.lastTransitionTime;
  const known = [...times, ...(ready === undefined ? [] : [ready]), metadata.creationTimestamp];
  return millisecondsOf(known[0] ?? metadata.creationTimestamp);
}

/** Pods whose index is complete, failed, out of range, or a duplicate. */
function surplusIndexes({ job, tally }: Observed, active: readonly Pod[]): readonly Pod[] {
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

function nextIndexes({ job, pods, tally }: Observed, active: readonly Pod[], count: number): readonly PodIndex[] {
  const taken = new Set(active.map(indexOf));
  const delayed = replacesFailedOnly(job) ? new Set(terminatingOf({ pods }).map(indexOf)) : new Set();
  const ordinals: PodIndex[] = [];
  for (let index = 0; index < (job.spec?.completions ?? 0) && ordinals.length < count; index++) {
    if (taken.has(index) || delayed.has(index) || tally.completedIndexes.has(index) || tally.failedIndexes.has(index))
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
