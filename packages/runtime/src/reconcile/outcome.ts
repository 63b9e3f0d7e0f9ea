/** What a reconcile answers: a small closed value, and the one switch that says what follows from it. */
import { RuntimeError, Retry, Terminal, toMilliseconds } from "../errors.ts";
import type { RuntimeErrorCode, SaidDuration } from "../errors.ts";
import { failureOf, messageOf, retryAfterOf } from "../failure.ts";
import type { After } from "../queue/queue.ts";
import { Untaken } from "./untaken.ts";

/** How a turn went. */
export type Outcome =
  | { readonly outcome: "done" }
  | { readonly outcome: "again"; readonly after: number; readonly reason: string }
  | { readonly outcome: "failed"; readonly error: unknown; readonly retry: boolean }
  /** Only in a plan: it ended before something that a plan does not do. */
  | { readonly outcome: "untaken"; readonly what: string };

/** What a reconcile may return: nothing when it is done, or a wish to be called again. */
export type Answer = Again | undefined | void;

/** The wish to be called again after a time. */
export interface Again {
  readonly again: number;
  readonly reason: string;
}

/**
 * Not done yet, call this object again after a while: `return again("5m", "waiting for the snapshot")`. Children that the turn did not apply
 * stay, because it has not said all that it wants. Whoever is done and wants to look regularly has a source: `timer("look", "5m")`.
 */
export function again<const D extends string | number>(after: SaidDuration<D>, reason = ""): Again {
  return { again: toMilliseconds(after), reason };
}

/** An outcome out of what a reconcile returned. Anything else than an answer is a mistake worth a sentence. */
export function outcomeOfAnswer(answer: unknown): Outcome {
  if (answer === undefined) return { outcome: "done" };
  if (isAgain(answer)) return { outcome: "again", after: answer.again, reason: String(answer.reason ?? "") };
  const error = new RuntimeError(
    "BadOutcome",
    `Cannot use what the reconcile returned (${describe(answer)}): return nothing when done, or again("5m", "why").`,
  );
  return { outcome: "failed", error, retry: false };
}

/** An outcome out of what a reconcile threw. */
export function outcomeOfError(thrown: unknown): Outcome {
  const error = isReadable(thrown) ? thrown : new Error(messageOf(thrown));
  if (error instanceof Untaken) return { outcome: "untaken", what: error.what };
  return { outcome: "failed", error, retry: !isFinal(error) };
}

/** Whether one can ask what was thrown for its class: a proxy may throw even then. */
function isReadable(thrown: unknown): boolean {
  try {
    void (thrown instanceof Error);
    return true;
  } catch {
    return false;
  }
}

/** Mistakes in the object or in the program: they stay until somebody changes one or the other. */
const finalCodes: ReadonlySet<RuntimeErrorCode> = new Set<RuntimeErrorCode>([
  "InvalidObject",
  "NotDeclared",
  "BadOutcome",
  "ReadOnly",
  "StepsTooLarge",
  "StepUnnamed",
  "StepUsedTwice",
  "OtherName",
  "NotJson",
]);

function isFinal(error: unknown): boolean {
  return error instanceof RuntimeError ? finalCodes.has(error.code) : error instanceof Terminal;
}

/** What follows from an outcome: for the queue, for the metrics, for the log. */
export interface Consequence {
  readonly queue: After;
  /** The value of controller-runtime's `result` label. */
  readonly result: "success" | "requeue_after" | "error";
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
  /** A Kubernetes event to record on the object. */
  readonly event: { readonly type: "Warning"; readonly reason: string; readonly note: string } | undefined;
}

/** The one place where an outcome gets its consequences. */
export function consequenceOf(outcome: Outcome): Consequence {
  switch (outcome.outcome) {
    case "done":
      return { queue: { then: "forget" }, result: "success", level: "debug", message: "reconciled", event: undefined };
    case "again": {
      const queue = { then: "wait", delay: outcome.after } as const;
      const message = outcome.reason === "" ? "reconciled, once more later" : outcome.reason;
      return { queue, result: "requeue_after", level: "debug", message, event: undefined };
    }
    case "failed":
      return consequenceOfFailure(outcome.error, outcome.retry);
    case "untaken":
      return { queue: { then: "forget" }, result: "success", level: "debug", message: outcome.what, event: undefined };
  }
}

function consequenceOfFailure(error: unknown, retry: boolean): Consequence {
  const note = messageOf(error);
  if (!retry) {
    const event = { type: "Warning", reason: "ReconcileRefused", note } as const;
    return { queue: { then: "forget" }, result: "error", level: "error", message: note, event };
  }
  if (error instanceof Retry && error.after !== undefined) {
    // Whoever says when to come back has foreseen it: it is a wait, and no failure.
    const queue = { then: "wait", delay: error.after } as const;
    return { queue, result: "requeue_after", level: "info", message: note, event: undefined };
  }
  if (error instanceof RuntimeError && (error.code === "Fenced" || error.code === "Stopping")) {
    // Nothing is wrong with the object: this replica has to leave it to another.
    const queue = { then: "retry", failure: "unavailable" } as const;
    return { queue, result: "error", level: "info", message: note, event: undefined };
  }
  const isLasting = error instanceof RuntimeError && (error.code === "HotLoop" || error.code === "NotAwaited");
  const failure = isLasting ? "rejected" : failureOf(error);
  const queue: After = { then: "retry", failure, atLeast: retryAfterOf(error) };
  // Conflicts are everyday life: the next turn reads the newer object.
  if (failure === "conflict") return { queue, result: "error", level: "debug", message: note, event: undefined };
  const event = { type: "Warning", reason: "ReconcileFailed", note } as const;
  return { queue, result: "error", level: "error", message: note, event };
}

/** A time that is no time would hold up the timers of all other objects. */
function isAgain(answer: unknown): answer is Again {
  if (typeof answer !== "object" || answer === null || !("again" in answer)) return false;
  const { again: after } = answer;
  return typeof after === "number" && Number.isFinite(after) && after >= 0;
}

function describe(answer: unknown): string {
  return typeof answer === "object" && answer !== null
    ? `an object with ${Object.keys(answer).join(", ")}`
    : messageOf(answer);
}
