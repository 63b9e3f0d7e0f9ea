/** Runs the decided action: shared objects first, then the handler; the status is reported and connections are closed around it. */
import type { ReconcileResult } from "@capstan/runtime";
import type { BackupKind } from "../backup/resource.ts";
import type { Action } from "../cluster/action.ts";
import type { ClusterContext, ClusterObservation, Setting } from "../observe/observe.ts";
import type { ActionContext, Handler } from "./context.ts";
import { measureCluster } from "../monitoring/metrics.ts";
import { handlers } from "./handlers.ts";
import { report } from "./report.ts";
import { applySchedule, applySharedObjects } from "./services.ts";

/** What the controller hands to each handler. */
type Given<C extends AsyncDisposable, P, D extends Action["do"]> = ClusterContext & {
  readonly seen: ClusterObservation<C, P>;
  readonly action: Extract<Action, { readonly do: D }>;
};

/** The handlers by action, for the controller. */
export type Acts<C extends AsyncDisposable, P> = {
  readonly [D in Action["do"]]: (context: Given<C, P, D>) => Promise<ReconcileResult>;
};

export function runAction<C extends AsyncDisposable, P>(
  setting: Setting<C, P>,
  backupKind: BackupKind | undefined,
): Acts<C, P> {
  const entries = Object.entries(handlers<C, P>()).map(([name, handler]) => {
    // The controller picks the handler by the name of the action, so the types match.
    const own = handler as unknown as Handler<C, P, Action["do"]>;
    return [name, (given: Given<C, P, Action["do"]>) => run({ ...given, setting }, own, backupKind)] as const;
  });
  return Object.fromEntries(entries) as unknown as Acts<C, P>;
}

async function run<C extends AsyncDisposable, P>(
  context: ActionContext<C, P>,
  handler: Handler<C, P, Action["do"]>,
  backupKind: BackupKind | undefined,
): Promise<ReconcileResult> {
  await using _clients = context.seen.clients;
  report(context);
  measureCluster(context);
  const { action } = context;
  const isHandsOff = action.do === "refuse" && (action.reason === "Paused" || action.reason === "NameTaken");
  if (!isHandsOff) await applySharedObjects(context);
  if (!isHandsOff && backupKind !== undefined) await applySchedule(context, backupKind);
  return await handler(context);
}
