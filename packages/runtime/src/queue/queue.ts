/**
 * The work queue: holds keys only, each at most once, runs one reconcile of a key at a time, and the earliest request wins.
 *
 * A requested key is in one of four states. `waiting`: it is not due yet. `ready`: it is in the line. `running`: its reconcile runs; a
 * request that arrives meanwhile is kept and counts when the reconcile ends, so no event is lost and no key runs twice at once. `held`: it
 * came up while it could not run, and waits to be released.
 */
import { namespaceOfKey } from "../api.ts";
import type { Clock, Random, Timer } from "../clock.ts";
import { nextRetry, usualCurves } from "./backoff.ts";
import type { Curves, Failure, Retries } from "./backoff.ts";
import { Bucket } from "./bucket.ts";
import type { Rate } from "./bucket.ts";
import { Line } from "./fair-line.ts";
import type { Queued } from "./fair-line.ts";
import { Heap } from "./heap.ts";

/** A request to reconcile a key. */
export interface Request<C> {
  /** The trigger, kept with the key until its reconcile. */
  readonly trigger?: C;
  /** The delay in milliseconds; absent: as soon as possible. */
  readonly delay?: number;
  /** Higher goes first. Default: 0. The highest of all requests counts. */
  readonly priority?: number;
  /** The trigger may have fixed the cause of a failure: the backoff of the key resets. */
  readonly fresh?: boolean;
}

/** The reconcile of one key. It must be ended with `done`. */
export interface ReconcileRequest<C> {
  readonly key: string;
  readonly triggers: readonly C[];
  readonly priority: number;
  /** The number of consecutive failures of this key. */
  readonly failures: number;
  /** The time at which it became ready, on the clock; the caller computes the latency, because it reads the clock anyway. */
  readonly readySince: number;
}

/** The action on a key when its reconcile ends. */
export type QueueAction =
  | { readonly then: "forget" }
  | { readonly then: "wait"; readonly delay: number }
  | { readonly then: "retry"; readonly failure: Failure; readonly atLeast?: number | undefined };

export interface QueueOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Called when a key became ready; the callee may take it later. */
  readonly onReady: () => void;
  /** The tenant of a key. Default: its namespace; cluster-scoped keys share one tenant. */
  readonly fairnessKey?: ((key: string) => string) | undefined;
  /** A limit on reconciles per second. Default: no limit. */
  readonly rate?: Rate | undefined;
  readonly curves?: Curves | undefined;
}

/** Idle keys are dropped together when there are this many more than twice the others. */
const maxIdle = 4096;

/** The number of triggers kept per key. */
export const maxTriggers = 16;

/** The number of triggers kept while a key runs: most are self-inflicted events, and only kept triggers can be checked for that. */
const maxTriggersRunning = 256;

/** The minimum delay of a key that requests another reconcile, in milliseconds: a key that always does must not starve the others. */
const minRequeueDelay = 10;

/** Shared by all keys without triggers; never written to. */
const noTriggers: never[] = [];

interface Item<C> extends Queued {
  readonly key: string;
  readonly tenant: string;
  /** `idle`: not requested; it is kept because most keys are requested again. */
  state: "waiting" | "ready" | "running" | "held" | "idle";
  slot: number;
  /**
   * The due time while waiting; the time it became ready afterwards; while running, the time of the next requested reconcile, or
   * Infinity.
   */
  at: number;
  priority: number;
  /** The first trigger has its own field: most keys have only one, and a list for each of a million waiting keys would cost memory. */
  trigger: C | undefined;
  /** The triggers after the first. */
  others: C[];
  /** Whether a request had a trigger that was not kept. */
  hasOtherTriggers: boolean;
}

function triggersOf<C>({ trigger, others }: Item<C>): readonly C[] {
  if (trigger === undefined) return noTriggers;
  return others.length === 0 ? [trigger] : [trigger, ...others];
}

function forgetTriggers<C>(item: Item<C>): void {
  item.trigger = undefined;
  item.others = noTriggers;
  item.hasOtherTriggers = false;
}

/** Whether all triggers of a key were kept and are self-inflicted events. */
function areAllSelfInflicted<C>(
  { trigger, others, hasOtherTriggers }: Item<C>,
  isSelfInflicted: (trigger: C) => boolean,
): boolean {
  return !hasOtherTriggers && trigger !== undefined && isSelfInflicted(trigger) && others.every(isSelfInflicted);
}

