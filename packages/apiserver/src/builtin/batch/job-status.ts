/** Validation of the status of a job: a finished job stays finished, and its counts agree with its conditions. */
import type { Job as JobObject, JobStatus } from "@capstan/kinds/batch/v1";
import { fieldErrors, isDeepEqual, type FieldError } from "@capstan/model";
import { checkCounts } from "../apps/workload.ts";
import type { Whole } from "../whole.ts";
import { countIndexes, firstOverlap } from "./indexes.ts";

type Job = Whole<JobObject>;

/** Whether a condition is true. */
export function isTrue({ conditions = [] }: JobStatus, type: string): boolean {
  return conditions.some((condition) => condition.type === type && condition.status === "True");
}

function isFinished(status: JobStatus): boolean {
  return isTrue(status, "Complete") || isTrue(status, "Failed");
}

/** Checks a status. Errors that the stored status already has are ignored if the fields did not change. */
export function checkJobStatus(job: Job, old: Job): FieldError[] {
  return [
    ...checkCounts(job.status, ["active", "succeeded", "failed", "ready", "terminating"]),
    ...checkUncounted(job.status),
    ...checkOutcome(job, old),
    ...checkIndexes(job, old),
    ...checkPods(job, old),
    ...checkSuccessCriteria(job),
    ...checkProgress(job, old),
  ];
}

function checkUncounted({ uncountedTerminatedPods }: JobStatus): FieldError[] {
  const { succeeded = [], failed = [] } = uncountedTerminatedPods ?? {};
  const seen = new Set<string>();
  const path = "status.uncountedTerminatedPods";
  const all = [
    ...succeeded.map((uid, index) => [uid, `${path}.succeeded[${index}]`] as const),
    ...failed.map((uid, index) => [uid, `${path}.failed[${index}]`] as const),
  ];
  return all.flatMap(([uid, at]) => {
    if (uid === "") return [fieldErrors.invalid(at, uid, "must not be empty")];
    if (seen.has(uid)) return [fieldErrors.duplicate(at, uid)];
    seen.add(uid);
    return [];
  });
}

/** One check of a status. It runs only if one of the fields it reads changed. */
interface Question {
  readonly changed: boolean;
  readonly isWrong: boolean;
  readonly error: () => FieldError;
}

function ask(questions: readonly Question[]): FieldError[] {
  return questions.filter(({ changed, isWrong }) => changed && isWrong).map(({ error }) => error());
}

const conditionError =
  (why: string): Question["error"] =>
  () =>
    fieldErrors.invalid("status.conditions", fieldErrors.omittedValue, why);

/** Whether the condition changed from or to true. */
function turned(type: string, { status }: Job, { status: before }: Job): boolean {
  return isTrue(status, type) !== isTrue(before, type);
}

function finishes({ status }: Job, { status: before }: Job): boolean {
  return isFinished(status) !== isFinished(before);
}

function checkOutcome(job: Job, old: Job): FieldError[] {
  const { status } = job;
  const completes = turned("Complete", job, old);
  const isComplete = isTrue(status, "Complete");
  return [
    ...ask([
      {
        changed: completes || turned("Failed", job, old),
        isWrong: isComplete && isTrue(status, "Failed"),
        error: conditionError("cannot set Complete=True and Failed=true conditions"),
      },
      {
        changed: completes || turned("FailureTarget", job, old),
        isWrong: isComplete && isTrue(status, "FailureTarget"),
        error: conditionError("cannot set Complete=True and FailureTarget=true conditions"),
      },
    ]),
    ...checkCompletionTime(job, old),
    ...ask([
      {
        changed: turned("Failed", job, old) || status.failedIndexes !== old.status.failedIndexes,
        isWrong: isTrue(status, "Failed") && !isTrue(status, "FailureTarget"),
        error: conditionError("cannot set Failed=True condition without the FailureTarget=true condition"),
      },
      {
        changed: completes || turned("SuccessCriteriaMet", job, old),
        isWrong: isComplete && !isTrue(status, "SuccessCriteriaMet"),
        error: conditionError("cannot set Complete=True condition without the SuccessCriteriaMet=true condition"),
      },
    ]),
    ...checkFinished(job, old),
    ...checkAllCounted(job, old),
  ];
}

