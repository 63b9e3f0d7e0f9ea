/**
 * Shows on an object that its reconciles fail again and again: whoever looks at it sees more than conditions from better days.
 *
 * The condition `Stalled` is true meanwhile, with the reason; other tools know it by this name, too. A `Ready` that is true becomes false,
 * because it speaks for the whole. Other conditions tell facts, such as that servers answer, and are left to the reconcile.
 */
import { touched } from "../apply/conditions.ts";
import type { Condition } from "../apply/conditions.ts";
import type { Draft } from "../apply/status.ts";
import { consequenceOf } from "./outcome.ts";
import type { Outcome } from "./outcome.ts";

const STALLED = "Stalled";
const READY = "Ready";

/** A failure that passes is not worth a line; one that came so often in a row is. */
const FAILURES = 3;

/** Most of a message is in its beginning, and statuses are read by everybody. */
const LONGEST_MESSAGE = 1024;

/** Which of the conditions a kind declares. */
export interface TellingConditions {
  /** `Stalled` is then always there; otherwise only while it is true. */
  readonly stalled: boolean;
  readonly ready: boolean;
}

/** How a reconcile went. */
export interface Told {
  readonly controller: string;
  readonly declares: TellingConditions;
  readonly outcome: Outcome;
  /** How often the object had failed in a row before. */
  readonly failures: number;
  /** Whether no other controller of the operator works on the kind, so that what its status says, this one has said. */
  readonly isAlone: boolean;
}

/** Says in the status whether an object is stalled, unless the reconcile has said so itself, or another controller of the kind has. */
export function noteStall(status: Draft, told: Told): void {
  const { controller, outcome, failures } = told;
  if (wasTouched(status, STALLED)) return;
  const former = find(status, STALLED);
  if (former?.status === "True" && !isOf(former, controller)) return;
  if (outcome.outcome !== "failed") return noteRecovery(status, told);
  const { event } = consequenceOf(outcome);
  const isLasting = !outcome.retry || failures + 1 >= FAILURES || former?.status === "True";
  if (event === undefined || !isLasting) return;
  const message = `${controller}: ${event.note}`.slice(0, LONGEST_MESSAGE);
  const details = { reason: event.reason, message };
  status.condition(STALLED, true, details);
  if (speaksForReady(status, told)) status.condition(READY, false, details);
}

/** Whether a `Ready` is to be taken back: one that is true, whoever said it in better days, or one that was taken back before. */
function speaksForReady(status: Draft, { controller, declares, isAlone }: Told): boolean {
  const ready = find(status, READY);
  if (!declares.ready || ready === undefined) return false;
  if (ready.status === "True") return isAlone || wasTouched(status, READY);
  return isOf(ready, controller) && !wasTouched(status, READY);
}

/** Only what was true was taken back: a reconcile that is done and says nothing about it has it true again, one that waits has not. */
function noteRecovery(status: Draft, { controller, declares, outcome }: Told): void {
  if (declares.stalled) status.condition(STALLED, false, { reason: "Reconciled" });
  else takeAway(status, STALLED);
  const ready = find(status, READY);
  const isTakenBack = declares.ready && ready?.status === "False" && isOf(ready, controller);
  if (!isTakenBack || wasTouched(status, READY)) return;
  if (outcome.outcome !== "requeue") status.condition(READY, true);
  else status.condition(READY, false, waiting(controller, outcome.reason));
}

function waiting(controller: string, reason: string): { readonly reason: string; readonly message: string } {
  const message = `${controller}: ${reason === "" ? "not done yet" : reason}`;
  return { reason: "ReconcileWaiting", message: message.slice(0, LONGEST_MESSAGE) };
}

function takeAway(status: Draft, type: string): void {
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

/** Whether this runtime said it for a controller. */
function isOf({ reason, message }: Condition, controller: string): boolean {
  return reason.startsWith("Reconcile") && message.startsWith(`${controller}: `);
}
