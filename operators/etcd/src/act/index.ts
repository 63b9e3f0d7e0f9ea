/** Executes the action that was decided. */
import type { ReconcileResult } from "capstan";
import type { Action, RefusalReason } from "../contract.ts";
import { handlers } from "./handlers.ts";
import { measure } from "./metrics.ts";
import { toRejectedStep, clearRejectedStep } from "./rejected-step.ts";
import { applySharedObjects } from "./apply-shared-objects.ts";
import { report } from "./report.ts";
import type { Handler, ActionEnvironment, ActionContext } from "./reconcile-context.ts";

export type { ActionEnvironment, ActionContext } from "./reconcile-context.ts";

/** The handlers of the controller. Around each handler, the status is reported and the clients of the members are closed. */
export function actions(environment: ActionEnvironment): {
  readonly [D in Action["do"]]: (context: ActionContext<D>) => Promise<ReconcileResult>;
} {
  const entries = Object.entries(handlers).map(([name, handler]) => {
    // The controller picks a handler by the name of the action, so the types match.
    const own = handler as unknown as Handler<Action["do"]>;
    return [name, (context: ActionContext) => runAction(context, own, environment)];
  });
  return Object.fromEntries(entries) as {
    readonly [D in Action["do"]]: (context: ActionContext<D>) => Promise<ReconcileResult>;
  };
}

/** For these reasons the operator does not even apply Services and Secrets. */
const unmanagedReasons: ReadonlySet<RefusalReason> = new Set(["Paused", "NameTaken", "NameInvalid"]);

async function runAction(
  context: ActionContext,
  handler: Handler<Action["do"]>,
  environment: ActionEnvironment,
): Promise<ReconcileResult> {
  await using _reach = context.seen.clients;
  report(context);
  measure(context);
  const isHandsOff = context.action.do === "refuse" && unmanagedReasons.has(context.action.reason);
  try {
    const refused = isHandsOff ? undefined : await applySharedObjects(context);
    // A cluster is not bootstrapped without its shared objects. The members of a running cluster are managed all the same.
    if (refused !== undefined && context.seen.recordedState.clusterId === undefined) throw refused;
    const answer = await handler(context, environment);
    if (refused === undefined) clearRejectedStep(context);
    else if (context.action.do !== "refuse") toRejectedStep(context, refused);
    return answer;
  } catch (error) {
    const wait = toRejectedStep(context, error);
    if (wait === undefined) throw error;
    return wait;
  }
}
