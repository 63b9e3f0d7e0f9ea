/**
 * Joins the stages of a controller in order and does nothing else.
 *
 * watch -> cache -> trigger -> queue -> reconcile -> apply
 */
import type { StoredObject } from "@capstan/model";
import { keyText, kindId } from "./api.ts";
import type { AnyKind, Api } from "./api.ts";
import { Breaker } from "./apply/breaker.ts";
import type { Learned } from "./apply/children.ts";
import type { Sibling } from "./apply/siblings.ts";
import type { Strays } from "./apply/strays.ts";
import { childId, Writer } from "./apply/writer.ts";
import type { Fence, Write } from "./apply/writer.ts";
import type { Caches, View } from "./cache/caches.ts";
import type { Change } from "./cache/reflector.ts";
import { guarded } from "./cache/transform.ts";
import { unlessAborted } from "./clock.ts";
import type { Random } from "./clock.ts";
import type { Controller, WatchDeclaration } from "./define.ts";
import type { Identity } from "./manager/identity.ts";
import type { MetricOf } from "./manager/metric.ts";
import { messageOf } from "./failure.ts";
import { Reporter } from "./manager/reporter.ts";
import type { ReporterOptions } from "./manager/reporter.ts";
import { Held } from "./queue/held.ts";
import { Queue } from "./queue/queue.ts";
import type { ReconcileRequest, Request } from "./queue/queue.ts";
import { Daemons } from "./reconcile/daemons.ts";
import { consequenceOf } from "./reconcile/outcome.ts";
import { Namespace, namespacePauses } from "./reconcile/pause.ts";
import { Worker } from "./reconcile/worker.ts";
import type { ReconcileEnd } from "./reconcile/worker.ts";
import { outsideTrigger } from "./trigger/reconcile-trigger.ts";
import type { ReconcileTrigger } from "./trigger/reconcile-trigger.ts";
import { Echoes, mayBeOfOthers } from "./trigger/echoes.ts";
import type { OwnWrite } from "./trigger/echoes.ts";
import { runSource } from "./trigger/source.ts";
import { Reads } from "./trigger/tracked.ts";
import { mapped, owned, self } from "./trigger/trigger.ts";
import type { EventHandler, Wake } from "./trigger/trigger.ts";
import { Troubles } from "./trigger/troubles.ts";
import type { Trouble } from "./trigger/troubles.ts";

/** The number of consecutive reconciles after which the event loop gets time for other work. */
const BREATH = 500;

/** The dependencies and settings of a running controller. */
export interface ControllerSetting extends Identity, Omit<ReporterOptions, "controller"> {
  readonly api: Api;
  readonly caches: Caches;
  readonly random: Random;
  readonly fence: Fence;
  readonly dryRun: boolean;
  readonly metric: MetricOf;
  readonly strays: Strays;
  /** Whether the annotation of a namespace pauses the objects in it. */
  readonly pauseByNamespace: boolean;
  /** Whether no other controller of the operator reconciles the kind. */
  readonly isAlone: boolean;
  /** The other controllers of the operator that reconcile the kind. */
  readonly siblings: readonly Sibling[];
  /** Whether errors of every reconcile name the user's calling line; otherwise only reconciles after a failure do. */
  readonly namesCalls: boolean;
  readonly onWrite?: ((write: Write) => void) | undefined;
}

/** A running controller. */
export class RunningController {
  readonly definition: Controller;
  readonly #setting: ControllerSetting;
  readonly #queue: Queue<ReconcileTrigger>;
  readonly #worker: Worker;
  readonly #view: View;
  /** The views that reconciles may read. */
  readonly #views: View[] = [];
  readonly #tracked = new Reads();
  readonly #stop = new AbortController();
  readonly #ends: (() => void)[] = [];
  readonly #sources: Promise<void>[] = [];
  /** The server's spelling of values of children; entries of deleted objects are dropped. */
  readonly #learned: Learned = new Map();
  readonly #echoes = new Echoes();
  readonly #reporter: Reporter;
  readonly #troubles: Troubles;
  #daemons: Daemons | undefined;
  #idle = Promise.withResolvers<void>();
  readonly #held: Held<ReconcileTrigger>;
  /** Keys of running reconciles, with their start time. */
  readonly #started = new Map<string, number>();
  #state: "warm" | "working" | "draining" = "warm";
  /** Reconciles since the queue was last empty, or since the last pause. */
  #reconcilesInARow = 0;
  #isResting = false;

