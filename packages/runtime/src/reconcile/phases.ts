/** Observe, decide, act: the form of a reconcile for software that can lose data. The decision is a pure function, so it can be tested, explained and explored. */
import type { Kind } from "@capstan/model";
import { RuntimeError } from "../errors.ts";
import { plainJson } from "../report/plain-json.ts";
import type { AnyContext, Context, ReadContext } from "./context.ts";
import { noteDecision } from "./decisions.ts";
import type { ReconcileResult } from "./outcome.ts";

/**
 * The three phases. `act` has one handler for each action of the union: a missing one does not compile.
 *
 * @example
 * type Action = { readonly do: "grow"; readonly to: number } | { readonly do: "wait" };
 * const phases: Phases<typeof Memcached, typeof ConfigMap, never, { readonly size: number }, Action> = {
 *   observe: ({ object }) => ({ size: object.spec.size }),
 *   decide: ({ size }) => (size > 1 ? { do: "grow", to: size } : { do: "wait" }),
 *   act: {
 *     grow: async ({ action, apply }) => void (await apply(ConfigMap, "size", { data: { size: String(action.to) } })),
 *     wait: () => requeue("10s"),
 *   },
 * };
 * controller(Memcached, { owns: [ConfigMap] }, phases);
 */
export interface Phases<K extends Kind, O extends Kind, R extends Kind, Seen, Action extends { readonly do: string }> {
  /** Reads the state of the world; writes nothing. */
  readonly observe: (context: ReadContext<K, O, R>) => Promise<Seen> | Seen;
  /** Decides on one step. Pure. */
  readonly decide: (seen: Seen) => Action;
  /** Performs the step. */
  readonly act: {
    readonly [D in Action["do"]]: (
      context: Context<K, O, R> & { readonly seen: Seen; readonly action: Extract<Action, { readonly do: D }> },
    ) => Promise<ReconcileResult> | ReconcileResult;
  };
}

/** Phases without their types. */
export interface AnyPhases {
  readonly observe: (context: never) => unknown;
  readonly decide: (seen: never) => { readonly do: string };
  readonly act: { readonly [name: string]: (context: never) => unknown };
}

/** Combines the three functions into a reconcile function. */
export function toReconcile({ observe, decide, act }: AnyPhases): (context: AnyContext) => Promise<unknown> {
  return async (context) => {
    const seen: unknown = await observe(context as never);
    const action = decide(seen as never);
    noteDecision(context, plainJson(action));
    context.log.debug("decided", { action });
    const handler = act[action.do];
    if (handler === undefined) {
      throw new RuntimeError(
        "BadOutcome",
        `Cannot act: there is no handler for the decision "${action.do}". Add it to \`act\`.`,
      );
    }
    return await handler({ ...context, seen, action } as never);
  };
}
