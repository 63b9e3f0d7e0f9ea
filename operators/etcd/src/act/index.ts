/** Taking the step that was decided. */
import type { ReconcileResult } from "capstan";
import type { Action, RefusalReason } from "../contract.ts";
import { HANDLERS } from "./handlers.ts";
import { measure } from "./metrics.ts";
import { obstacle, overcome } from "./obstacle.ts";
import { provide } from "./provide.ts";
import { report } from "./report.ts";
import type { Handler, Means, Turn } from "./turn.ts";

export type { Means, Turn } from "./turn.ts";

/** Handlers as the controller wants them: around each, the status is told and the ways to the members are closed. */
export function actions(means: Means): { readonly [D in Action["do"]]: (turn: Turn<D>) => Promise<ReconcileResult> } {
  const entries = Object.entries(HANDLERS).map(([name, handler]) => {
    // Each handler gets the action of its own name: the controller picks it by that name.
    const own = handler as unknown as Handler<Action["do"]>;
    return [name, (turn: Turn) => take(turn, own, means)];
  });
  return Object.fromEntries(entries) as { readonly [D in Action["do"]]: (turn: Turn<D>) => Promise<ReconcileResult> };
}

/** With these, not even Services and Secrets are kept. */
const HANDS_OFF: ReadonlySet<RefusalReason> = new Set(["Paused", "NameTaken", "NameInvalid"]);

async function take(turn: Turn, handler: Handler<Action["do"]>, means: Means): Promise<ReconcileResult> {
  await using _reach = turn.seen.reach;
  report(turn);
  measure(turn);
  const isHandsOff = turn.action.do === "refuse" && HANDS_OFF.has(turn.action.reason);
  try {
    const refused = isHandsOff ? undefined : await provide(turn);
    // Nobody begins without what belongs to it; whoever lives is looked after all the same.
    if (refused !== undefined && turn.seen.known.clusterId === undefined) throw refused;
    const answer = await handler(turn, means);
    if (refused === undefined) overcome(turn);
    else if (turn.action.do !== "refuse") obstacle(turn, refused);
    return answer;
  } catch (error) {
    const wait = obstacle(turn, error);
    if (wait === undefined) throw error;
    return wait;
  }
}
