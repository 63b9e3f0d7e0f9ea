/** Gives an object its turn: reads it, calls the user's function within limits, and turns whatever happens into one outcome. */
import type { Json, StoredObject } from "@capstan/model";
import { keyText } from "../api.ts";
import type { AnyKind } from "../api.ts";
import { hasStatusChange, unknownFieldText, writeStatus } from "../apply/status.ts";
import { haveFarChildren } from "../apply/siblings.ts";
import type { View } from "../cache/caches.ts";
import { RuntimeError, Terminal } from "../errors.ts";
import { messageOf } from "../failure.ts";
import type { SharedFinalizers } from "../manager/identity.ts";
import type { Turn } from "../queue/queue.ts";
import { isResource } from "../resource.ts";
import type { Cause } from "../trigger/cause.ts";
import { valueAt } from "../trigger/predicate.ts";
import { rollUp } from "../apply/conditions.ts";
import type { AnyContext } from "./context.ts";
import type { Daemon } from "./daemons.ts";
import { addFinalizer, hasFinalizer, removeFinalizer, replaceFinalizers } from "./finalizer.ts";
import { outcomeOfAnswer, outcomeOfError } from "./outcome.ts";
import type { Outcome } from "./outcome.ts";
import { isPaused, misspeltPause, notePause, noteResume, pausedNote } from "./pause.ts";
import type { NamespaceOf, Pausable } from "./pause.ts";
import { findOurs, tellHolders } from "./shared-finalizers.ts";
import { noteStall } from "./stall.ts";
import type { TellingConditions } from "./stall.ts";
import { withTimeLimit } from "./time-limit.ts";
import { TurnWork } from "./turn.ts";
import type { TurnLimits, TurnSetting } from "./turn.ts";

/** The user's part. */
export interface Handlers {
  readonly reconcile: (context: AnyContext) => unknown;
  /** Runs when the object is to be deleted; until it has succeeded, the object stays. */
  readonly cleanup: ((context: AnyContext) => unknown) | undefined;
  /** Runs beside the turns of each object. */
  readonly daemon: Daemon | undefined;
  /** What runs when a field is not what it was when it was last handled. */
  readonly fieldHandlers: readonly FieldHandler[];
  /** Whether its kind declares conditions, among which a pause and a failure can be told. */
  readonly hasConditions: boolean;
  /** The conditions that its kind declares; undefined where kinds do not declare any in this way. */
  readonly conditions: readonly string[] | undefined;
  /** Which of those that tell a failure are among them. */
  readonly declares: TellingConditions;
  /** Why a stored object cannot be used, if it cannot. */
  readonly problemOf: ((object: StoredObject) => string | undefined) | undefined;
}

/** A handler of one field. */
export interface FieldHandler {
  readonly path: readonly string[];
  readonly run: (context: never) => unknown;
}

/** What a worker is made with. */
export interface WorkerOptions extends TurnSetting {
  readonly handlers: Handlers;
  readonly view: View;
  /** The finalizer that holds an object until its cleanup has run, then those that did under earlier names. */
  readonly finalizers: readonly [string, ...string[]];
  /** Those of versions that did not name the operator in them. */
  readonly sharedFinalizers: SharedFinalizers;
  /** In milliseconds. */
  readonly timeout: number;
  /** Whether children that a complete turn did not apply are deleted. */
  readonly prune: boolean;
  /** Whether objects that others hold while they are being deleted are reconciled. */
  readonly whileLeaving: boolean;
  /** The namespace of an object, where a pause of it counts. */
  readonly namespaceOf: NamespaceOf;
  /** How a pause may name it. */
  readonly pausable: Pausable;
  /** How often a failing object is tried in a row. */
  readonly attempts: number;
  /** The conditions from which `Ready` follows. */
  readonly readyWhen: readonly string[];
}

/** Names of fields may be made from data: no more of them are logged and remembered. */
const MOST_WARNED = 100;

/** How a turn ended. */
export interface TurnEnd {
  readonly outcome: Outcome;
  /** What was looked at and written; undefined when there was nothing to do. */
  readonly work: TurnWork | undefined;
  readonly state: "gone" | "paused" | "reconciled" | "cleaned up";
}

/** Runs turns for one controller. */
export class Worker {
  readonly #options: WorkerOptions;
  /** Keys whose last turn threw a TypeError, as one does that changes what is frozen. */
  readonly #suspects = new Set<string>();
  readonly #warned = new Set<string>();

  constructor(options: WorkerOptions) {
    this.#options = options;
  }