/** The queue of one controller. */
export class Queue<C> {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #onReady: () => void;
  readonly #fairnessKey: (key: string) => string;
  readonly #curves: Curves;
  readonly #bucket: Bucket | undefined;
  readonly #items = new Map<string, Item<C>>();
  readonly #line = new Line();
  readonly #waiting = new Heap<Item<C>>((a, b) => a.at < b.at);
  readonly #retries = new Map<string, Retries>();
  /** The running keys again: a small map, because lookups in a large map miss the CPU caches. */
  readonly #running = new Map<string, Item<C>>();
  readonly #held = new Set<Item<C>>();
  #idle = 0;
  #timer: { readonly at: number; readonly timer: Timer } | undefined;

  constructor(options: QueueOptions) {
    this.#clock = options.clock;
    this.#random = options.random;
    this.#onReady = options.onReady;
    this.#fairnessKey = options.fairnessKey ?? namespaceOfKey;
    this.#curves = options.curves ?? usualCurves;
    this.#bucket = options.rate && new Bucket(options.rate, this.#clock.now());
  }

  get counts(): { readonly ready: number; readonly waiting: number; readonly running: number } {
    return { ready: this.#line.size, waiting: this.#waiting.size, running: this.#running.size };
  }

  /** When the earliest waiting key is due. */
  get nextDue(): number | undefined {
    return this.#waiting.peek()?.at;
  }

  /** The retry state of a key. */
  retriesOf(key: string): Retries | undefined {
    return this.#retries.get(key);
  }

  /** Requests a reconcile for a key. */
  add(key: string, request: Request<C> = {}): void {
    const now = this.#clock.now();
    const at = request.delay === undefined || request.delay <= 0 ? now : now + request.delay;
    const priority = request.priority ?? 0;
    if (request.fresh === true) this.#retries.delete(key);
    const item = this.#items.get(key) ?? this.#create(key);
    this.#keepTrigger(item, request.trigger);
    this.#reschedule(item, { at, priority, now });
  }

  /** Takes the next key, unless none is ready or the rate limit is reached. Keys that cannot run are held until `release`. */
  take(canRun?: (key: string) => boolean): ReconcileRequest<C> | undefined {
    for (;;) {
      if (this.#line.size === 0) return undefined;
      if (this.#bucket !== undefined && !this.#isAllowed(this.#bucket)) return undefined;
      const item = this.#line.take() as Item<C> | undefined;
      if (item === undefined) return undefined;
      if (canRun === undefined || canRun(item.key)) return this.#begin(item);
      item.state = "held";
      this.#held.add(item);
    }
  }

  /** Makes held keys ready that can run now. */
  release(canRun: (key: string) => boolean): void {
    if (this.#held.size === 0) return;
    const now = this.#clock.now();
    for (const item of this.#held) {
      if (!canRun(item.key)) continue;
      this.#held.delete(item);
      item.at = now;
      this.#makeReady(item);
    }
  }

  #begin(item: Item<C>): ReconcileRequest<C> {
    const readySince = item.at;
    item.state = "running";
    item.at = Infinity;
    this.#running.set(item.key, item);
    const triggers = triggersOf(item);
    forgetTriggers(item);
    const failures = this.#retries.size === 0 ? 0 : (this.#retries.get(item.key)?.attempts ?? 0);
    return { key: item.key, triggers, priority: item.priority, failures, readySince };
  }

  /**
   * Ends a reconcile. `isSelfInflicted` recognizes triggers that arrived during the reconcile and are self-inflicted: if all of them are, their
   * request is dropped. A trigger that was not kept may have been another event.
   */
  done(key: string, after: QueueAction, isSelfInflicted?: (trigger: C) => boolean): void {
    const item = this.#running.get(key);
    if (item === undefined) return;
    this.#running.delete(key);
    if (isSelfInflicted !== undefined && areAllSelfInflicted(item, isSelfInflicted)) {
      forgetTriggers(item);
      item.at = Infinity;
    } else if (item.others.length >= maxTriggers) {
      item.others.length = maxTriggers - 1;
      item.hasOtherTriggers = true;
    }
    if (item.at === Infinity && after.then === "forget") {
      // The end of most reconciles: nothing is left of the key, and the time is not needed.
      if (this.#retries.size > 0) this.#retries.delete(key);
      this.#idleItem(item);
      return;
    }
    const now = this.#clock.now();
    this.#schedule(item, Math.min(item.at, this.#dueAfter(key, after, now)), now);
  }

  /** Drops a key, its triggers and its failures, unless it is running. */
  drop(key: string): void {
    const item = this.#items.get(key);
    this.#retries.delete(key);
    if (item === undefined || item.state === "running") return;
    if (item.state === "idle") this.#idle--;
    this.#line.leave(item);
    this.#waiting.remove(item);
    this.#held.delete(item);
    this.#items.delete(key);
  }

  /** Stops the timer. Keys stay, for tests. */
  close(): void {
    this.#timer?.timer.cancel();
    this.#timer = undefined;
  }

  #isAllowed(bucket: Bucket): boolean {
    const now = this.#clock.now();
    const wait = bucket.take(now);
    if (wait > 0) this.#setTimer(now + wait);
    return wait <= 0;
  }

  /**
   * The same keys are requested again and again: removing each from a large map and adding it again would cost more than everything else.
   */
  #idleItem(item: Item<C>): void {
    item.state = "idle";
    this.#idle++;
    if (this.#idle <= 2 * (this.#items.size - this.#idle) + maxIdle) return;
    for (const [key, { state }] of this.#items) if (state === "idle") this.#items.delete(key);
    this.#idle = 0;
  }

  #create(key: string): Item<C> {
    const item: Item<C> = {
      key,
      tenant: this.#fairnessKey(key),
      state: "idle",
      slot: -1,
      at: 0,
      priority: 0,
      trigger: undefined,
      others: noTriggers,
      hasOtherTriggers: false,
      tag: 0,
      flow: undefined,
      before: undefined,
      after: undefined,
    };
    this.#items.set(key, item);
    this.#idle++;
    return item;
  }

  #keepTrigger(item: Item<C>, trigger: C | undefined): void {
    const kept = item.state === "running" ? maxTriggersRunning : maxTriggers;
    if (trigger === undefined || item.others.length >= kept - 1) item.hasOtherTriggers = true;
    else if (item.trigger === undefined) item.trigger = trigger;
    else if (item.others.length === 0) item.others = [trigger];
    else item.others.push(trigger);
  }

  #reschedule(item: Item<C>, request: { at: number; priority: number; now: number }): void {
    const raised = request.priority > item.priority;
    if (raised) item.priority = request.priority;
    switch (item.state) {
      case "idle":
        this.#idle--;
        item.priority = request.priority;
        this.#schedule(item, request.at, request.now);
        return;
      case "running":
        // A reconcile keeps its priority for the next one only if there is no other request.
        if (item.at === Infinity) item.priority = request.priority;
        item.at = Math.min(item.at, request.at);
        return;
      case "waiting":
        if (request.at < item.at) this.#schedule(item, request.at, request.now);
        return;
      case "ready":
        if (raised) this.#moveUp(item);
        return;
      case "held":
        return;
    }
  }

  #moveUp(item: Item<C>): void {
    this.#line.leave(item);
    this.#line.join(item, item.tenant, item.priority);
  }

