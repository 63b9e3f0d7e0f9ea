/**
 * Joins the stages of a controller in order.
 *
 * watch -> cache -> trigger -> queue -> reconcile -> apply
 */
import { keyText } from "./api.ts";
import { unlessAborted } from "./clock.ts";
import type { Controller, WatchDeclaration } from "./define.ts";
import { messageOf } from "./failure.ts";
import { Reporter } from "./report/reporter.ts";
import { Queue } from "./queue/queue.ts";
import type { ReconcileRequest } from "./queue/queue.ts";
import { Workers } from "./queue/workers.ts";
import { Background } from "./reconcile/background.ts";
import { reconcileEnvironment } from "./reconcile/environment.ts";
import type { ControllerEnvironment, ReconcileEnvironment } from "./reconcile/environment.ts";
import { consequenceOf } from "./reconcile/outcome.ts";
import { Namespace, namespacePauses } from "./reconcile/pause.ts";
import { runReconcile } from "./reconcile/run.ts";
import type { ReconcileEnd } from "./reconcile/run.ts";
import { outsideTrigger, requeueTrigger } from "./trigger/reconcile-trigger.ts";
import type { ReconcileTrigger } from "./trigger/reconcile-trigger.ts";
import { SelfInflictedEvents } from "./trigger/self-inflicted.ts";
import { handlersOf, mappedBy, Subscriptions } from "./trigger/subscriptions.ts";
import type { Enqueue } from "./trigger/event-handler.ts";
import { UserFailures } from "./trigger/user-failures.ts";
import type { UserFailure } from "./trigger/user-failures.ts";

/** A running controller. */
export class RunningController {
  readonly definition: Controller;
  readonly #environment: ReconcileEnvironment;
  readonly #userFailures: UserFailures;
  readonly #selfInflicted: SelfInflictedEvents;
  readonly #subscriptions: Subscriptions;
  readonly #queue: Queue<ReconcileTrigger>;
  readonly #workers: Workers<ReconcileTrigger>;
  readonly #reporter: Reporter;
  readonly #background: Background;
  readonly #stop = new AbortController();

