/** Reconciles an object: prepares it, calls the user's function within limits, and maps everything that happens to one outcome. */
import type { StoredObject } from "@capstan/model";
import { RuntimeError, TerminalError } from "../errors.ts";
import { messageOf } from "../failure.ts";
import type { ReconcileRequest } from "../queue/queue.ts";
import { addCallSite } from "../report/call-site.ts";
import type { ReconcileTrigger } from "../trigger/reconcile-trigger.ts";
import type { ReconcileLimits } from "./call.ts";
import { cleanUpAndReport } from "./cleanup.ts";
import type { ReconcileEnvironment } from "./environment.ts";
import { hasFinalizer } from "./finalizer.ts";
import { callUser, finish, pruneAndForget } from "./finish.ts";
import { guarded, outcomeOfError } from "./outcome.ts";
import type { Outcome } from "./outcome.ts";
import { isPaused } from "./pause.ts";
import { namespaceOf, prepare, reportMisspeltPause, reportPause } from "./prepare.ts";
import { Reconcile } from "./reconcile.ts";

/** The end of a reconcile. */
export interface ReconcileEnd {
  readonly outcome: Outcome;
  /** Its reads and writes; undefined if there was nothing to do. */
  readonly reconcile: Reconcile | undefined;
  readonly state: "gone" | "paused" | "reconciled" | "cleaned up";
}

/** Runs one reconcile. Never throws. */
export async function runReconcile(
  environment: ReconcileEnvironment,
  request: ReconcileRequest<ReconcileTrigger>,
  limits: ReconcileLimits,
): Promise<ReconcileEnd> {
  try {
    return await run(environment, request, limits);
  } catch (error) {
    const outcome = limited(outcomeOfError(error), environment, request);
    return { outcome, reconcile: undefined, state: "reconciled" };
  }
}

async function run(
  environment: ReconcileEnvironment,
  request: ReconcileRequest<ReconcileTrigger>,
  limits: ReconcileLimits,
): Promise<ReconcileEnd> {
  const { informer, tracked, suspects } = environment;
  const object = informer.get(request.key);
  const suspicion = suspects.get(request.key);
  suspects.delete(request.key);
  if (object === undefined) {
    tracked.forget(request.key);
    return { outcome: { outcome: "done" }, reconcile: undefined, state: "gone" };
  }
  const reconcile = new Reconcile(environment, object, {
    request,
    limits: { ...limits, isSuspect: suspicion !== undefined },
  });
  if (isPaused(object, environment, namespaceOf(environment))) return await skip(reconcile);
  reportMisspeltPause(reconcile);
  const isCleanup = isToBeCleanedUp(environment, object);
  const outcome = await (isCleanup ? cleanUpAndReport(reconcile) : reconcileObject(reconcile));
  tracked.record(request.key, reconcile.reads);
  if (outcome.outcome === "failed") {
    if (outcome.error instanceof TypeError) suspects.set(request.key, outcome.error);
    // The first failure has the line of the write, the second one the name of the object.
    if (outcome.error instanceof RuntimeError && outcome.error.code === "ReadOnly")
      addCallSite(outcome.error, suspicion);
  }
  return { outcome: limited(outcome, environment, request), reconcile, state: isCleanup ? "cleaned up" : "reconciled" };
}

async function skip(reconcile: Reconcile): Promise<ReconcileEnd> {
  const outcome = await reportPause(reconcile);
  return { outcome, reconcile: outcome.outcome === "done" ? undefined : reconcile, state: "paused" };
}

async function reconcileObject(reconcile: Reconcile): Promise<Outcome> {
  const outcome = await guarded(async () => {
    await prepare(reconcile);
    const result = await callUser(reconcile);
    await pruneAndForget(reconcile, result);
    return result;
  });
  // The status depends on the side effect that a plan omitted.
  return outcome.outcome === "stopped" ? outcome : await finish(reconcile, outcome);
}

/**
 * Whether an object that is being deleted is cleaned up. With `reconcileDeleting` it is reconciled as usual as soon as all our own
 * finalizers are removed.
 */
function isToBeCleanedUp(environment: ReconcileEnvironment, object: StoredObject): boolean {
  if (object.metadata.deletionTimestamp === undefined) return false;
  const { definition, finalizers, childrenFinalizers, sharedFinalizers: shared } = environment;
  if (!definition.options.reconcileDeleting) return true;
  return hasFinalizer(object, ...finalizers, ...childrenFinalizers, ...shared.cleanup, shared.children);
}

/** An object that has failed too often is not retried. A lost lease or a stop is not a failure of the object. */
function limited(
  outcome: Outcome,
  { definition }: ReconcileEnvironment,
  { failures }: ReconcileRequest<ReconcileTrigger>,
): Outcome {
  const { maxAttempts } = definition.options;
  if (outcome.outcome !== "failed" || !outcome.retry || failures + 1 < maxAttempts) return outcome;
  const { error } = outcome;
  if (error instanceof RuntimeError && (error.code === "Fenced" || error.code === "Stopping")) return outcome;
  const message = `Gave up after ${maxAttempts} attempts, until something changes: ${messageOf(error)}`;
  return { outcome: "failed", error: new TerminalError(message, { cause: error }), retry: false };
}
