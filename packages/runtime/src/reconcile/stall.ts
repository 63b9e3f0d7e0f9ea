/**
 * Shows on an object that its reconciles fail repeatedly, so that its conditions are not merely outdated.
 *
 * Meanwhile the condition `Stalled` is true, with the reason; other tools use the same name. A `Ready` that is true becomes false,
 * because it summarizes the object. Other conditions state facts, such as that servers respond, and are left to the reconcile.
 */
import { touched } from "../apply/conditions.ts";
import type { Condition } from "../apply/conditions.ts";
import type { Draft } from "../apply/status.ts";
import { consequenceOf } from "./outcome.ts";
import type { Outcome } from "./outcome.ts";

const STALLED = "Stalled";
const READY = "Ready";

/** The number of consecutive failures that are reported; fewer may be temporary. */
const reportedFailures = 3;

/** The beginning of a message holds most of its information, and the status should stay small. */
const maxMessage = 1024;

/** The conditions that a kind declares. */
export interface FailureConditions {
  /** If declared, `Stalled` is always present; otherwise only while it is true. */
  readonly stalled: boolean;
  readonly ready: boolean;
}

/** The outcome of a reconcile. */
export interface StallReport {
  readonly controller: string;
  readonly declares: FailureConditions;
  readonly outcome: Outcome;
  /** The number of consecutive failures before. */
  readonly failures: number;
  /** Whether no other controller of the operator reconciles the kind, so that this one wrote the whole status. */
  readonly isAlone: boolean;
}

/** Sets `Stalled` in the status, unless the reconcile or another controller of the kind has set it. */
export function noteStall(status: Draft, report: StallReport): void {
  const { controller, outcome, failures } = report;
  if (wasTouched(status, STALLED)) return;
  const former = find(status, STALLED);
  if (former?.status === "True" && !isOf(former, controller)) return;
  if (outcome.outcome !== "failed") return noteRecovery(status, report);
  const { event } = consequenceOf(outcome);
  const isLasting = !outcome.retry || failures + 1 >= reportedFailures || former?.status === "True";
  if (event === undefined || !isLasting) return;
  const message = `${controller}: ${event.note}`.slice(0, maxMessage);
  const details = { reason: event.reason, message };
  status.condition(STALLED, true, details);
  if (mayReportOnReady(status, report)) status.condition(READY, false, details);
}

/** The reason of the event and the condition of an object that waits for its cleanup. */
export const CLEANUP_WAITING = "CleanupWaiting";

/** Sets `Ready` to false while a cleanup waits, unless the cleanup or another controller sets it. */
export function noteCleanupWait(
  status: Draft,
  { controller, declares, isAlone, note }: Pick<StallReport, "controller" | "declares" | "isAlone"> & { note: string },
): void {
  if (!declares.ready || !isAlone || wasTouched(status, READY)) return;
  status.condition(READY, false, { reason: CLEANUP_WAITING, message: `${controller}: ${note}`.slice(0, maxMessage) });
}

/**
 * Whether `Ready` is to be set to false: if it is true, whichever controller set it before, or if this function has set it to false
 * earlier.
 */
function mayReportOnReady(status: Draft, { controller, declares, isAlone }: StallReport): boolean {
  const ready = find(status, READY);
  if (!declares.ready || ready === undefined) return false;
  if (ready.status === "True") return isAlone || wasTouched(status, READY);
  return isOf(ready, controller) && !wasTouched(status, READY);
}

/**
 * Only a true `Ready` was set to false: after a completed reconcile that does not set it, it is true again; after one that waits, it is
 * not.
 */
function noteRecovery(status: Draft, { controller, declares, outcome }: StallReport): void {
  if (declares.stalled) status.condition(STALLED, false, { reason: "Reconciled" });
  else removeCondition(status, STALLED);
  const ready = find(status, READY);
  const isTakenBack = declares.ready && ready?.status === "False" && isOf(ready, controller);
  if (!isTakenBack || wasTouched(status, READY)) return;
  if (outcome.outcome !== "requeue") status.condition(READY, true);
  else status.condition(READY, false, waiting(controller, outcome.reason));
}

function waiting(controller: string, reason: string): { readonly reason: string; readonly message: string } {
  const message = `${controller}: ${reason === "" ? "not done yet" : reason}`;
  return { reason: "ReconcileWaiting", message: message.slice(0, maxMessage) };
}

function removeCondition(status: Draft, type: string): void {
  if (find(status, type) === undefined) return;
  touched.get(status)?.add(type);
  status.conditions = (status.conditions ?? []).filter((condition) => condition.type !== type);
}

function find({ conditions }: Draft, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

function wasTouched(status: Draft, type: string): boolean {
  return touched.get(status)?.has(type) === true;
}

/** Whether this function set the condition for a controller. */
function isOf({ reason, message }: Condition, controller: string): boolean {
  return reason.startsWith("Reconcile") && message.startsWith(`${controller}: `);
}
