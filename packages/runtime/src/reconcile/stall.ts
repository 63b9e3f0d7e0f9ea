/** Keeps the condition `Stalled` of kinds that declare it: whoever looks at an object whose turns fail sees more than conditions from better days. */
import { touched } from "../apply/conditions.ts";
import type { Draft } from "../apply/status.ts";
import { consequenceOf } from "./outcome.ts";
import type { Outcome } from "./outcome.ts";

/** The condition that tells that an object does not get where it should; other tools know it by this name, too. */
export const STALLED_CONDITION = "Stalled";

/** A failure that passes is not worth a line; one that came so often in a row is. */
const FAILURES = 3;

/** Most of a message is in its beginning, and statuses are read by everybody. */
const LONGEST_MESSAGE = 1024;

/** How a turn went. */
export interface Told {
  readonly controller: string;
  readonly outcome: Outcome;
  /** How often the object had failed in a row before. */
  readonly failures: number;
}

/** Says whether an object is stalled, unless the reconcile has said so itself, or another controller of the kind has. */
export function noteStall(status: Draft, { controller, outcome, failures }: Told): void {
  if (touched.get(status)?.has(STALLED_CONDITION) === true) return;
  const former = status.conditions?.find(({ type }) => type === STALLED_CONDITION);
  if (former?.status === "True" && !former.message.startsWith(`${controller}: `)) return;
  if (outcome.outcome !== "failed") return status.condition(STALLED_CONDITION, false, { reason: "Reconciled" });
  const { event } = consequenceOf(outcome);
  if (event === undefined || (outcome.retry && failures + 1 < FAILURES)) return;
  const message = `${controller}: ${event.note}`.slice(0, LONGEST_MESSAGE);
  status.condition(STALLED_CONDITION, true, { reason: event.reason, message });
}