  /** Runs one turn. Never throws. */
  async run(turn: Turn<Cause>, limits: TurnLimits): Promise<TurnEnd> {
    try {
      return await this.#run(turn, limits);
    } catch (error) {
      return { outcome: this.#limited(outcomeOfError(error), turn), work: undefined, state: "reconciled" };
    }
  }

  async #run(turn: Turn<Cause>, limits: TurnLimits): Promise<TurnEnd> {
    const { view, tracked, pausable, namespaceOf } = this.#options;
    const { signal } = limits;
    const object = view.get(turn.key);
    const isSuspect = this.#suspects.size > 0 && this.#suspects.delete(turn.key);
    if (object === undefined) {
      tracked.forget(turn.key);
      return { outcome: { outcome: "done" }, work: undefined, state: "gone" };
    }
    const work = new TurnWork(this.#options, object, { ...limits, isSuspect });
    if (isPaused(object, pausable, namespaceOf)) return await this.#rest(work);
    this.#tellMisspelt(object);
    const isToCleanUp = object.metadata.deletionTimestamp !== undefined && !this.#staysWhileLeaving(object);
    const outcome = await (isToCleanUp ? this.#leave(work, turn, signal) : this.#reconcile(work, turn, signal));
    tracked.record(turn.key, work.reads);
    if (outcome.outcome === "failed" && outcome.error instanceof TypeError) this.#suspects.add(turn.key);
    return { outcome: this.#limited(outcome, turn), work, state: isToCleanUp ? "cleaned up" : "reconciled" };
  }

  /** An object that has failed too often rests. That another replica works, or this one stops, is no failure of the object. */
  #limited(outcome: Outcome, { failures }: Turn<Cause>): Outcome {
    const { attempts } = this.#options;
    if (outcome.outcome !== "failed" || !outcome.retry || failures + 1 < attempts) return outcome;
    const { error } = outcome;
    if (error instanceof RuntimeError && (error.code === "Fenced" || error.code === "Stopping")) return outcome;
    const message = `Gave up after ${attempts} attempts, until something changes: ${messageOf(error)}`;
    return { outcome: "failed", error: new Terminal(message, { cause: error }), retry: false };
  }

  /** Leaves a paused object alone, but says so: on the object, and once in an event. */
  async #rest(work: TurnWork): Promise<TurnEnd> {
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

  /** Of a kind that others define, an annotation that names nobody here is likely meant for them. */
  #tellMisspelt(object: StoredObject): void {
    const { kind, pausable, onEvent } = this.#options;
    const note = isResource(kind) ? misspeltPause(object, pausable) : undefined;
    if (note !== undefined) onEvent(object, note);
  }

  /** Whether an object that is leaving gets its ordinary turn: only when none of our own finalizers hold it any more. */
  #staysWhileLeaving(object: StoredObject): boolean {
    const { whileLeaving, finalizers, childrenFinalizers, sharedFinalizers: shared } = this.#options;
    return (
      whileLeaving && !hasFinalizer(object, ...finalizers, ...childrenFinalizers, ...shared.cleanup, shared.children)
    );
  }

