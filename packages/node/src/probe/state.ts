/** Counts the answers of one probe: when to ask next, and what the answers amount to. Pure. */
import type { Probe } from "@capstan/kinds/v1";

/** The three questions that are asked about a running container. */
export type ProbeKind = "startup" | "liveness" | "readiness";

/** What is known of one probe of one run of a container. Times are monotonic milliseconds. */
export interface ProbeState {
  readonly verdict: "unknown" | "success" | "failure";
  /** How many answers in a row were alike. */
  readonly run: { readonly passed: boolean; readonly length: number } | undefined;
  readonly nextAt: number;
}

/** A container is taken for alive and for not ready until it was asked. */
export function firstState(probe: Probe, startedAt: number): ProbeState {
  return { verdict: "unknown", run: undefined, nextAt: startedAt + (probe.initialDelaySeconds ?? 0) * 1000 };
}

/** The state after a question that could not be asked: it says nothing about the container, and is asked again. */
export function later(state: ProbeState, probe: Probe, now: number): ProbeState {
  return { ...state, nextAt: now + (probe.periodSeconds ?? 10) * 1000 };
}

/** The state after one more answer. */
export function afterAnswer(state: ProbeState, probe: Probe, passed: boolean, now: number): ProbeState {
  const length = state.run?.passed === passed ? state.run.length + 1 : 1;
  const threshold = passed ? (probe.successThreshold ?? 1) : (probe.failureThreshold ?? 3);
  const verdict = length >= threshold ? (passed ? "success" : "failure") : state.verdict;
  return { verdict, run: { passed, length }, nextAt: now + (probe.periodSeconds ?? 10) * 1000 };
}
