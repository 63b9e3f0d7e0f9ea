/**
 * The table of contents of a controller: joins the stages in order and does nothing else.
 *
 * watch -> cache -> trigger -> queue -> reconcile -> apply
 */
import type { StoredObject } from "@capstan/model";
import { isLater, kindId } from "./api.ts";
import type { AnyKind, Api } from "./api.ts";
import { Breaker } from "./apply/breaker.ts";
import { childId, Writer } from "./apply/writer.ts";
import type { Fence, Write } from "./apply/writer.ts";
import type { Caches, View } from "./cache/caches.ts";
import type { Change } from "./cache/reflector.ts";
import type { Clock, Random } from "./clock.ts";
import type { Controller } from "./define.ts";
import type { Log } from "./log.ts";
import type { ControllerMeter } from "./manager/meter.ts";
import type { Span, Tracer } from "./manager/tracer.ts";
import type { History } from "./manager/explain.ts";
import { Queue } from "./queue/queue.ts";
import type { Turn, Wish } from "./queue/queue.ts";
import { consequenceOf } from "./reconcile/outcome.ts";
import { Worker } from "./reconcile/worker.ts";
import type { TurnEnd } from "./reconcile/worker.ts";
import { changedFields, outsideCause } from "./trigger/cause.ts";
import type { Cause } from "./trigger/cause.ts";
import { runSource } from "./trigger/source.ts";
import { Reads } from "./trigger/tracked.ts";
import { mapped, owned, self } from "./trigger/trigger.ts";
import type { Trigger } from "./trigger/trigger.ts";

/** What a controller runs with. */
export interface ControllerSetting {
  readonly api: Api;
  readonly caches: Caches;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly fence: Fence;
  readonly manager: string;
  readonly dryRun: boolean;
  readonly meter: ControllerMeter;
  readonly tracer?: Tracer | undefined;
  readonly history: History;
  readonly onEvent: (object: StoredObject, event: { type: "Normal" | "Warning"; reason: string; note: string }) => void;
  readonly onWrite?: ((write: Write) => void) | undefined;
}

/** A controller that runs. */
export class RunningController {
  readonly definition: Controller;
  readonly #setting: ControllerSetting;
  readonly #queue: Queue<Cause>;
  readonly #worker: Worker;
  readonly #view: View;
  /** Everything that turns may read. */
  readonly #views: View[] = [];
  readonly #tracked = new Reads();
  readonly #stop = new AbortController();
  readonly #ends: (() => void)[] = [];
  readonly #sources: Promise<void>[] = [];
  /** Versions that this controller wrote and the watch has not told yet, with the key on whose behalf they were written. */
  readonly #echoes = new Map<string, { readonly version: string; readonly writer: string }>();
  #idle = Promise.withResolvers<void>();
  /** Keys whose turn runs, with the time it began. */
  readonly #started = new Map<string, number>();
  #state: "warm" | "working" | "draining" = "warm";

