/** The cleanup of an object that is being deleted: the user's function, then children, then our finalizers. */
import { haveFarChildren } from "../apply/siblings.ts";
import { hasFinalizer, removeFinalizer } from "./finalizer.ts";
import { callWithin, reportStall, writeStatusAtEnd } from "./finish.ts";
import { guarded } from "./outcome.ts";
import type { Outcome } from "./outcome.ts";
import { CLEANUP_WAITING, noteCleanupWait } from "./stall.ts";
import type { Reconcile } from "./reconcile.ts";
import { findOurs, reportHolders } from "./shared-finalizers.ts";

/** Cleans an object up. An object that cannot be deleted shows why. */
export async function cleanUpAndReport(reconcile: Reconcile): Promise<Outcome> {
  const outcome = await guarded(() => cleanUp(reconcile));
  if (outcome.outcome !== "failed") return outcome;
  return await guarded(async () => {
    reportStall(reconcile, outcome);
    return await writeStatusAtEnd(reconcile, outcome);
  });
}

async function cleanUp(reconcile: Reconcile): Promise<Outcome> {
  const { environment, writer, call } = reconcile;
  const { handlers, kind } = environment.definition;
  const shared = await findOurs(environment, reconcile);
  const finalizers = [...environment.finalizers, ...shared.cleanup];
  if (handlers.cleanup !== undefined && hasFinalizer(reconcile.object, ...finalizers)) {
    // A cleanup has effects outside the cluster: a plan does not run it.
    call.beforeSideEffect(() => "run the cleanup");
    const result = await callWithin(reconcile, handlers.cleanup);
    if (result.outcome === "requeue") reportWait(reconcile, result.reason);
    if (result.outcome !== "done") return await writeStatusAtEnd(reconcile, result);
  }
  // Also without a cleanup function: an earlier version of the operator had one, and no other controller removes its finalizer.
  await removeFinalizer(writer, kind, reconcile.object, ...finalizers);
  const outcome = await releaseChildren(reconcile, shared.children);
  if (outcome.outcome === "done") reportHolders(environment, reconcile.object);
  return outcome;
}

/** An object that waits for its cleanup says so: `kubectl delete` waits for it, too. */
function reportWait({ environment, object, status }: Reconcile, reason: string): void {
  const { controller, definition, isAlone, onEvent } = environment;
  const note = reason === "" ? "the cleanup is not done yet" : reason;
  onEvent(object, { type: "Normal", reason: CLEANUP_WAITING, note });
  const { hasConditions, declares } = definition.handlers;
  if (hasConditions) noteCleanupWait(status, { controller, declares, isAlone, note });
}

/** Deletes children that the garbage collector would leave behind, and then removes the finalizer for them. */
async function releaseChildren(reconcile: Reconcile, shared: readonly string[]): Promise<Outcome> {
  const { environment, children, writer } = reconcile;
  const { childrenFinalizers, siblings, caches, definition } = environment;
  const { kind, owns } = definition;
  if (!hasFinalizer(reconcile.object, ...childrenFinalizers, ...shared)) return { outcome: "done" };
  const left = await children.removeUnreferenced(owns);
  if (left > 0) return waitFor(`waiting for ${left} children to go`);
  await removeFinalizer(writer, kind, reconcile.object, ...childrenFinalizers);
  // The last of the controllers removes a finalizer that an earlier version set for all of them.
  if (shared.length > 0 && haveFarChildren(siblings, reconcile.object.metadata.uid, caches))
    return waitFor("waiting for children of other controllers to go");
  await removeFinalizer(writer, kind, reconcile.object, ...shared);
  return { outcome: "done" };
}

function waitFor(reason: string): Outcome {
  return { outcome: "requeue", after: 1_000, reason, prune: false };
}