  async #reconcile(work: TurnWork, turn: Turn<Cause>, signal: AbortSignal): Promise<Outcome> {
    const { handlers, finalizers, kind, prune, owns } = this.#options;
    const outcome = await this.#guard(async () => {
      this.#mustBeValid(work.object);
      const isLeaving = work.object.metadata.deletionTimestamp !== undefined;
      if (!isLeaving) await this.#takeOver(work);
      if (handlers.cleanup !== undefined && !isLeaving)
        await addFinalizer(work.writer, kind, work.object, finalizers[0]);
      const answered = await this.#call((context) => this.#handle(context, work), work, turn, signal);
      // A turn that is not done has not said everything that it wants: only a complete one tells what is no longer wanted.
      if (answered.outcome !== "done") {
        if (prune) tellKept(work, owns);
        if (answered.outcome === "again") await work.steps.forgetOldest();
        return answered;
      }
      if (prune) await work.children.prune(owns);
      await work.steps.forgetUnused();
      return answered;
    });
    // What the status would be depends on what was not done.
    if (outcome.outcome === "untaken") return outcome;
    return await this.#guard(async () => {
      if (handlers.hasConditions) noteResume(work.status, work.object, this.#options.namespaceOf);
      rollUp(work.status, this.#options.readyWhen);
      this.#tellStall(work, turn, outcome);
      await this.#mustNotFight(turn, work);
      return await this.#writeStatus(work, outcome, signal);
    });
  }

  /** What an object carries under earlier names is moved to the present ones, so that those need not be known for ever. */
  async #takeOver(work: TurnWork): Promise<void> {
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

  /** What handles single fields comes first: the reconcile may rely on it. */
  async #handle(context: AnyContext, work: TurnWork): Promise<unknown> {
    const { reconcile, fieldHandlers } = this.#options.handlers;
    for (const { path, run } of fieldHandlers) {
      const value = (valueAt(work.object, path) ?? null) as Json;
      await work.steps.changed(`changed ${path.join(".")}`, value, async ({ from, to }) => {
        await run({ ...context, from: from ?? undefined, to: to ?? undefined } as never);
      });
    }
    return await reconcile(context);
  }

  /** Somebody else writes our status: repairs of it are counted as those of children are. */
  async #mustNotFight({ causes, key }: Turn<Cause>, work: TurnWork): Promise<void> {
    const { breaker, kind } = this.#options;
    if (!causes.every(({ relation }) => relation === "status")) return;
    if (!hasStatusChange({ kind, object: work.object }, work.status)) return;
    await breaker.check({ kind, key, field: "status" });
  }

  /** The status is written once, at the end, also when the turn failed: that is when people look at it. */
  async #writeStatus(work: TurnWork, outcome: Outcome, signal: AbortSignal): Promise<Outcome> {
    if (signal.aborted) return outcome;
    const { kind } = this.#options;
    const written = await this.#guard(async () => {
      const unknown = await writeStatus(work.writer, { kind, object: work.object }, work.status);
      for (const field of unknown) this.#warn(work, unknownFieldText(kind, field));
      return outcome;
    });
    return outcome.outcome === "failed" ? outcome : written;
  }

  /** What is wrong with the program, though the turn need not fail for it: told in every explanation, and once in the log. */
  #warn({ object, warnings }: TurnWork, warning: string): void {
    const { log, controller } = this.#options;
    warnings.push(warning);
    if (this.#warned.has(warning) || this.#warned.size >= MOST_WARNED) return;
    this.#warned.add(warning);
    log.warn(warning, { controller, object: keyText(object) });
  }

  #tellStall(work: TurnWork, { failures }: Turn<Cause>, outcome: Outcome): void {
    const { controller, handlers, isAlone } = this.#options;
    if (!handlers.hasConditions) return;
    noteStall(work.status, { controller, declares: handlers.declares, outcome, failures, isAlone });
  }

  /** An object that cannot go shows why. */
  async #leave(work: TurnWork, turn: Turn<Cause>, signal: AbortSignal): Promise<Outcome> {
    const outcome = await this.#guard(() => this.#cleanUp(work, turn, signal));
    if (outcome.outcome !== "failed") return outcome;
    return await this.#guard(async () => {
      this.#tellStall(work, turn, outcome);
      return await this.#writeStatus(work, outcome, signal);
    });
  }

  async #cleanUp(work: TurnWork, turn: Turn<Cause>, signal: AbortSignal): Promise<Outcome> {
    const { handlers, kind } = this.#options;
    const shared = await findOurs(this.#options, work);
    const finalizers = [...this.#options.finalizers, ...shared.cleanup];
    if (handlers.cleanup !== undefined && hasFinalizer(work.object, ...finalizers)) {
      // A cleanup is there for what is outside of the cluster: nothing of it is for a plan to do.
      work.beforeTaken(() => "run the cleanup");
      const answered = await this.#call(handlers.cleanup, work, turn, signal);
      if (answered.outcome !== "done") return await this.#writeStatus(work, answered, signal);
    }
    // Also when there is no cleanup any more: an earlier version of the operator had one, and nobody else removes its mark.
    await removeFinalizer(work.writer, kind, work.object, ...finalizers);
    const outcome = await this.#letGo(work, shared.children);
    if (outcome.outcome === "done") tellHolders(this.#options, work.object);
    return outcome;
  }

  /** Removes children that the garbage collector would leave, and then what holds the object for them. */
  async #letGo(work: TurnWork, shared: readonly string[]): Promise<Outcome> {
    const { childrenFinalizers, kind, owns, siblings, caches } = this.#options;
    if (!hasFinalizer(work.object, ...childrenFinalizers, ...shared)) return { outcome: "done" };
    const left = await work.children.removeUnreferenced(owns);
    if (left > 0) return { outcome: "again", after: 1_000, reason: `waiting for ${left} children to go` };
    await removeFinalizer(work.writer, kind, work.object, ...childrenFinalizers);
    // What an earlier version set for all controllers together, the last of them takes away.
    if (shared.length > 0 && haveFarChildren(siblings, work.object.metadata.uid, caches))
      return { outcome: "again", after: 1_000, reason: "waiting for children of other controllers to go" };
    await removeFinalizer(work.writer, kind, work.object, ...shared);
    return { outcome: "done" };
  }

  async #call(
    handler: (context: AnyContext) => unknown,
    work: TurnWork,
    turn: Turn<Cause>,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const { clock, timeout, controller } = this.#options;
    const limits = { clock, limit: timeout, signal, what: `the reconcile of ${controller} ${turn.key}` };
    const answer = await withTimeLimit(limits, (inner) => work.call(handler, turn, inner));
    return outcomeOfAnswer(answer);
  }

  /** Nothing that is thrown in a turn leaves the turn. */
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

/** Whoever wonders why a child is still there finds it in the explanation. Where single acts are decided on, they are known to be parts. */
function tellKept({ children, decisions }: TurnWork, owns: readonly AnyKind[]): void {
  if (decisions.length > 0) return;
  const [first, ...others] = children.unapplied(owns);
  if (first === undefined) return;
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  const what = `${first.kind.kind} ${keyText(first.child)}${more}`;
  decisions.push(
    `keep ${what}, which this turn did not apply: it answered again(...), so it is not done, and prunes nothing`,
  );
}
