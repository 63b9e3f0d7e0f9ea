/** Counts how the pods of a Job finished, each exactly once even if the controller crashes between two writes. Pure. */
import type { Job } from "@capstan/kinds/batch/v1";
import type { Pod } from "@capstan/kinds/v1";
import { matchPodFailurePolicy } from "./failure-policy.ts";
import { formatIndexes, parseIndexes } from "./indexes.ts";
import { endOf, failuresBefore, indexOf, isIndexed, isTracked } from "./pod.ts";

/** The counts of finished pods. */
export interface Tally {
  readonly succeeded: number;
  readonly failed: number;
  /** Recorded pods that still have the finalizer; they are counted when it is removed. */
  readonly uncounted: { readonly succeeded: readonly string[]; readonly failed: readonly string[] };
  readonly completedIndexes: ReadonlySet<number>;
  readonly failedIndexes: ReadonlySet<number>;
  /** Pods whose finalizer can be removed now. */
  readonly release: readonly Pod[];
  /** Why the failure policy fails the job, if it does. */
  readonly failJob: string | undefined;
}

/** All results, counted and uncounted. */
export function totals(
  { succeeded, failed, uncounted, completedIndexes }: Tally,
  job: Job,
): { succeeded: number; failed: number } {
  return {
    succeeded: isIndexed(job) ? completedIndexes.size : succeeded + uncounted.succeeded.length,
    failed: failed + uncounted.failed.length,
  };
}

/** Updates the tally in the job's status with its pods. */
export function tallyOf(job: Job, pods: readonly Pod[]): Tally {
  const known = new Map(pods.map((pod) => [pod.metadata.uid, pod]));
  const noted = job.status?.uncountedTerminatedPods ?? {};
  const isHeld = (uid: string): boolean => {
    const pod = known.get(uid);
    return pod !== undefined && isTracked(pod);
  };
  const held = { succeeded: (noted.succeeded ?? []).filter(isHeld), failed: (noted.failed ?? []).filter(isHeld) };
  const fresh = newEnds(job, pods, new Set([...(noted.succeeded ?? []), ...(noted.failed ?? [])]));
  const indexed = isIndexed(job);
  const completions = job.spec?.completions ?? 0;
  const completedIndexes = new Set(parseIndexes(job.status?.completedIndexes, completions));
  for (const pod of fresh.succeeded) completedIndexes.add(indexOf(pod) ?? -1);
  completedIndexes.delete(-1);
  const counted = (kind: "succeeded" | "failed"): number =>
    (job.status?.[kind] ?? 0) + (noted[kind]?.length ?? 0) - held[kind].length;
  return {
    succeeded: indexed ? completedIndexes.size : counted("succeeded"),
    failed: counted("failed"),
    uncounted: {
      succeeded: [...held.succeeded, ...fresh.succeeded.map(uidOf)],
      failed: [...held.failed, ...fresh.failed.map(uidOf)],
    },
    completedIndexes: indexed ? completedIndexes : new Set(),
    failedIndexes: failedIndexesOf(job, fresh.failed),
    release: [...held.succeeded, ...held.failed]
      .flatMap((uid) => known.get(uid) ?? [])
      .concat(fresh.succeeded, fresh.failed, fresh.ignored),
    failJob: fresh.failJob,
  };
}

function uidOf({ metadata }: Pod): string {
  return metadata.uid;
}

interface Ends {
  readonly succeeded: readonly Pod[];
  readonly failed: readonly Pod[];
  readonly ignored: readonly Pod[];
  readonly failJob: string | undefined;
}

/** Pods that finished since the last reconcile. */
function newEnds(job: Job, pods: readonly Pod[], noted: ReadonlySet<string>): Ends {
  const ends = { succeeded: [] as Pod[], failed: [] as Pod[], ignored: [] as Pod[] };
  const completed = new Set(parseIndexes(job.status?.completedIndexes, job.spec?.completions ?? 0));
  let failJob: string | undefined;
  for (const pod of pods) {
    if (!isTracked(pod) || noted.has(pod.metadata.uid)) continue;
    const end = endOf(pod, job);
    if (end === "succeeded") (countsFor(job, pod, completed) ? ends.succeeded : ends.ignored).push(pod);
    if (end !== "failed") continue;
    const policy = matchPodFailurePolicy(pod, job);
    if (policy.action === "FailJob") failJob ??= policy.message;
    (policy.action === "Ignore" ? ends.ignored : ends.failed).push(pod);
  }
  return { ...ends, failJob };
}

/** Each index counts once, and only if it is in range. */
function countsFor(job: Job, pod: Pod, completed: Set<number>): boolean {
  if (!isIndexed(job)) return true;
  const index = indexOf(pod);
  if (index === undefined || index >= (job.spec?.completions ?? 0) || completed.has(index)) return false;
  completed.add(index);
  return true;
}

/** Indexes beyond their own backoff limit, or failed by a rule. */
function failedIndexesOf(job: Job, failed: readonly Pod[]): ReadonlySet<number> {
  const limit = job.spec?.backoffLimitPerIndex;
  const indexes = new Set(parseIndexes(job.status?.failedIndexes, job.spec?.completions ?? 0));
  if (limit === undefined) return indexes;
  for (const pod of failed) {
    const index = indexOf(pod);
    if (index === undefined) continue;
    if (matchPodFailurePolicy(pod, job).action === "FailIndex" || failuresBefore(pod) >= limit) indexes.add(index);
  }
  return indexes;
}

/** The tally as part of the status. */
export function tallyStatus(job: Job, tally: Tally): NonNullable<Job["status"]> {
  const { uncounted, completedIndexes, failedIndexes } = tally;
  return {
    succeeded: tally.succeeded,
    failed: tally.failed,
    uncountedTerminatedPods: {
      ...(uncounted.succeeded.length > 0 && { succeeded: uncounted.succeeded }),
      ...(uncounted.failed.length > 0 && { failed: uncounted.failed }),
    },
    ...(isIndexed(job) && { completedIndexes: formatIndexes(completedIndexes) }),
    ...(job.spec?.backoffLimitPerIndex !== undefined && { failedIndexes: formatIndexes(failedIndexes) }),
  };
}
