/** What still fails in the world of a test, told so that one finds the line. */
import { type HistoryEntry, TURNS_KEPT } from "../manager/explain.ts";

/** An object whose last turn failed, or did what cannot be meant. */
export interface FailedObject {
  readonly controller: string;
  /** As `namespace/name`. */
  readonly object: string;
  readonly message: string;
  /** The first line of the operator's own in the stack of the error, as `file:line:column`. */
  readonly where?: string;
  /** Whether the reconcile said itself when it wants to be called again: it waits for something. */
  readonly isForeseen: boolean;
}

/** Objects whose last turn failed, and those of which a turn did what cannot be meant. */
export function failedIn(history: Iterable<HistoryEntry>): readonly FailedObject[] {
  const failed: FailedObject[] = [];
  for (const { controller, key, turns } of history) {
    const last = turns.at(-1);
    if (last?.outcome !== "failed") {
      const warning = turns.findLast(({ warnings }) => warnings !== undefined)?.warnings?.[0];
      if (warning !== undefined) failed.push({ controller, object: key, message: warning, isForeseen: false });
      continue;
    }
    const { message, where, next } = last;
    failed.push({
      controller,
      object: key,
      message,
      ...(where === undefined ? {} : { where }),
      isForeseen: next === "wait",
    });
  }
  return failed;
}

/** So many failures say enough. */
const FAILURES_TOLD = 5;

/** Failures as lines that follow a sentence; nothing where there are none. */
export function formatFailures(failures: readonly FailedObject[]): string {
  const told = failures.slice(0, FAILURES_TOLD).map(({ controller, object, message, where }) => {
    const at = where === undefined ? "" : `\n    at ${where}`;
    return `\n  ${controller} ${object}: ${message}${at}`;
  });
  const left = failures.length - told.length;
  const more = left > 0 ? `\n  and ${left} more` : "";
  return failures.length === 0 ? "" : `\nWhat is not well:${told.join("")}${more}`;
}

/** An object that wanted another turn, again and again, and all that is remembered of it lies behind this time. */
export function restlessSince(history: Iterable<HistoryEntry>, since: number): HistoryEntry | undefined {
  for (const entry of history) {
    const isRestless = entry.turns.every(({ at, next }) => next === "wait" && Date.parse(at) >= since);
    if (isRestless && entry.turns.length >= TURNS_KEPT) return entry;
  }
  return undefined;
}
