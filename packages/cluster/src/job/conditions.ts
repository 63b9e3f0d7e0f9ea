/** The conditions of a Job: suspended, about to end, ended. Pure. */
import type { Job } from "@capstan/kinds/batch/v1";
import { formatTime } from "@capstan/model";
import type { Finish } from "./decide.ts";

/** One of them. */
export type Condition = NonNullable<NonNullable<Job["status"]>["conditions"]>[number];

/** Whether a job has ended. */
export function isFinished({ status }: Job): boolean {
  return (status?.conditions ?? []).some(
    ({ type, status: state }) => (type === "Complete" || type === "Failed") && state === "True",
  );
}

/** When a job ended. */
export function finishedAt({ status }: Job): string | undefined {
  return (status?.conditions ?? []).find(
    ({ type, status: state }) => (type === "Complete" || type === "Failed") && state === "True",
  )?.lastTransitionTime;
}

interface ConditionFields {
  readonly type: Condition["type"];
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
}

/** Adds a condition, or changes the one of its type; one that says the same stays as it is. */
export function withCondition(
  conditions: readonly Condition[],
  fields: ConditionFields,
  now: number,
): readonly Condition[] {
  const current = conditions.find(({ type }) => type === fields.type);
  if (current?.status === fields.status && current.reason === fields.reason) return conditions;
  const time = formatTime(now);
  const updated: Condition = { ...fields, lastProbeTime: time, lastTransitionTime: time };
  return current === undefined ? [...conditions, updated] : conditions.map((one) => (one === current ? updated : one));
}

/** The end of a job in two steps: it is certain, then everything has come to rest. */
export function finishConditions(
  conditions: readonly Condition[],
  { type, reason, message }: Finish,
  { hasNoPods, now }: { readonly hasNoPods: boolean; readonly now: number },
): readonly Condition[] {
  const target = type === "Complete" ? "SuccessCriteriaMet" : "FailureTarget";
  const current = withCondition(conditions, { type: target, status: "True", reason, message }, now);
  return hasNoPods ? withCondition(current, { type, status: "True", reason, message }, now) : current;
}

/** A job that is suspended says so, and one that was says that it no longer is. */
export function suspendConditions(
  conditions: readonly Condition[],
  isSuspended: boolean,
  now: number,
): readonly Condition[] {
  const known = conditions.find(({ type }) => type === "Suspended");
  if (!isSuspended && known?.status !== "True") return conditions;
  const [reason, message] = isSuspended ? ["JobSuspended", "Job suspended"] : ["JobResumed", "Job resumed"];
  return withCondition(conditions, { type: "Suspended", status: isSuspended ? "True" : "False", reason, message }, now);
}
