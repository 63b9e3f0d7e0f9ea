/** Reconciles an object: reads it, calls the user's function within limits, and maps everything that happens to one outcome. */
import type { Json, StoredObject } from "@capstan/model";
import { keyText } from "../api.ts";
import type { AnyKind } from "../api.ts";
import { hasStatusChange, unknownFieldText, writeStatus } from "../apply/status.ts";
import { haveFarChildren } from "../apply/siblings.ts";
import type { View } from "../cache/caches.ts";
import { RuntimeError, TerminalError } from "../errors.ts";
import { messageOf } from "../failure.ts";
import type { SharedFinalizers } from "../manager/identity.ts";
import type { ReconcileRequest } from "../queue/queue.ts";
import { isResource } from "../resource.ts";
import type { ReconcileTrigger } from "../trigger/reconcile-trigger.ts";
import { valueAt } from "../trigger/predicate.ts";
import { rollUp } from "../apply/conditions.ts";
import type { AnyContext } from "./context.ts";
import type { Daemon } from "./daemons.ts";
import { addFinalizer, hasFinalizer, removeFinalizer, replaceFinalizers } from "./finalizer.ts";
import { outcomeOfResult, outcomeOfError } from "./outcome.ts";
import type { Outcome } from "./outcome.ts";
import { isPaused, misspeltPause, notePause, noteResume, pausedNote } from "./pause.ts";
import type { NamespaceOf, Pausable } from "./pause.ts";
import { findOurs, tellHolders } from "./shared-finalizers.ts";
import { noteStall } from "./stall.ts";
import type { TellingConditions } from "./stall.ts";
import { withTimeLimit } from "./time-limit.ts";
import { ReconcileWork } from "./work.ts";
import type { ReconcileLimits, ReconcileSetting } from "./work.ts";

/** The user's functions. */
export interface Handlers {
  readonly reconcile: (context: AnyContext) => unknown;
  /** Runs when the object is to be deleted; the object stays until it has succeeded. */
  readonly cleanup: ((context: AnyContext) => unknown) | undefined;
  /** Runs beside the reconciles of each object. */
  readonly daemon: Daemon | undefined;
  /** Handlers that run when a field differs from its last handled value. */
  readonly fieldHandlers: readonly FieldHandler[];
  /** Whether its kind declares conditions, so that a pause and a failure can be shown in them. */
  readonly hasConditions: boolean;
  /** The conditions that its kind declares; undefined if the kind has no declared conditions. */
  readonly conditions: readonly string[] | undefined;
  /** Which of the conditions that report a failure are declared. */
  readonly declares: TellingConditions;
  /** Why a stored object is invalid, if it is. */
  readonly problemOf: ((object: StoredObject) => string | undefined) | undefined;
}

/** A handler of one field. */
export interface FieldHandler {
  readonly path: readonly string[];
  readonly run: (context: never) => unknown;
}

export interface WorkerOptions extends ReconcileSetting {
  readonly handlers: Handlers;
  readonly view: View;
  /** The finalizer that holds an object until its cleanup has run, followed by its previous names. */
  readonly finalizers: readonly [string, ...string[]];
  /** Finalizers of versions in which they did not contain the operator name. */
  readonly sharedFinalizers: SharedFinalizers;
  /** In milliseconds. */
  readonly timeout: number;
  /** Whether children that a completed reconcile did not apply are deleted. */
  readonly prune: boolean;
  /** Whether objects are reconciled that are being deleted and have finalizers of other controllers. */
  readonly reconcileDeleting: boolean;
  /** The namespace of an object, if a pause of it counts. */
  readonly namespaceOf: NamespaceOf;
  /** The names by which a pause annotation can select the controller. */
  readonly pausable: Pausable;
  /** The number of consecutive failures after which an object is not retried. */
  readonly maxAttempts: number;
  /** The conditions from which `Ready` is set. */
  readonly readyWhen: readonly string[];
}

/** Field names may come from data: the number of logged and remembered ones is limited. */
const MOST_WARNED = 100;

/** The end of a reconcile. */
export interface ReconcileEnd {
  readonly outcome: Outcome;
  /** Its reads and writes; undefined if there was nothing to do. */
  readonly work: ReconcileWork | undefined;
  readonly state: "gone" | "paused" | "reconciled" | "cleaned up";
}

