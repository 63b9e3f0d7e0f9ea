/** The results of a reconcile: a small closed union, and the one switch that decides what follows from it. */
import { isApiError } from "@capstan/client";
import { RuntimeError, TerminalError, toMilliseconds } from "../errors.ts";
import type { Duration, RuntimeErrorCode } from "../errors.ts";
import { failureOf, messageOf, retryAfterOf } from "../failure.ts";
import type { QueueAction } from "../queue/queue.ts";
import { PlanStoppedError } from "../plan/plan-stopped.ts";
import { atUserLine } from "../report/call-site.ts";

/** The outcome of a reconcile. */
export type Outcome =
  | { readonly outcome: "done" }
  | { readonly outcome: "requeue"; readonly after: number; readonly reason: string; readonly prune: boolean }
  | { readonly outcome: "failed"; readonly error: unknown; readonly retry: boolean }
  /** Only in a plan: the reconcile ended before a side effect. */
  | { readonly outcome: "stopped"; readonly what: string };

/**
 * What a reconcile may return: nothing when it is done, or a requeue.
 *
 * @example
 * const waitFor = (pods: number): ReconcileResult => (pods === 0 ? requeue("5s") : undefined);
 */
export type ReconcileResult = Requeue | undefined | void;

/**
 * A request to reconcile the object again after a delay.
 *
 * @example
 * const nextStep: Requeue = requeue("1s", { reason: "one step at a time" });
 */
export interface Requeue {
  /** The delay in milliseconds. */
  readonly requeue: number;
  readonly reason: string;
  /** Whether children that this reconcile did not apply are deleted. */
  readonly prune: boolean;
}

/**
 * Options of a requeue besides its delay.
 *
 * @example
 * const options: RequeueOptions = { reason: "checks the provider", prune: true };
 * requeue("10m", options);
 */
export interface RequeueOptions {
  /** What the object waits for. It appears in the log and in `capstan explain`. */
  readonly reason?: string | undefined;
  /**
   * Whether this reconcile applied every desired child, so that the others are deleted. Default: false, because a reconcile that requeues
   * has usually stopped early.
   */
  readonly prune?: boolean | undefined;
}

/**
 * Reconciles this object again after a delay: `return requeue("5m", { reason: "waiting for the snapshot" })`. It is the only way to
 * request a later reconcile. Children that this reconcile did not apply stay, unless `prune` is true. A controller that must run
 * regularly uses a source: `every("5m")`.
 *
 * @example
 * controller(Memcached, { reads: [Pod] }, ({ find }) => {
 *   const pods = find(Pod);
 *   return pods.length === 0 ? requeue("30s", { reason: "waiting for pods" }) : undefined;
 * });
 */
export function requeue(after: Duration, { reason = "", prune = false }: RequeueOptions = {}): Requeue {
  return { requeue: toMilliseconds(after), reason, prune };
}

/** The outcome for a returned result. */
export function outcomeOfResult(result: unknown): Outcome {
  if (result === undefined) return { outcome: "done" };
  if (isRequeue(result)) {
    const { requeue: after, reason, prune } = result;
    return { outcome: "requeue", after, reason: String(reason ?? ""), prune: prune === true };
  }
  const error = new RuntimeError(
    "BadOutcome",
    `Cannot use what the reconcile returned (${describe(result)}): return nothing when done, or requeue("5m", { reason: "..." }).`,
  );
  return { outcome: "failed", error, retry: false };
}

/** The outcome for a thrown value. */
export function outcomeOfError(thrown: unknown): Outcome {
  const error = isReadable(thrown) ? thrown : new Error(messageOf(thrown));
  if (error instanceof PlanStoppedError) return { outcome: "stopped", what: error.what };
  return { outcome: "failed", error, retry: !isFinal(error) };
}

/** Runs a part of a reconcile; its errors become the outcome. */
export async function guarded(run: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await run();
  } catch (error) {
    return outcomeOfError(error);
  }
}

/** Whether the class of a thrown value can be read: a proxy may throw even on instanceof. */
function isReadable(thrown: unknown): boolean {
  try {
    void (thrown instanceof Error);
    return true;
  } catch {
    return false;
  }
}

/** Mistakes in the object or in the program: they last until one of them is changed. */
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
  return error instanceof RuntimeError ? finalCodes.has(error.code) : error instanceof TerminalError;
}

/** The consequences of an outcome for the queue, the metrics and the log. */
export interface Consequence {
  readonly queue: QueueAction;
  /** The value of controller-runtime's `result` label. */
  readonly result: "success" | "requeue_after" | "error";
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
  /** A Kubernetes event to record on the object. */
  readonly event: { readonly type: "Warning"; readonly reason: string; readonly note: string } | undefined;
}

/** The only place that maps an outcome to its consequences. */
export function consequenceOf(outcome: Outcome): Consequence {
  switch (outcome.outcome) {
    case "done":
      return { queue: { then: "forget" }, result: "success", level: "debug", message: "reconciled", event: undefined };
    case "requeue": {
      const queue = { then: "wait", delay: outcome.after } as const;
      const message = outcome.reason === "" ? "reconciled, requeued" : outcome.reason;
      return { queue, result: "requeue_after", level: "debug", message, event: undefined };
    }
    case "failed":
      return consequenceOfFailure(outcome.error, outcome.retry);
    case "stopped":
      return { queue: { then: "forget" }, result: "success", level: "debug", message: outcome.what, event: undefined };
  }
}

function consequenceOfFailure(error: unknown, retry: boolean): Consequence {
  const message = messageOf(error);
  // Users of the cluster see only the event and the condition: they name the line, too.
  const note = `${message}${atUserLine(error)}`;
  if (!retry) {
    const event = { type: "Warning", reason: "ReconcileRefused", note } as const;
    return { queue: { then: "forget" }, result: "error", level: "error", message, event };
  }
  if (error instanceof RuntimeError && (error.code === "Fenced" || error.code === "Stopping")) {
    // The object is not at fault: this replica has to leave it to another.
    const queue = { then: "retry", failure: "unavailable" } as const;
    return { queue, result: "error", level: "info", message, event: undefined };
  }
  const isLasting = error instanceof RuntimeError && (error.code === "HotLoop" || error.code === "NotAwaited");
  const failure = isLasting ? "rejected" : isTaken(error) ? "error" : failureOf(error);
  const queue: QueueAction = { then: "retry", failure, atLeast: retryAfterOf(error) };
  // Conflicts are normal: the next reconcile reads the newer object.
  if (failure === "conflict") return { queue, result: "error", level: "debug", message, event: undefined };
  const event = { type: "Warning", reason: "ReconcileFailed", note } as const;
  return { queue, result: "error", level: "error", message, event };
}

/** A name that is taken stays taken: unlike a conflict, it is not resolved by reading the newer object. */
function isTaken(error: unknown): boolean {
  return isApiError(error, "AlreadyExists");
}

/** A delay that is not a number would block the timers of all other objects. */
export function isRequeue(result: unknown): result is Pick<Requeue, "requeue"> & Partial<Requeue> {
  if (typeof result !== "object" || result === null || !("requeue" in result)) return false;
  const { requeue: after } = result;
  return typeof after === "number" && Number.isFinite(after) && after >= 0;
}

function describe(answer: unknown): string {
  return typeof answer === "object" && answer !== null
    ? `an object with ${Object.keys(answer).join(", ")}`
    : messageOf(answer);
}