function checkCompletionTime(job: Job, old: Job): FieldError[] {
  const { status } = job;
  const { startTime, completionTime } = status;
  const isComplete = isTrue(status, "Complete");
  const timeChanged = completionTime !== old.status.completionTime;
  const changed = turned("Complete", job, old) || timeChanged;
  return ask([
    {
      changed,
      isWrong: completionTime !== undefined && !isComplete,
      error: () =>
        completionError(completionTime, "cannot set completionTime when there is no Complete=True condition"),
    },
    {
      changed,
      isWrong: completionTime === undefined && isComplete,
      error: () => fieldErrors.required("status.completionTime", "completionTime is required for Complete jobs"),
    },
    {
      changed: startTime !== old.status.startTime || timeChanged,
      isWrong: startTime !== undefined && completionTime !== undefined && completionTime < startTime,
      error: () => completionError(completionTime, "must be equal to or after `startTime`"),
    },
  ]);
}

function checkFinished(job: Job, old: Job): FieldError[] {
  const { spec, status } = job;
  const { startTime, active = 0 } = status;
  const isNothingToDo = spec.suspend === true && spec.completions === 0;
  return ask([
    {
      changed: finishes(job, old) || active !== (old.status.active ?? 0),
      isWrong: active > 0 && isFinished(status),
      error: () => fieldErrors.invalid("status.active", active, "active>0 is invalid for finished job"),
    },
    {
      changed: (finishes(job, old) || startTime !== old.status.startTime) && !isNothingToDo,
      isWrong: startTime === undefined && isFinished(status),
      error: () => fieldErrors.required("status.startTime", "startTime is required for finished job"),
    },
  ]);
}

function checkAllCounted(job: Job, old: Job): FieldError[] {
  const uncounted = job.status.uncountedTerminatedPods ?? {};
  const { succeeded = null, failed = null } = uncounted;
  return ask([
    {
      changed: finishes(job, old) || !isDeepEqual(uncounted, old.status.uncountedTerminatedPods ?? {}),
      isWrong: isFinished(job.status) && [...(failed ?? []), ...(succeeded ?? [])].length > 0,
      error: () =>
        fieldErrors.invalid(
          "status.uncountedTerminatedPods",
          { Succeeded: succeeded, Failed: failed },
          "must be empty for finished job",
        ),
    },
  ]);
}

function completionError(time: string | undefined, why: string): FieldError {
  return fieldErrors.invalid("status.completionTime", time, why);
}

function checkIndexes(job: Job, { status: before }: Job): FieldError[] {
  const { completedIndexes, failedIndexes } = job.status;
  const completedChanged = (completedIndexes ?? "") !== (before.completedIndexes ?? "");
  const failedChanged = failedIndexes !== before.failedIndexes;
  return [
    ...(completedChanged ? checkFormat(job, "completedIndexes") : []),
    ...(failedChanged && job.spec.backoffLimitPerIndex !== undefined ? checkFormat(job, "failedIndexes") : []),
    ...(completedChanged ? checkIsIndexed(job) : []),
    ...(failedChanged ? checkHasLimit(job) : []),
    ...(completedChanged || failedChanged ? checkNoOverlap(job) : []),
  ];
}

type IndexField = "completedIndexes" | "failedIndexes";

function indexError(field: IndexField, value: string, why: string): FieldError {
  return fieldErrors.invalid(`status.${field}`, value, why);
}

function checkFormat({ spec, status }: Job, field: IndexField): FieldError[] {
  const text = status[field] ?? "";
  const problem = spec.completions === undefined ? 0 : countIndexes(text, spec.completions);
  return typeof problem === "string" ? [indexError(field, text, `error parsing ${field}: ${problem}`)] : [];
}

function checkIsIndexed({ spec, status: { completedIndexes = "" } }: Job): FieldError[] {
  if (completedIndexes === "" || spec.completionMode === "Indexed") return [];
  const why = "cannot set non-empty completedIndexes when non-indexed completion mode";
  return [indexError("completedIndexes", completedIndexes, why)];
}

