/** Counts the results of one probe: when to run it next, and its current verdict. Pure. */
import type { Probe } from "@capstan/kinds/v1";

/** The three probes of a container. */
export type ProbeKind = "startup" | "liveness" | "readiness";

/** The state of one probe for one run of a container. Times are monotonic milliseconds. */
export interface ProbeState {
  readonly verdict: "unknown" | "success" | "failure";
  /** How many consecutive results were equal. */
  readonly run: { readonly passed: boolean; readonly length: number } | undefined;
  readonly nextAt: number;
}

/** Before its first probe a container counts as alive and as not ready. */
export function firstState(probe: Probe, startedAt: number): ProbeState {
  return { verdict: "unknown", run: undefined, nextAt: startedAt + (probe.initialDelaySeconds ?? 0) * 1000 };
}

/** The state after a probe that could not run: it has no result, and is repeated. */
export function later(state: ProbeState, probe: Probe, now: number): ProbeState {
  return { ...state, nextAt: now + (probe.periodSeconds ?? 10) * 1000 };
}

/** The state after one more result. */
export function afterAnswer(state: ProbeState, probe: Probe, passed: boolean, now: number): ProbeState {
  const length = state.run?.passed === passed ? state.run.length + 1 : 1;
  const threshold = passed ? (probe.successThreshold ?? 1) : (probe.failureThreshold ?? 3);
  const verdict = length >= threshold ? (passed ? "success" : "failure") : state.verdict;
  return { verdict, run: { passed, length }, nextAt: now + (probe.periodSeconds ?? 10) * 1000 };
}
