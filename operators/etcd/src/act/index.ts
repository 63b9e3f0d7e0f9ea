/** Taking the step that was decided. */
import type { ReconcileResult } from "capstan";
import type { Action, RefusalReason } from "../contract.ts";
import { handlers } from "./handlers.ts";
import { measure } from "./metrics.ts";
import { toRejectedStep, clearRejectedStep } from "./rejected-step.ts";
import { applySharedObjects } from "./apply-shared-objects.ts";
import { report } from "./report.ts";
import type { Handler, ActionEnvironment, ActionContext } from "./reconcile-context.ts";

export type { ActionEnvironment, ActionContext } from "./reconcile-context.ts";

/** Handlers as the controller wants them: around each, the status is told and the ways to the members are closed. */
export function actions(environment: ActionEnvironment): {
  readonly [D in Action["do"]]: (context: ActionContext<D>) => Promise<ReconcileResult>;
} {
  const entries = Object.entries(handlers).map(([name, handler]) => {
    // Each handler gets the action of its own name: the controller picks it by that name.
    const own = handler as unknown as Handler<Action["do"]>;
    return [name, (context: ActionContext) => runAction(context, own, environment)];
  });
  return Object.fromEntries(entries) as {
    readonly [D in Action["do"]]: (context: ActionContext<D>) => Promise<ReconcileResult>;
  };
}

/** With these, not even Services and Secrets are kept. */
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
    // Nobody begins without what belongs to it; whoever lives is looked after all the same.
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
