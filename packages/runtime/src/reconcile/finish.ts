/** The call of the user's function, and the end of a reconcile: pruning, conditions, the status. */
import type { Json } from "@capstan/model";
import { keyText } from "../api.ts";
import { rollUp } from "../apply/conditions.ts";
import { echoCauseOf } from "../apply/echoes.ts";
import { hasStatusChange, unknownFieldText, writeStatus } from "../apply/status.ts";
import { valueAt } from "../trigger/predicate.ts";
import type { AnyContext } from "./context.ts";
import { guarded, outcomeOfResult } from "./outcome.ts";
import type { Outcome } from "./outcome.ts";
import { noteResume } from "./pause.ts";
import { namespaceOf } from "./prepare.ts";
import type { Reconcile } from "./reconcile.ts";
import { noteStall } from "./stall.ts";
import { withTimeLimit } from "./time-limit.ts";
import { contextOf } from "./user-context.ts";

/** Field names may come from data: the number of logged and remembered ones is limited. */
const maxWarnings = 100;

/** Calls a function of the user within the timeout. */
export async function callWithin(reconcile: Reconcile, handler: (context: AnyContext) => unknown): Promise<Outcome> {
  const { environment, limits, request, call } = reconcile;
  const { clock, controller, definition } = environment;
  const { signal } = limits;
  const what = `the reconcile of ${controller} ${request.key}`;
  const result = await withTimeLimit({ clock, limit: definition.options.timeout, signal, what }, (inner) =>
    call.run(() => handler(contextOf(reconcile, inner)), inner),
  );
  return outcomeOfResult(result);
}

/** Calls the field handlers, then the reconcile function, which may rely on them. */
export function callUser(reconcile: Reconcile): Promise<Outcome> {
  const { steps, environment } = reconcile;
  const { reconcile: handler, fieldHandlers } = environment.definition.handlers;
  return callWithin(reconcile, async (context) => {
    for (const { path, run } of fieldHandlers) {
      const value = (valueAt(reconcile.object, path) ?? null) as Json;
      const result = await steps.changed(`changed ${path.join(".")}`, value, ({ from, to }) =>
        run({ ...context, from: from ?? undefined, to: to ?? undefined } as never),
      );
      // The change is not handled yet: the handler runs again first, with the same `from`.
      if (result !== undefined) return result;
    }
    return await handler(context);
  });
}

/** A reconcile that stopped early has not applied every desired child: only a completed one shows which are not desired. */
export async function pruneAndForget(reconcile: Reconcile, result: Outcome): Promise<void> {
  const { children, steps, environment } = reconcile;
  const { owns, options } = environment.definition;
  const isComplete = result.outcome === "done" || (result.outcome === "requeue" && result.prune);
  if (options.prune && isComplete) await children.prune(owns);
  if (options.prune && !isComplete) explainKept(reconcile);
  if (result.outcome === "done") await steps.forgetUnused();
  if (result.outcome === "requeue") await steps.forgetOldest();
}

/** The explanation says why a child was kept. With observe/decide/act, each act is known to be partial. */
function explainKept({ children, decisions, environment }: Reconcile): void {
  if (decisions.length > 0) return;
  const [first, ...others] = children.unapplied(environment.definition.owns);
  if (first === undefined) return;
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  const what = `${first.kind.kind} ${keyText(first.child)}${more}`;
  decisions.push(`keep ${what}, which this reconcile did not apply: it returned requeue(...) without \`prune: true\``);
}

/** Sets the conditions of the runtime and writes the status. */
export async function finish(reconcile: Reconcile, outcome: Outcome): Promise<Outcome> {
  const { environment, status, object } = reconcile;
  const { handlers, options } = environment.definition;
  return await guarded(async () => {
    if (handlers.hasConditions) noteResume(status, object, namespaceOf(environment));
    rollUp(status, options.readyWhen);
    reportStall(reconcile, outcome);
    await checkStatusLoop(reconcile);
    return await writeStatusAtEnd(reconcile, outcome);
  });
}

/** Another manager writes our status: its repairs are counted like those of children. A change of statuses may be the echo of our own. */
async function checkStatusLoop({ environment, request, object, status }: Reconcile): Promise<void> {
  const { breaker, echoes, definition } = environment;
  const { kind } = definition;
  const { key, triggers } = request;
  if (!hasStatusChange({ kind, object }, status)) return;
  echoes.check(kind, key, echoCauseOf(triggers));
  if (!triggers.every(({ relation }) => relation === "status")) return;
  await breaker.check({ kind, key, field: "status", desired: withoutTimes(status), isSelfInflicted: false });
}

/** The text of a status without the times of transitions, which are new with every repair. */
function withoutTimes(status: object): string {
  return JSON.stringify(status, (name, value: unknown) => (name === "lastTransitionTime" ? undefined : value));
}

/** Sets `Stalled` after repeated failures. */
export function reportStall({ environment, status, request }: Reconcile, outcome: Outcome): void {
  const { controller, definition, isAlone } = environment;
  const { hasConditions, declares } = definition.handlers;
  if (!hasConditions) return;
  noteStall(status, { controller, declares, outcome, failures: request.failures, isAlone });
}

/** The status is written once, at the end, also when the reconcile failed: users read it then. */
export async function writeStatusAtEnd(reconcile: Reconcile, outcome: Outcome): Promise<Outcome> {
  const { environment, limits, writer, status } = reconcile;
  if (limits.signal.aborted) return outcome;
  const { kind } = environment.definition;
  const written = await guarded(async () => {
    const unknown = await writeStatus(writer, { kind, object: reconcile.object }, status);
    for (const field of unknown) warn(reconcile, unknownFieldText(kind, field));
    return outcome;
  });
  return outcome.outcome === "failed" ? outcome : written;
}

/** A mistake in the program that does not fail the reconcile: shown in every explanation, and logged once. */
function warn({ environment, object, warnings }: Reconcile, warning: string): void {
  const { log, controller, warned } = environment;
  warnings.push(warning);
  if (warned.has(warning) || warned.size >= maxWarnings) return;
  warned.add(warning);
  log.warn(warning, { controller, object: keyText(object) });
}