  constructor(definition: Controller, setting: ControllerSetting) {
    this.definition = definition;
    this.#setting = setting;
    const { clock, random, caches, log, meter } = setting;
    const { fairnessKey } = definition.options;
    const onTrouble = (what: string): void => meter.userFailed(what);
    this.#troubles = new Troubles({ controller: definition.name, log, onTrouble });
    this.#queue = new Queue<ReconcileTrigger>({
      clock,
      random,
      onReady: () => this.#pump(),
      rate: definition.options.rate,
      curves: definition.options.backoff,
      ...(fairnessKey === undefined ? {} : { fairnessKey: this.#troubles.tenant(fairnessKey) }),
    });
    this.#held = new Held(this.#queue);
    this.#view = caches.of(definition.kind);
    this.#worker = this.#makeWorker();
    this.#reporter = new Reporter({ ...setting, controller: definition.name });
  }

  /** Starts to watch: keys gather in the queue, but no reconcile runs yet. A standby replica stays in this state. */
  warm(): void {
    const { kind, owns, reads, options } = this.definition;
    const triggers = new Map<string, { readonly kind: AnyKind; readonly triggers: EventHandler[] }>();
    const add = (of: AnyKind, trigger: EventHandler): void => {
      const known = triggers.get(kindId(of));
      if (known === undefined) triggers.set(kindId(of), { kind: of, triggers: [trigger] });
      else known.triggers.push(trigger);
    };
    add(kind, self(kind, this.#troubles.predicate("predicate", kind, options.predicate)));
    for (const child of owns) add(child, owned(child, kind, { onlyControllerOwner: options.onlyControllerOwner }));
    for (const other of new Map([...owns, ...reads].map((each) => [kindId(each), each])).values()) {
      add(other, this.#tracked.trigger(other));
    }
    if (this.#setting.pauseByNamespace)
      add(
        Namespace,
        namespacePauses((namespace) => this.#keys(namespace)),
      );
    for (const declaration of options.watches) add(declaration.kind, this.#mapped(declaration));
    for (const { kind: of, triggers: all } of triggers.values()) this.#listen(of, all);
  }

  /** Starts to reconcile. */
  work(): void {
    this.#state = "working";
    if (!this.#setting.dryRun) this.#startBeside();
    this.#pump();
  }

  /** Starts what runs beside the reconciles and reaches outside the cluster (daemons, sources). A plan starts none of it. */
  #startBeside(): void {
    const { clock, log } = this.#setting;
    for (const source of this.definition.options.sources) {
      const running = runSource(source, {
        clock,
        signal: this.#stop.signal,
        wake: (key, request) => this.#wake(key, request),
        keys: () => this.#keys(),
        onError: (error) => log.error(`source "${source.name}" failed; it is opened again`, { error }),
      });
      this.#sources.push(running);
    }
    this.#startDaemons();
  }

  /** Lets objects of another kind trigger objects of this controller, until the returned function is called. */
  watch(declaration: WatchDeclaration): () => void {
    const { kind } = declaration;
    const end = this.#listen(kind, [this.#mapped(declaration)]);
    let hasEnded = false;
    return () => {
      if (hasEnded) return;
      hasEnded = true;
      end();
      void this.#setting.caches.release(kind);
    };
  }

  /** Enqueues one object by hand. */
  request(key: string): void {
    this.#queue.add(key, { trigger: outsideTrigger("request", "by hand"), priority: 10 });
  }

  /** Enqueues the objects with these uids: their children are cached in another way than before. */
  requestOwners(uids: ReadonlySet<string>): void {
    if (uids.size === 0) return;
    for (const object of this.#view.find({})) {
      if (!uids.has(object.metadata.uid)) continue;
      this.#wake(keyText(object), { trigger: outsideTrigger("request", "other namespaces are watched") });
    }
  }

  /** Whether an object exists; undefined before the first list is complete. */
  has(key: string): boolean | undefined {
    return this.#view.isSyncedFor(key) ? this.#view.get(key) !== undefined : undefined;
  }

  get #isUsable(): boolean {
    for (const view of this.#views) if (!view.isUsable) return false;
    return true;
  }

  /** Whether every view is complete for the namespace of a key. */
  #isKnownAround(key: string): boolean {
    for (const view of this.#views) if (!view.isSyncedFor(key)) return false;
    return true;
  }

  /** The number of children with learnt spellings. */
  get learned(): number {
    return this.#learned.size;
  }

  get counts(): Queue<ReconcileTrigger>["counts"] {
    return this.#queue.counts;
  }

  /** User functions that failed outside of reconciles and have not succeeded since. */
  get troubles(): readonly Trouble[] {
    return this.#troubles.all;
  }

  /** Seconds that running reconciles have taken so far: their sum and the longest. */
  get running(): { readonly sum: number; readonly longest: number } {
    const now = this.#setting.clock.now();
    let sum = 0;
    let longest = 0;
    for (const started of this.#started.values()) {
      sum += now - started;
      longest = Math.max(longest, now - started);
    }
    return { sum: sum / 1000, longest: longest / 1000 };
  }

  /** The time at which the next key is due, on the clock. */
  get nextDue(): number | undefined {
    return this.#queue.nextDue;
  }

  /** Starts no new reconciles and waits for running ones, daemons and sources, until the signal is aborted. */
  async drain(signal: AbortSignal): Promise<void> {
    this.#state = "draining";
    for (const end of this.#ends.splice(0)) end();
    const cut = (): void => this.#stop.abort(signal.reason);
    if (signal.aborted) cut();
    else signal.addEventListener("abort", cut, { once: true });
    const daemons = this.#daemons?.stop();
    // Reconciles end with their signal, whether or not user code observes it; daemons and sources may not.
    if (this.#started.size > 0) await this.#idle.promise;
    await unlessAborted(daemons, signal);
    this.#stop.abort();
    this.#queue.close();
    await unlessAborted(Promise.all(this.#sources), signal);
  }

  /** Aborts every reconcile at once: this process must not write any more. */
  cut(reason: unknown): void {
    this.#state = "draining";
    for (const end of this.#ends.splice(0)) end();
    void this.#daemons?.stop();
    this.#stop.abort(reason);
    this.#queue.close();
  }

  #makeWorker(): Worker {
    const { definition } = this;
    const { api, caches, clock, log, manager, metric, strays, onEvent } = this.#setting;
    const { handlers, kind, owns, reads, options, name } = definition;
    return new Worker({
      controller: name,
      kind,
      owns,
      reads,
      caches,
      clock,
      metric,
      strays,
      onEvent,
      handlers,
      conditions: handlers.conditions,
      view: this.#view,
      tracked: this.#tracked,
      writer: new Writer(this.#setting),
      breaker: new Breaker({ clock, api, manager, budget: options.hotLoopLimit }),
      learned: this.#learned,
      log: log.with({ controller: name }),
      finalizers: this.#setting.finalizers,
      childrenFinalizers: this.#setting.childrenFinalizers,
      timeout: options.timeout,
      prune: options.prune,
      reconcileDeleting: options.reconcileDeleting,
      maxAttempts: options.maxAttempts,
      namespaceOf: (object) => this.#namespaceOf(object),
      pausable: { ...this.#setting, controller: name },
      readyWhen: options.readyWhen,
      sharedFinalizers: this.#setting.sharedFinalizers,
      isAlone: this.#setting.isAlone,
      siblings: this.#setting.siblings,
    });
  }

  #mapped({ kind, map, predicate }: WatchDeclaration): EventHandler {
    return mapped(
      kind,
      this.#troubles.map(kind, map),
      this.#troubles.predicate(`predicate of ${kind.kind}`, kind, predicate),
    );
  }

  #listen(kind: AnyKind, triggers: readonly EventHandler[]): () => void {
    const view = this.#setting.caches.of(kind);
    if (!this.#views.includes(view)) this.#views.push(view);
    view.onSynced(() => this.#pump());
    const end = view.subscribe((change) => {
      if (change.type === "removed") this.#learned.delete(childId(kind, change.key));
      const echoOf = this.#echoes.writerOf(childId(kind, change.key), change);
      const wake = (key: string, request: Request<ReconcileTrigger>): void => {
        if (key !== echoOf || request.trigger?.relation === "self") this.#wake(key, request);
      };
      for (const trigger of triggers) this.#pull(trigger, kind, change, wake);
    });
    this.#ends.push(end);
    return () => {
      end();
      const at = this.#views.indexOf(view);
      if (!view.isUsed && at >= 0) this.#views.splice(at, 1);
    };
  }

  /** A failing trigger does not keep the event from the others, and the watch continues. */
  #pull(trigger: EventHandler, kind: AnyKind, change: Change, wake: Wake): void {
    try {
      trigger(change, wake);
    } catch (error) {
      const object = `${kind.kind} ${change.key}`;
      this.#troubles.note("trigger", { object, version: change.metadata.resourceVersion }, error);
    }
  }

  #startDaemons(): void {
    const { clock, log } = this.#setting;
    const { handlers, name } = this.definition;
    if (handlers.daemon === undefined) return;
    const wake = (key: string, why: string): void => this.#wake(key, { trigger: outsideTrigger("source", why) });
    const get = (key: string) => this.#view.get(key);
    const daemons = new Daemons({ run: handlers.daemon, clock, log: log.with({ controller: name }), get, wake });
    this.#daemons = daemons;
    this.#ends.push(this.#view.subscribe((change) => daemons.see(change)));
  }

  #wake(key: string, request: Request<ReconcileTrigger>): void {
    this.#reporter.woken();
    this.#queue.add(key, request);
  }

  #namespaceOf({ metadata }: StoredObject): StoredObject | undefined {
    const { caches, pauseByNamespace } = this.#setting;
    if (!pauseByNamespace || metadata.namespace === undefined) return undefined;
    return caches.of(Namespace).get(metadata.namespace);
  }

  *#keys(namespace?: string): Generator<string> {
    for (const object of this.#view.find({ namespace })) {
      yield keyText(object);
    }
  }

  /** Starts reconciles as long as workers are free, and only while everything that a reconcile may read is complete. */
  #pump(): void {
    const { concurrency } = this.definition.options;
    if (this.#state !== "working" || !this.#isUsable) return;
    if (!this.#held.release((key) => this.#isKnownAround(key))) return;
    while (this.#state === "working" && this.#started.size < concurrency && !this.#isResting) {
      const request = this.#queue.take();
      if (request === undefined) {
        this.#reconcilesInARow = 0;
        return;
      }
      if (!this.#isKnownAround(request.key)) {
        this.#held.hold(request);
        continue;
      }
      if (++this.#reconcilesInARow >= BREATH) this.#rest();
      void this.#give(request);
    }
  }

  /** Reconciles without waits would block the event loop: yield so that lease renewals, probes and signals run. */
  #rest(): void {
    this.#isResting = true;
    this.#setting.clock.later(0, () => {
      this.#isResting = false;
      this.#reconcilesInARow = 0;
      this.#pump();
    });
  }

  async #give(taken: ReconcileRequest<ReconcileTrigger>): Promise<void> {
    const request = taken.triggers.length > 0 ? taken : { ...taken, triggers: [dueTrigger(taken)] };
    this.#started.set(request.key, this.#setting.clock.now());
    const report = this.#reporter.begin(request);
    const namesCalls = this.#setting.namesCalls || request.failures > 0;
    const end = await this.#worker.run(request, { signal: this.#stop.signal, trace: report.trace, namesCalls });
    this.#started.delete(request.key);
    try {
      this.#finish(request, end);
      report.end(end);
    } catch (error) {
      this.#free(request, error);
    }
    if (this.#started.size === 0) {
      this.#idle.resolve();
      this.#idle = Promise.withResolvers<void>();
    }
    this.#pump();
  }

  /** Whatever fails at the end of a reconcile, its key is reconciled again. */
  #free({ key }: ReconcileRequest<ReconcileTrigger>, error: unknown): void {
    const { log } = this.#setting;
    this.#queue.done(key, { then: "retry", failure: "error" });
    log.error(`could not end a reconcile: ${messageOf(error)}`, {
      controller: this.definition.name,
      object: key,
      error,
    });
  }

  /** The outcome decides about the key; the reconcile's own writes do not trigger another reconcile. */
  #finish(request: ReconcileRequest<ReconcileTrigger>, end: ReconcileEnd): void {
    const isEcho = this.#echoes.expect(request.key, this.#ownWrites(end));
    const { queue } = consequenceOf(end.outcome);
    // A plan does not wait for external conditions of an object.
    const isEnough = this.#setting.dryRun && queue.then === "wait";
    this.#queue.done(request.key, isEnough ? { then: "forget" } : queue, isEcho);
  }

  #ownWrites({ work }: ReconcileEnd): readonly OwnWrite[] {
    const writes: OwnWrite[] = [];
    for (const { verb, kind, key, before, after } of work?.writes ?? []) {
      if (after === undefined) continue;
      const isOurs = (manager: string): boolean => work?.writer.isOurs(manager) === true;
      const view = this.#setting.caches.peek(kind);
      if (verb === "apply" && before !== undefined && mayBeOfOthers({ before, after: shownIn(view, after) }, isOurs))
        continue;
      const told = view?.versionOf(key);
      writes.push({ target: childId(kind, key), key, version: after.metadata.resourceVersion, told });
    }
    return writes;
  }
}

/** An object as a cache would show it, after its transform. */
function shownIn(view: View | undefined, object: StoredObject): StoredObject {
  const { transform } = view?.settings ?? {};
  return transform === undefined ? object : guarded(transform, undefined)(structuredClone(object));
}

/** No event occurred for the object: a requeue or retry was due. */
function dueTrigger({ failures }: ReconcileRequest<ReconcileTrigger>): ReconcileTrigger {
  return outsideTrigger("requeue", failures > 0 ? `retry ${failures}` : "as asked for");
}
