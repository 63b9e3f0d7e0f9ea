/** The context of an action. */
import type { ReconcileResult } from "@capstan/runtime";
import type { Action, ActionOf } from "../cluster/action.ts";
import type { ClusterContext, ClusterObservation, Setting } from "../observe/observe.ts";

/** What a handler gets: the reconcile, the observation, the decided action, the adapter. */
export type ActionContext<C extends AsyncDisposable, P, D extends Action["do"] = Action["do"]> = ClusterContext & {
  readonly seen: ClusterObservation<C, P>;
  readonly action: ActionOf<D>;
  readonly setting: Setting<C, P>;
};

export type Handler<C extends AsyncDisposable, P, D extends Action["do"]> = (
  context: ActionContext<C, P, D>,
) => Promise<ReconcileResult> | ReconcileResult;

/** Timestamps of a status: whole milliseconds would change too often. */
export function formatTime(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}
