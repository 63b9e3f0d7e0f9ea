/** Reports failures that remain in a test world, with the failing line. */
import type { RunningOperator } from "../manager/operator.ts";
import { type HistoryEntry, maxReconciles } from "../report/explain.ts";

/**
 * An object with a failure or a warning in its last reconcile.
 *
 * @example
 * await using world = await testOperator(app);
 * const describe = ({ object, message }: FailedObject) => `${object}: ${message}`;
 * const failures = world.failures.map(describe);
 */
export interface FailedObject {
  readonly controller: string;
  /** As `namespace/name`. */
  readonly object: string;
  readonly message: string;
  /** The first of the operator's own lines in the stack of the error, as `file:line:column`. */
  readonly where?: string;
}

/** Objects with a failure or a warning in their last reconcile. */
export function failedIn(history: Iterable<HistoryEntry>): readonly FailedObject[] {
  const failed: FailedObject[] = [];
  for (const { controller, key, reconciles } of history) {
    const last = reconciles.at(-1);
    if (last?.outcome !== "failed") {
      const warning = reconciles.findLast(({ warnings }) => warnings !== undefined)?.warnings?.[0];
      if (warning !== undefined) failed.push({ controller, object: key, message: warning });
      continue;
    }
    const { message, where } = last;
    failed.push({ controller, object: key, message, ...(where === undefined ? {} : { where }) });
  }
  return failed;
}

/** The number of failures that are shown. */
const FAILURES_TOLD = 5;

/** Failures as lines that follow a sentence; empty if there are none. */
export function formatFailures(failures: readonly FailedObject[]): string {
  const told = failures.slice(0, FAILURES_TOLD).map(({ controller, object, message, where }) => {
    const at = where === undefined ? "" : `\n    at ${where}`;
    return `\n  ${controller} ${object}: ${message}${at}`;
  });
  return listed("These objects fail:", told, failures.length);
}

/** Objects that wait for a requeue, as lines that follow a sentence; empty if there are none. */
export function formatWaiting(history: Iterable<HistoryEntry>): string {
  const waiting: string[] = [];
  for (const { controller, key, reconciles } of history) {
    const last = reconciles.at(-1);
    if (last?.next === "wait") waiting.push(`\n  ${controller} ${key}: ${last.message}`);
  }
  return listed("These objects asked for a requeue:", waiting.slice(0, FAILURES_TOLD), waiting.length);
}

function listed(heading: string, lines: readonly string[], count: number): string {
  const left = count - lines.length;
  return count === 0 ? "" : `\n${heading}${lines.join("")}${left > 0 ? `\n  and ${left} more` : ""}`;
}

/** An object that was requeued again and again, with all its recorded reconciles after this time. */
export function restlessSince(history: Iterable<HistoryEntry>, since: number): HistoryEntry | undefined {
  for (const entry of history) {
    const isRestless = entry.reconciles.every(({ at, next }) => next === "wait" && Date.parse(at) >= since);
    if (isRestless && entry.reconciles.length >= maxReconciles) return entry;
  }
  return undefined;
}

/** Whether a reconcile is under way. */
export function isReconciling(running: RunningOperator | undefined): boolean {
  return running?.controllers.some(({ counts }) => counts.running > 0) === true;
}
