/** The phase of a ClusterServiceVersion and its history: the newest 20 changes of phase or reason. */
import type { CsvPhase, CsvReason, CsvStatus } from "../kinds/csv.ts";

/** A phase with its reason. */
export interface Phase {
  readonly phase: CsvPhase;
  readonly reason: CsvReason;
  readonly message: string;
}

const HISTORY = 20;

/** The status in a new phase. The history gets an entry when the phase or the reason differs from the last one. */
export function setPhase(status: CsvStatus | undefined, { phase, reason, message }: Phase, now: string): CsvStatus {
  const lastTransitionTime = status?.phase === phase ? (status.lastTransitionTime ?? now) : now;
  const next = { ...status, phase, reason, message, lastUpdateTime: now, lastTransitionTime };
  const conditions = status?.conditions ?? [];
  const last = conditions.at(-1);
  if (last !== undefined && last.phase === phase && last.reason === reason) return { ...next, conditions };
  const entry = { phase, reason, message, lastUpdateTime: now, lastTransitionTime };
  return { ...next, conditions: [...conditions, entry].slice(-HISTORY) };
}

/** Whether a status is in a phase with this reason and message. */
export function isInPhase(status: CsvStatus | undefined, { phase, reason, message }: Phase): boolean {
  return (status?.phase ?? "") === phase && status?.reason === reason && (status.message ?? "") === message;
}
