/** The conditions of a Job: Suspended, SuccessCriteriaMet, FailureTarget, Complete, Failed. Pure. */
import type { Job } from "@capstan/kinds/batch/v1";
import { formatTime } from "@capstan/model";
import type { Finish } from "./decide.ts";

/** A condition of a Job. */
export type Condition = NonNullable<NonNullable<Job["status"]>["conditions"]>[number];

/** Whether a job has finished. */
export function isFinished({ status }: Job): boolean {
  return (status?.conditions ?? []).some(
    ({ type, status: state }) => (type === "Complete" || type === "Failed") && state === "True",
  );
}

/** When a job finished. */
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

/** Adds or updates a condition; an equal one keeps its times. */
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

/** A job finishes in two steps: first the target condition, then the final one when no pod is left. */
export function finishConditions(
  conditions: readonly Condition[],
  { type, reason, message }: Finish,
  { hasNoPods, now }: { readonly hasNoPods: boolean; readonly now: number },
): readonly Condition[] {
  const target = type === "Complete" ? "SuccessCriteriaMet" : "FailureTarget";
  const current = withCondition(conditions, { type: target, status: "True", reason, message }, now);
  return hasNoPods ? withCondition(current, { type, status: "True", reason, message }, now) : current;
}

/** Sets the Suspended condition, and sets it to False after a resume. */
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