  constructor(definition: Controller, environment: ControllerEnvironment) {
    this.definition = definition;
    const { clock, random, meter } = environment;
    this.#userFailures = new UserFailures({ ...environment, onFailure: (what) => meter.userFailed(what) });
    this.#environment = reconcileEnvironment(definition, environment);
    this.#reporter = new Reporter(environment);
    this.#selfInflicted = new SelfInflictedEvents(environment.caches);
    const { concurrency, rate, backoff: curves, fairnessKey } = definition.options;
    const wakeWorkers = (): void => this.#workers.wake();
    const tenantOf = fairnessKey && this.#userFailures.tenant(fairnessKey);
    this.#queue = new Queue({ clock, random, onReady: wakeWorkers, rate, curves, fairnessKey: tenantOf });
    const [userFailures, selfInflicted, enqueue] = [this.#userFailures, this.#selfInflicted, this.#enqueue];
    const events = { userFailures, selfInflicted, enqueue, onSynced: wakeWorkers };
    this.#subscriptions = new Subscriptions(this.#environment, events);
    this.#workers = new Workers({
      queue: this.#queue,
      clock,
      concurrency,
      caches: this.#subscriptions,
      run: (request) => this.#reconcile(request),
    });
    this.#background = new Background(this.#environment, { enqueue, keys: () => this.#keys() });
  }

  /** Starts to watch: keys gather in the queue, but no reconcile runs yet. A standby replica stays in this state. */
  warm(): void {
    for (const each of handlersOf(this.#environment, this.#userFailures)) this.#subscriptions.add(each);
    const pauses = namespacePauses((namespace) => this.#keys(namespace));
    if (this.#environment.pauseByNamespace) this.#subscriptions.add({ kind: Namespace, handlers: [pauses] });
  }

  /** Starts to reconcile. A plan starts nothing that reaches outside the cluster. */
  work(): void {
    if (!this.#environment.dryRun) this.#background.start(this.#stop.signal);
    this.#workers.start();
  }

  /** Lets objects of another kind trigger objects of this controller, until the returned function is called. */
  watch(declaration: WatchDeclaration): () => void {
    const { kind } = declaration;
    const end = this.#subscriptions.add({ kind, handlers: [mappedBy(declaration, this.#userFailures)] });
    let hasEnded = false;
    return () => {
      if (hasEnded) return;
      hasEnded = true;
      end();
      void this.#environment.caches.release(kind);
    };
  }

  /** Enqueues one object by hand. */
  request(key: string): void {
    this.#queue.add(key, { trigger: outsideTrigger("request", "by hand"), priority: 10 });
  }

  /** Enqueues the objects with these uids: their children are cached in another way than before. */
  requestOwners(uids: ReadonlySet<string>): void {
    if (uids.size === 0) return;
    for (const object of this.#environment.informer.find({})) {
      if (!uids.has(object.metadata.uid)) continue;
      this.#enqueue(keyText(object), { trigger: outsideTrigger("request", "other namespaces are watched") });
    }
  }

  /** Whether an object exists; undefined before the first list is complete. */
  has(key: string): boolean | undefined {
    const { informer } = this.#environment;
    return informer.isSyncedFor(key) ? informer.get(key) !== undefined : undefined;
  }

  /** The number of children with learnt spellings. */
  get learned(): number {
    return this.#environment.learned.size;
  }

  get counts(): Queue<ReconcileTrigger>["counts"] {
    return this.#queue.counts;
  }

  /** User functions that failed outside of reconciles and have not succeeded since. */
  get userFailures(): readonly UserFailure[] {
    return this.#userFailures.all;
  }

  /** Seconds that running reconciles have taken so far: their sum and the longest. */
  get running(): Workers<ReconcileTrigger>["running"] {
    return this.#workers.running;
  }

  /** The time at which the next key is due, on the clock. */
  get nextDue(): number | undefined {
    return this.#queue.nextDue;
  }

  /** Starts no new reconciles and waits for running ones, daemons and sources, until the signal is aborted. */
  async drain(signal: AbortSignal): Promise<void> {
    this.#end();
    const cut = (): void => this.#stop.abort(signal.reason);
    if (signal.aborted) cut();
    else signal.addEventListener("abort", cut, { once: true });
    const daemons = this.#background.stopDaemons();
    // Reconciles end with their signal, whether or not user code observes it; daemons and sources may not.
    await this.#workers.idle();
    await unlessAborted(daemons, signal);
    this.#stop.abort();
    this.#queue.close();
    await this.#background.sourcesEnded(signal);
  }

  /** Aborts every reconcile at once: this process must not write any more. */
  cut(reason: unknown): void {
    this.#end();
    void this.#background.stopDaemons();
    this.#stop.abort(reason);
    this.#queue.close();
  }

  #end(): void {
    this.#workers.stop();
    this.#subscriptions.end();
  }

  readonly #enqueue: Enqueue = (key, request) => {
    this.#reporter.enqueued();
    this.#queue.add(key, request);
  };

  *#keys(namespace?: string): Generator<string> {
    for (const object of this.#environment.informer.find({ namespace })) yield keyText(object);
  }

  async #reconcile(taken: ReconcileRequest<ReconcileTrigger>): Promise<() => void> {
    // Without an event, a requeue or retry was due.
    const request = taken.triggers.length > 0 ? taken : { ...taken, triggers: [requeueTrigger(taken.failures)] };
    const report = this.#reporter.begin(request);
    const namesCalls = this.#environment.namesCalls || request.failures > 0;
    const limits = { signal: this.#stop.signal, trace: report.trace, namesCalls };
    const end = await runReconcile(this.#environment, request, limits);
    return () => {
      try {
        this.#finish(request.key, end);
        report.end(end);
      } catch (error) {
        // Whatever fails at the end of a reconcile, its key is reconciled again.
        this.#queue.done(request.key, { then: "retry", failure: "error" });
        this.#environment.log.error(`could not end a reconcile: ${messageOf(error)}`, { object: request.key, error });
      }
    };
  }

  /** The outcome decides about the key; the reconcile's own writes do not trigger another reconcile. */
  #finish(key: string, { outcome, reconcile }: ReconcileEnd): void {
    const isSelfInflicted = this.#selfInflicted.expect(key, reconcile);
    const { queue } = consequenceOf(outcome);
    // A plan does not wait for external conditions of an object.
    const isEnough = this.#environment.dryRun && queue.then === "wait";
    this.#queue.done(key, isEnough ? { then: "forget" } : queue, isSelfInflicted);
  }
}