function checkHasLimit({ spec, status: { failedIndexes } }: Job): FieldError[] {
  if (failedIndexes === undefined || spec.backoffLimitPerIndex !== undefined) return [];
  const why = "cannot set non-null failedIndexes when backoffLimitPerIndex is null";
  return [indexError("failedIndexes", failedIndexes, why)];
}

function checkNoOverlap({ spec, status }: Job): FieldError[] {
  const { completedIndexes = "", failedIndexes = "" } = status;
  if (spec.completions === undefined) return [];
  const overlap = firstOverlap(completedIndexes, failedIndexes, spec.completions);
  if (overlap === undefined) return [];
  return [
    indexError("failedIndexes", failedIndexes, `failedIndexes and completedIndexes overlap at index: ${overlap}`),
  ];
}

function checkPods({ status }: Job, { status: before }: Job): FieldError[] {
  const { terminating = 0, ready = 0, active = 0 } = status;
  return ask([
    {
      changed: isFinished(status) !== isFinished(before) || status.terminating !== before.terminating,
      isWrong: terminating > 0 && isFinished(status),
      error: () => fieldErrors.invalid("status.terminating", terminating, "terminating>0 is invalid for finished job"),
    },
    {
      changed: status.ready !== before.ready || active !== (before.active ?? 0),
      isWrong: status.ready !== undefined && ready > active,
      error: () => fieldErrors.invalid("status.ready", ready, "cannot set more ready pods than active"),
    },
  ]);
}

function checkSuccessCriteria({ spec, status }: Job): FieldError[] {
  const isMet = isTrue(status, "SuccessCriteriaMet");
  return ask([
    {
      changed: true,
      isWrong: isMet && isTrue(status, "Failed"),
      error: conditionError("cannot set SuccessCriteriaMet=True and Failed=true conditions"),
    },
    {
      changed: true,
      isWrong: isMet && isTrue(status, "FailureTarget"),
      error: conditionError("cannot set SuccessCriteriaMet=True and FailureTarget=true conditions"),
    },
    {
      changed: true,
      isWrong: spec.successPolicy !== undefined && !isMet && isTrue(status, "Complete"),
      error: conditionError("cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True"),
    },
  ]);
}

/** Counts and times of finished pods cannot go back. */
function checkProgress({ spec, status }: Job, { status: before }: Job): FieldError[] {
  const { failed = 0, succeeded = 0, completionTime, startTime } = status;
  const isElastic = spec.completionMode === "Indexed" && spec.completions === spec.parallelism;
  const resumes =
    isTrue(before, "Suspended") &&
    (status.conditions ?? []).some(({ type, status: value }) => type === "Suspended" && value === "False");
  const lost = (type: string): boolean => isTrue(before, type) && !isTrue(status, type);
  return ask([
    ...["Failed", "Complete", "FailureTarget"].map((type) => ({
      changed: true,
      isWrong: lost(type),
      error: conditionError(`cannot disable the terminal ${type}=True condition`),
    })),
    {
      changed: true,
      isWrong: failed < (before.failed ?? 0),
      error: () => fieldErrors.invalid("status.failed", failed, "cannot decrease the failed counter"),
    },
    {
      changed: !isElastic,
      isWrong: succeeded < (before.succeeded ?? 0),
      error: () => fieldErrors.invalid("status.succeeded", succeeded, "cannot decrease the succeeded counter"),
    },
    {
      changed: completionTime !== before.completionTime,
      isWrong: completionTime !== undefined && before.completionTime !== undefined,
      error: () => completionError(completionTime, "field is immutable"),
    },
    {
      changed: startTime !== before.startTime && !resumes,
      isWrong: before.startTime !== undefined && spec.suspend !== true,
      error: () =>
        fieldErrors.invalid("status.startTime", startTime ?? null, "field is immutable for unsuspended job once set"),
    },
    {
      changed: true,
      isWrong: lost("SuccessCriteriaMet"),
      error: conditionError("cannot disable the SuccessCriteriaMet=True condition"),
    },
    {
      changed: true,
      isWrong:
        isTrue(before, "Complete") && !isTrue(before, "SuccessCriteriaMet") && isTrue(status, "SuccessCriteriaMet"),
      error: conditionError("cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions"),
    },
  ]);
}