  constructor(definition: Controller, setting: ControllerSetting) {
    this.definition = definition;
    this.#setting = setting;
    const { clock, random, caches } = setting;
    this.#queue = new Queue<Cause>({
      clock,
      random,
      onReady: () => this.#pump(),
      rate: definition.options.rate,
      curves: definition.options.backoff,
      ...(definition.options.tenantOf === undefined ? {} : { tenantOf: definition.options.tenantOf }),
    });
    this.#view = caches.of(definition.kind);
    this.#worker = this.#makeWorker();
  }

  /** Starts to listen: keys gather in the queue, nobody works on them yet. A standby replica stays here. */
  warm(): void {
    const { kind, owns, reads, options } = this.definition;
    const triggers = new Map<string, { readonly kind: AnyKind; readonly triggers: Trigger[] }>();
    const add = (of: AnyKind, trigger: Trigger): void => {
      const known = triggers.get(kindId(of));
      if (known === undefined) triggers.set(kindId(of), { kind: of, triggers: [trigger] });
      else known.triggers.push(trigger);
    };
    add(kind, self(kind, options.on));
    for (const child of owns) add(child, owned(child, kind, { controllerOnly: options.controllerOnly }));
    for (const other of new Map([...owns, ...reads].map((each) => [kindId(each), each])).values()) {
      add(other, this.#tracked.trigger(other));
    }
    for (const { kind: other, map, on } of options.watches) add(other, mapped(other, map, on));
    for (const { kind: of, triggers: all } of triggers.values()) this.#listen(of, all);
  }

  /** Starts to work. */
  work(): void {
    this.#state = "working";
    const { clock, log } = this.#setting;
    for (const source of this.definition.options.sources) {
      const running = runSource(source, {
        clock,
        signal: this.#stop.signal,
        wake: (key, wish) => this.#wake(key, wish),
        keys: () => this.#keys(),
        onError: (error) => log.error(`source "${source.name}" failed; it is opened again`, { error }),
      });
      this.#sources.push(running);
    }
    this.#pump();
  }

  /** Wakes one object by hand. */
  request(key: string): void {
    this.#queue.add(key, { cause: outsideCause("request", "by hand"), priority: 10 });
  }

  get isSynced(): boolean {
    for (const view of this.#views) if (!view.isSynced) return false;
    return true;
  }

  get counts(): Queue<Cause>["counts"] {
    return this.#queue.counts;
  }

  /** Seconds that running turns have taken so far. */
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

  /** When the next key is due on the clock. */
  get nextDue(): number | undefined {
    return this.#queue.nextDue;
  }

  /** Takes no new turns and waits for those that run; when the signal is aborted they are told to end. */
  async drain(signal: AbortSignal): Promise<void> {
    this.#state = "draining";
    for (const end of this.#ends.splice(0)) end();
    const cut = (): void => this.#stop.abort(signal.reason);
    if (signal.aborted) cut();
    else signal.addEventListener("abort", cut, { once: true });
    if (this.#started.size > 0) await this.#idle.promise;
    this.#stop.abort();
    this.#queue.close();
    await Promise.all(this.#sources);
  }

  /** Ends every turn at once: this process must not act any more. */
  cut(reason: unknown): void {
    this.#state = "draining";
    for (const end of this.#ends.splice(0)) end();
    this.#stop.abort(reason);
    this.#queue.close();
  }

  #makeWorker(): Worker {
    const { definition } = this;
    const { api, caches, clock, log, fence, manager, dryRun, onEvent, onWrite } = this.#setting;
    const { handlers, kind, owns, reads, options, name } = definition;
    return new Worker({
      controller: name,
      kind,
      owns,
      reads,
      caches,
      clock,
      onEvent,
      handlers,
      view: this.#view,
      tracked: this.#tracked,
      writer: new Writer({ api, caches, fence, manager, dryRun, onWrite }),
      breaker: new Breaker({ clock, api, budget: options.writeBudget }),
      learned: new Map(),
      log: log.with({ controller: name }),
      finalizer: options.finalizer,
      timeout: options.timeout,
      prune: options.prune,
    });
  }

  #listen(kind: AnyKind, triggers: readonly Trigger[]): void {
    const view = this.#setting.caches.of(kind);
    this.#views.push(view);
    view.onSynced(() => this.#pump());
    const end = view.subscribe((change) => {
      const echoOf = this.#takeEcho(kind, change);
      const wake = (key: string, wish: Wish<Cause>): void => {
        if (key !== echoOf) this.#wake(key, wish);
      };
      for (const trigger of triggers) trigger(change, wake);
    });
    this.#ends.push(end);
  }

  /**
   * The key on whose behalf we made the very write that the watch now tells us, if we did: its turn has seen the write's answer
   * already. Only an event of the stream counts, because a list may hide what came between.
   */
  #takeEcho(kind: AnyKind, change: Change): string | undefined {
    const id = childId(kind, change.key);
    const echo = this.#echoes.get(id);
    if (echo === undefined) return undefined;
    const { resourceVersion } = change.object.metadata;
    if (change.type === "removed" || !isLater(echo.version, resourceVersion)) this.#echoes.delete(id);
    return change.from === "stream" && echo.version === resourceVersion ? echo.writer : undefined;
  }

  #wake(key: string, wish: Wish<Cause>): void {
    this.#setting.meter.added();
    this.#queue.add(key, wish);
  }

  *#keys(): Generator<string> {
    for (const object of this.#view.find({})) {
      const { namespace, name } = object.metadata;
      yield namespace === undefined ? name : `${namespace}/${name}`;
    }
  }

  /** Gives turns as long as there are free hands, and only while everything that a turn may read is complete. */
  #pump(): void {
    const { concurrency } = this.definition.options;
    if (this.#state !== "working" || !this.isSynced) return;
    while (this.#state === "working" && this.#started.size < concurrency) {
      const turn = this.#queue.take();
      if (turn === undefined) return;
      void this.#give(turn);
    }
  }

  async #give(turn: Turn<Cause>): Promise<void> {
    const { clock, meter } = this.#setting;
    const started = clock.now();
    this.#started.set(turn.key, started);
    meter.started(turn.waited / 1000);
    const span = this.#startSpan(turn);
    const end = await this.#worker.run(turn, this.#stop.signal);
    this.#endSpan(span, end);
    this.#started.delete(turn.key);
    this.#finish(turn, end, clock.now() - started);
    if (this.#started.size === 0) {
      this.#idle.resolve();
      this.#idle = Promise.withResolvers<void>();
    }
    this.#pump();
  }

  #startSpan(turn: Turn<Cause>): Span | undefined {
    const { tracer } = this.#setting;
    if (tracer === undefined) return undefined;
    const [cause] = turn.causes;
    const attributes = {
      "capstan.controller": this.definition.name,
      "capstan.object": turn.key,
      "capstan.failures": turn.failures,
      "capstan.cause": cause === undefined ? "" : `${cause.relation} ${cause.kind} ${cause.key} ${cause.change}`,
    };
    return tracer.startSpan(`reconcile ${this.definition.kind.kind}`, { attributes });
  }

  #endSpan(span: Span | undefined, { outcome, work }: TurnEnd): void {
    if (span === undefined) return;
    span.setAttribute("capstan.outcome", outcome.outcome);
    span.setAttribute("capstan.writes", work?.writes.length ?? 0);
    if (outcome.outcome === "failed" && outcome.error instanceof Error) span.recordException(outcome.error);
    span.end();
  }

  /** The one place where an outcome gets its consequences. */
  #finish(turn: Turn<Cause>, end: TurnEnd, milliseconds: number): void {
    const { meter, onEvent } = this.#setting;
    const consequence = consequenceOf(end.outcome);
    const written = this.#noteEchoes(turn.key, end);
    this.#queue.done(turn.key, consequence.queue, (cause) => isEchoOf(written, cause));
    meter.finished(consequence, end, milliseconds / 1000);
    this.#say(turn, end, milliseconds);
    if (consequence.event !== undefined && end.work !== undefined) onEvent(end.work.object, consequence.event);
    if (end.state === "gone") this.#setting.history.forget(this.definition.name, turn.key);
  }

  /**
   * What the turn wrote to children, as `key version`: the reconcile has seen each answer, so hearing it again is no news. The answer
   * to a write of the object itself comes when the reconcile is over, and may show what somebody else did to it: that is news.
   */
  #noteEchoes(key: string, end: TurnEnd): ReadonlySet<string> {
    const written = new Set<string>();
    const own = kindId(this.definition.kind);
    for (const { kind, key: target, after } of end.work?.writes ?? []) {
      const version = after?.metadata.resourceVersion;
      if (version === undefined || (target === key && kindId(kind) === own)) continue;
      written.add(`${target} ${version}`);
      const told = this.#setting.caches.peek(kind)?.versionOf(target);
      if (told === undefined || isLater(version, told)) {
        this.#echoes.set(childId(kind, target), { version, writer: key });
      }
    }
    return written;
  }

  #say(turn: Turn<Cause>, end: TurnEnd, milliseconds: number): void {
    const { log, clock, history } = this.#setting;
    const { name } = this.definition;
    const { level, message, queue } = consequenceOf(end.outcome);
    if (log.writes(level)) {
      const error = end.outcome.outcome === "failed" ? { error: end.outcome.error } : {};
      log[level](message, { controller: name, object: turn.key, milliseconds, failures: turn.failures, ...error });
    }
    if (end.work === undefined) return;
    history.record(name, turn.key, {
      at: new Date(clock.wall()).toISOString(),
      causes: turn.causes,
      reads: end.work.reads.map((read) => `${read.kind.kind} ${"key" in read ? read.key : JSON.stringify(read.query)}`),
      writes: end.work.writes.map(({ verb, kind, key, before, after }) => ({
        verb,
        kind: kind.kind,
        key,
        fields: changedFields(before, after),
      })),
      decisions: end.work.decisions,
      outcome: end.outcome.outcome,
      message,
      milliseconds,
      next: queue.then,
    });
  }
}

/** A cause that arrived during the turn and tells what the turn itself wrote. What vanished, or was found by a list, is always news. */
function isEchoOf(written: ReadonlySet<string>, { change, from, key, version }: Cause): boolean {
  return change !== "removed" && from === "stream" && written.has(`${key} ${version}`);
}