/** Runs reconciles for one controller. */
export class Worker {
  readonly #options: WorkerOptions;
  /** Keys with a TypeError in their last reconcile, as a write to a frozen object throws. */
  readonly #suspects = new Set<string>();
  readonly #warned = new Set<string>();

  constructor(options: WorkerOptions) {
    this.#options = options;
  }

  /** Runs one reconcile. Never throws. */
  async run(request: ReconcileRequest<ReconcileTrigger>, limits: ReconcileLimits): Promise<ReconcileEnd> {
    try {
      return await this.#run(request, limits);
    } catch (error) {
      return { outcome: this.#limited(outcomeOfError(error), request), work: undefined, state: "reconciled" };
    }
  }

  async #run(request: ReconcileRequest<ReconcileTrigger>, limits: ReconcileLimits): Promise<ReconcileEnd> {
    const { view, tracked, pausable, namespaceOf } = this.#options;
    const { signal } = limits;
    const object = view.get(request.key);
    const isSuspect = this.#suspects.size > 0 && this.#suspects.delete(request.key);
    if (object === undefined) {
      tracked.forget(request.key);
      return { outcome: { outcome: "done" }, work: undefined, state: "gone" };
    }
    const isSelfInflicted = this.#isSelfInflicted(request);
    const work = new ReconcileWork(this.#options, object, { ...limits, isSuspect, isSelfInflicted });
    if (isPaused(object, pausable, namespaceOf)) return await this.#rest(work);
    this.#tellMisspelt(object);
    const isToCleanUp = object.metadata.deletionTimestamp !== undefined && !this.#staysWhileLeaving(object);
    const outcome = await (isToCleanUp ? this.#leave(work, request, signal) : this.#reconcile(work, request, signal));
    tracked.record(request.key, work.reads);
    if (outcome.outcome === "failed" && outcome.error instanceof TypeError) this.#suspects.add(request.key);
    return { outcome: this.#limited(outcome, request), work, state: isToCleanUp ? "cleaned up" : "reconciled" };
  }

  /** An object that has failed too often is not retried. A lost lease or a stop is not a failure of the object. */
  #limited(outcome: Outcome, { failures }: ReconcileRequest<ReconcileTrigger>): Outcome {
    const { maxAttempts } = this.#options;
    if (outcome.outcome !== "failed" || !outcome.retry || failures + 1 < maxAttempts) return outcome;
    const { error } = outcome;
    if (error instanceof RuntimeError && (error.code === "Fenced" || error.code === "Stopping")) return outcome;
    const message = `Gave up after ${maxAttempts} attempts, until something changes: ${messageOf(error)}`;
    return { outcome: "failed", error: new TerminalError(message, { cause: error }), retry: false };
  }

  /** Skips a paused object, with a condition on the object and one event. */
  async #rest(work: ReconcileWork): Promise<ReconcileEnd> {
    const { controller, namespaceOf, handlers, kind, onEvent } = this.#options;
    onEvent(work.object, pausedNote(controller));
    const outcome = await this.#guard(async () => {
      if (handlers.hasConditions) {
        notePause(work.status, work.object, namespaceOf);
        await writeStatus(work.writer, { kind, object: work.object }, work.status);
      }
      return { outcome: "done" };
    });
    return { outcome, work: outcome.outcome === "done" ? undefined : work, state: "paused" };
  }

  /** For a kind that the operator does not define, an unknown name in the annotation is likely meant for another operator. */
  #tellMisspelt(object: StoredObject): void {
    const { kind, pausable, onEvent } = this.#options;
    const note = isResource(kind) ? misspeltPause(object, pausable) : undefined;
    if (note !== undefined) onEvent(object, note);
  }

  /** Whether an object that is being deleted is reconciled as usual: only after all our own finalizers are removed. */
  #staysWhileLeaving(object: StoredObject): boolean {
    const { reconcileDeleting, finalizers, childrenFinalizers, sharedFinalizers: shared } = this.#options;
    return (
      reconcileDeleting &&
      !hasFinalizer(object, ...finalizers, ...childrenFinalizers, ...shared.cleanup, shared.children)
    );
  }

  async #reconcile(
    work: ReconcileWork,
    request: ReconcileRequest<ReconcileTrigger>,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const { handlers, finalizers, kind, prune, owns } = this.#options;
    const outcome = await this.#guard(async () => {
      this.#mustBeValid(work.object);
      const isLeaving = work.object.metadata.deletionTimestamp !== undefined;
      if (!isLeaving) await this.#takeOver(work);
      if (handlers.cleanup !== undefined && !isLeaving)
        await addFinalizer(work.writer, kind, work.object, finalizers[0]);
      const result = await this.#call((context) => this.#handle(context, work), work, request, signal);
      // A reconcile that stopped early has not applied every desired child: only a completed one shows which are not desired.
      const isComplete = result.outcome === "done" || (result.outcome === "requeue" && result.prune);
      if (prune && isComplete) await work.children.prune(owns);
      if (prune && !isComplete) tellKept(work, owns);
      if (result.outcome === "done") await work.steps.forgetUnused();
      if (result.outcome === "requeue") await work.steps.forgetOldest();
      return result;
    });
    // The status depends on the side effect that a plan omitted.
    if (outcome.outcome === "untaken") return outcome;
    return await this.#guard(async () => {
      if (handlers.hasConditions) noteResume(work.status, work.object, this.#options.namespaceOf);
      rollUp(work.status, this.#options.readyWhen);
      this.#tellStall(work, request, outcome);
      await this.#mustNotFight(request, work);
      return await this.#writeStatus(work, outcome, signal);
    });
  }

  /** Moves finalizers and annotations of previous names to the current ones, so that the previous names can be dropped some day. */
  async #takeOver(work: ReconcileWork): Promise<void> {
    const { handlers, kind, finalizers, childrenFinalizers } = this.#options;
    const [present, ...former] = finalizers;
    const [children, ...formerChildren] = childrenFinalizers;
    if (work.writer.isDry) return;
    await replaceFinalizers(work.writer, kind, work.object, (name) => {
      if (formerChildren.includes(name)) return children;
      if (!former.includes(name)) return name;
      return handlers.cleanup === undefined ? undefined : present;
    });
    await work.steps.takeOver();
  }

  /** Field handlers run first: the reconcile may rely on them. */
  async #handle(context: AnyContext, work: ReconcileWork): Promise<unknown> {
    const { reconcile, fieldHandlers } = this.#options.handlers;
    for (const { path, run } of fieldHandlers) {
      const value = (valueAt(work.object, path) ?? null) as Json;
      const result = await work.steps.changed(`changed ${path.join(".")}`, value, ({ from, to }) =>
        run({ ...context, from: from ?? undefined, to: to ?? undefined } as never),
      );
      // The change is not handled yet: the handler runs again first, with the same `from`.
      if (result !== undefined) return result;
    }
    return await reconcile(context);
  }

  /** Whether the operator's own writes to children, and nothing else, led to this reconcile. */
  #isSelfInflicted({ triggers }: ReconcileRequest<ReconcileTrigger>): boolean {
    const { writer } = this.#options;
    return (
      triggers.length > 0 && triggers.every(({ relation, manager }) => relation === "owned" && writer.isOurs(manager))
    );
  }

  /** Another manager writes our status: its repairs are counted like those of children. */
  async #mustNotFight({ triggers, key }: ReconcileRequest<ReconcileTrigger>, work: ReconcileWork): Promise<void> {
    const { breaker, kind } = this.#options;
    if (!triggers.every(({ relation }) => relation === "status")) return;
    if (!hasStatusChange({ kind, object: work.object }, work.status)) return;
    await breaker.check({ kind, key, field: "status", desired: withoutTimes(work.status), isSelfInflicted: false });
  }

  /** The status is written once, at the end, also when the reconcile failed: users read it then. */
  async #writeStatus(work: ReconcileWork, outcome: Outcome, signal: AbortSignal): Promise<Outcome> {
    if (signal.aborted) return outcome;
    const { kind } = this.#options;
    const written = await this.#guard(async () => {
      const unknown = await writeStatus(work.writer, { kind, object: work.object }, work.status);
      for (const field of unknown) this.#warn(work, unknownFieldText(kind, field));
      return outcome;
    });
    return outcome.outcome === "failed" ? outcome : written;
  }

  /** A mistake in the program that does not fail the reconcile: shown in every explanation, and logged once. */
  #warn({ object, warnings }: ReconcileWork, warning: string): void {
    const { log, controller } = this.#options;
    warnings.push(warning);
    if (this.#warned.has(warning) || this.#warned.size >= MOST_WARNED) return;
    this.#warned.add(warning);
    log.warn(warning, { controller, object: keyText(object) });
  }

  #tellStall(work: ReconcileWork, { failures }: ReconcileRequest<ReconcileTrigger>, outcome: Outcome): void {
    const { controller, handlers, isAlone } = this.#options;
    if (!handlers.hasConditions) return;
    noteStall(work.status, { controller, declares: handlers.declares, outcome, failures, isAlone });
  }

  /** An object that cannot be deleted shows why. */
  async #leave(
    work: ReconcileWork,
    request: ReconcileRequest<ReconcileTrigger>,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const outcome = await this.#guard(() => this.#cleanUp(work, request, signal));
    if (outcome.outcome !== "failed") return outcome;
    return await this.#guard(async () => {
      this.#tellStall(work, request, outcome);
      return await this.#writeStatus(work, outcome, signal);
    });
  }

  async #cleanUp(
    work: ReconcileWork,
    request: ReconcileRequest<ReconcileTrigger>,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const { handlers, kind } = this.#options;
    const shared = await findOurs(this.#options, work);
    const finalizers = [...this.#options.finalizers, ...shared.cleanup];
    if (handlers.cleanup !== undefined && hasFinalizer(work.object, ...finalizers)) {
      // A cleanup has effects outside the cluster: a plan does not run it.
      work.beforeTaken(() => "run the cleanup");
      const result = await this.#call(handlers.cleanup, work, request, signal);
      if (result.outcome !== "done") return await this.#writeStatus(work, result, signal);
    }
    // Also without a cleanup function: an earlier version of the operator had one, and no other controller removes its finalizer.
    await removeFinalizer(work.writer, kind, work.object, ...finalizers);
    const outcome = await this.#letGo(work, shared.children);
    if (outcome.outcome === "done") tellHolders(this.#options, work.object);
    return outcome;
  }

  /** Deletes children that the garbage collector would leave behind, and then removes the finalizer for them. */
  async #letGo(work: ReconcileWork, shared: readonly string[]): Promise<Outcome> {
    const { childrenFinalizers, kind, owns, siblings, caches } = this.#options;
    if (!hasFinalizer(work.object, ...childrenFinalizers, ...shared)) return { outcome: "done" };
    const left = await work.children.removeUnreferenced(owns);
    if (left > 0) return waitFor(`waiting for ${left} children to go`);
    await removeFinalizer(work.writer, kind, work.object, ...childrenFinalizers);
    // The last of the controllers removes a finalizer that an earlier version set for all of them.
    if (shared.length > 0 && haveFarChildren(siblings, work.object.metadata.uid, caches))
      return waitFor("waiting for children of other controllers to go");
    await removeFinalizer(work.writer, kind, work.object, ...shared);
    return { outcome: "done" };
  }

  async #call(
    handler: (context: AnyContext) => unknown,
    work: ReconcileWork,
    request: ReconcileRequest<ReconcileTrigger>,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const { clock, timeout, controller } = this.#options;
    const limits = { clock, limit: timeout, signal, what: `the reconcile of ${controller} ${request.key}` };
    const result = await withTimeLimit(limits, (inner) => work.call(handler, request, inner));
    return outcomeOfResult(result);
  }

  /** Errors of a reconcile never leave it. */
  async #guard(run: () => Promise<Outcome>): Promise<Outcome> {
    try {
      return await run();
    } catch (error) {
      return outcomeOfError(error);
    }
  }

  #mustBeValid(object: StoredObject): void {
    const { handlers, kind } = this.#options;
    const problem = handlers.problemOf?.(object);
    if (problem === undefined) return;
    const { namespace, name } = object.metadata;
    const what = `${kind.kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
    throw new RuntimeError("InvalidObject", `Cannot work on ${what}: ${problem}. Correct the object.`, {
      object: what,
    });
  }
}

/** The text of a status without the times of transitions, which are new with every repair. */
function withoutTimes(status: object): string {
  return JSON.stringify(status, (name, value: unknown) => (name === "lastTransitionTime" ? undefined : value));
}

function waitFor(reason: string): Outcome {
  return { outcome: "requeue", after: 1_000, reason, prune: false };
}

/** The explanation says why a child was kept. With observe/decide/act, each act is known to be partial. */
function tellKept({ children, decisions }: ReconcileWork, owns: readonly AnyKind[]): void {
  if (decisions.length > 0) return;
  const [first, ...others] = children.unapplied(owns);
  if (first === undefined) return;
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  const what = `${first.kind.kind} ${keyText(first.child)}${more}`;
  decisions.push(`keep ${what}, which this reconcile did not apply: it returned requeue(...) without \`prune: true\``);
}