  #schedule(item: Item<C>, at: number, now: number): void {
    this.#waiting.remove(item);
    item.at = at;
    if (at <= now) {
      this.#makeReady(item);
      this.#onReady();
      return;
    }
    item.state = "waiting";
    this.#waiting.push(item);
    this.#setTimer(at);
  }

  #makeReady(item: Item<C>): void {
    item.state = "ready";
    this.#line.join(item, item.tenant, item.priority);
  }

  #dueAfter(key: string, after: QueueAction, now: number): number {
    switch (after.then) {
      case "forget":
        if (this.#retries.size > 0) this.#retries.delete(key);
        return Infinity;
      case "wait":
        if (this.#retries.size > 0) this.#retries.delete(key);
        return now + Math.max(after.delay, minRequeueDelay);
      case "retry": {
        const seen = { failure: after.failure, now, atLeast: after.atLeast };
        const retries = nextRetry(this.#retries.get(key), seen, this.#curves, this.#random);
        this.#retries.set(key, retries);
        return retries.due;
      }
    }
  }

  #setTimer(at: number): void {
    if (this.#timer !== undefined && this.#timer.at <= at) return;
    this.#timer?.timer.cancel();
    this.#timer = { at, timer: this.#clock.later(at - this.#clock.now(), () => this.#onTimer()) };
  }

  #onTimer(): void {
    this.#timer = undefined;
    const now = this.#clock.now();
    for (let item = this.#waiting.peek(); item !== undefined && item.at <= now; item = this.#waiting.peek()) {
      this.#waiting.remove(item);
      this.#makeReady(item);
    }
    const next = this.#waiting.peek();
    if (next !== undefined) this.#setTimer(next.at);
    if (this.#line.size > 0) this.#onReady();
  }
}
