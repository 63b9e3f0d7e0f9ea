/**
 * Which object is looked at next: holds keys only, each at most once, gives a key one reconcile at a time, and the earliest request wins.
 *
 * A key that is wanted is in one of three states. `waiting`: its time has not come. `ready`: it stands in the line. `running`: somebody has its reconcile;
 * a request that arrives meanwhile is kept and counts when the reconcile ends, so no event is lost and no key runs twice at once.
 */
import { namespaceOfKey } from "../api.ts";
import type { Clock, Random, Timer } from "../clock.ts";
import { nextRetry, usualCurves } from "./backoff.ts";
import type { Curves, Failure, Retries } from "./backoff.ts";
import { Bucket } from "./bucket.ts";
import type { Rate } from "./bucket.ts";
import { Line } from "./flow.ts";
import type { Queued } from "./flow.ts";
import { Heap } from "./heap.ts";

/** A request that a key gets a reconcile. */
export interface Request<C> {
  /** Why; kept with the key until its reconcile. */
  readonly trigger?: C;
  /** In how many milliseconds; none means as soon as possible. */
  readonly delay?: number;
  /** Higher goes first; 0 if not said. The highest request counts. */
  readonly priority?: number;
  /** The trigger may have cured what made the key fail: its backoff starts afresh. */
  readonly fresh?: boolean;
}

/** The reconcile of one key. It must be ended with `done`. */
export interface ReconcileRequest<C> {
  readonly key: string;
  readonly triggers: readonly C[];
  readonly priority: number;
  /** How often this key has failed in a row before. */
  readonly failures: number;
  /** Since when it was ready, on the clock: whoever wants to know for how long has looked at the clock anyway. */
  readonly readySince: number;
}

/** What happens to a key when its reconcile ends. */
export type After =
  | { readonly then: "forget" }
  | { readonly then: "wait"; readonly delay: number }
  | { readonly then: "retry"; readonly failure: Failure; readonly atLeast?: number | undefined };

/** What a queue is made with. */
export interface QueueOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Called when a key became ready; the callee takes it when it likes. */
  readonly onReady: () => void;
  /** To which tenant a key belongs; the namespace if not said, and cluster-scoped keys share one tenant. */
  readonly fairnessKey?: (key: string) => string;
  /** A limit on reconciles per second; none if not said. */
  readonly rate?: Rate | undefined;
  readonly curves?: Curves | undefined;
}

/** Idle keys are forgotten together when there are this many more than twice the others. */
const IDLE_KEPT = 4096;

/** Causes kept per key; a key with more of them has been told enough. */
export const maxTriggers = 16;

/** Causes kept while a key runs: most of them are echoes of its own reconcile, and only those that are kept can be told from news. */
const maxTriggersRunning = 256;

/** How long a key waits at the least that wants another reconcile, in milliseconds: one that always does must not keep everybody else waiting. */
const LEAST_WAIT = 10;

/** Shared by all keys without triggers; never written to. */
const noTriggers: never[] = [];

interface Item<C> extends Queued {
  readonly key: string;
  readonly tenant: string;
  /** `idle`: nobody wants it; it is only still here because keys come back. */
  state: "waiting" | "ready" | "running" | "idle";
  slot: number;
  /** When it is due while waiting; when it became ready afterwards; while running, when the next reconcile is requested, or Infinity. */
  at: number;
  priority: number;
  /** The first trigger, by itself: most keys have one, and a list for each of a million keys that wait would be moved about with them. */
  trigger: C | undefined;
  /** Those after the first. */
  others: C[];
  /** Somebody requested it whose trigger is not among those that are kept. */
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

/** Whether everything that a key was requested is known, and tells nothing new. */
function isOnlyEchoes<C>({ trigger, others, hasOtherTriggers }: Item<C>, isEcho: (trigger: C) => boolean): boolean {
  return !hasOtherTriggers && trigger !== undefined && isEcho(trigger) && others.every(isEcho);
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
  /** Those whose reconcile runs, once more: a few that are at hand, while every look into a large map waits for memory. */
  readonly #running = new Map<string, Item<C>>();
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

  /** How many keys are in each state. */
  get counts(): { readonly ready: number; readonly waiting: number; readonly running: number } {
    return { ready: this.#line.size, waiting: this.#waiting.size, running: this.#running.size };
  }

  /** When the earliest waiting key is due. */
  get nextDue(): number | undefined {
    return this.#waiting.peek()?.at;
  }

  /** How a key stands with its retries. */
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

  /** Takes the reconcile of the key that is next, unless none is ready or the rate is used up. */
  take(): ReconcileRequest<C> | undefined {
    if (this.#line.size === 0) return undefined;
    if (this.#bucket !== undefined && !this.#isAllowed(this.#bucket)) return undefined;
    const item = this.#line.take() as Item<C> | undefined;
    if (item === undefined) return undefined;
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
   * Ends a reconcile. `isEcho` names triggers that arrived during the reconcile and tell nothing new: when all of them are such, the request they
   * brought is dropped. A trigger that was not kept may have been news.
   */
  done(key: string, after: After, isEcho?: (trigger: C) => boolean): void {
    const item = this.#running.get(key);
    if (item === undefined) return;
    this.#running.delete(key);
    if (isEcho !== undefined && isOnlyEchoes(item, isEcho)) {
      forgetTriggers(item);
      item.at = Infinity;
    } else if (item.others.length >= maxTriggers) {
      item.others.length = maxTriggers - 1;
      item.hasOtherTriggers = true;
    }
    if (item.at === Infinity && after.then === "forget") {
      // The end of most reconciles: nothing is left of the key, and nobody needs to know the time.
      if (this.#retries.size > 0) this.#retries.delete(key);
      this.#rest(item);
      return;
    }
    const now = this.#clock.now();
    this.#schedule(item, Math.min(item.at, this.#dueAfter(key, after, now)), now);
  }

  /** Forgets a key, its triggers and its failures, unless it is running. */
  drop(key: string): void {
    const item = this.#items.get(key);
    this.#retries.delete(key);
    if (item === undefined || item.state === "running") return;
    if (item.state === "idle") this.#idle--;
    this.#line.leave(item);
    this.#waiting.remove(item);
    this.#items.delete(key);
  }

  /** Stops the timer. Keys stay, so that a test can look at them. */
  close(): void {
    this.#timer?.timer.cancel();
    this.#timer = undefined;
  }

  #isAllowed(bucket: Bucket): boolean {
    const now = this.#clock.now();
    const wait = bucket.take(now);
    if (wait > 0) this.#arm(now + wait);
    return wait <= 0;
  }

  /** The same keys come again and again: taking each out of a large map and putting it back costs more than everything else. */
  #rest(item: Item<C>): void {
    item.state = "idle";
    this.#idle++;
    if (this.#idle <= 2 * (this.#items.size - this.#idle) + IDLE_KEPT) return;
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
        // A reconcile keeps its priority for the next one only if nobody requests otherwise.
        if (item.at === Infinity) item.priority = request.priority;
        item.at = Math.min(item.at, request.at);
        return;
      case "waiting":
        if (request.at < item.at) this.#schedule(item, request.at, request.now);
        return;
      case "ready":
        if (raised) this.#moveUp(item);
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
    this.#arm(at);
  }

  #makeReady(item: Item<C>): void {
    item.state = "ready";
    this.#line.join(item, item.tenant, item.priority);
  }

  #dueAfter(key: string, after: After, now: number): number {
    switch (after.then) {
      case "forget":
        if (this.#retries.size > 0) this.#retries.delete(key);
        return Infinity;
      case "wait":
        if (this.#retries.size > 0) this.#retries.delete(key);
        return now + Math.max(after.delay, LEAST_WAIT);
      case "retry": {
        const seen = { failure: after.failure, now, atLeast: after.atLeast };
        const retries = nextRetry(this.#retries.get(key), seen, this.#curves, this.#random);
        this.#retries.set(key, retries);
        return retries.due;
      }
    }
  }

  #arm(at: number): void {
    if (this.#timer !== undefined && this.#timer.at <= at) return;
    this.#timer?.timer.cancel();
    this.#timer = { at, timer: this.#clock.later(at - this.#clock.now(), () => this.#ring()) };
  }

  #ring(): void {
    this.#timer = undefined;
    const now = this.#clock.now();
    for (let item = this.#waiting.peek(); item !== undefined && item.at <= now; item = this.#waiting.peek()) {
      this.#waiting.remove(item);
      this.#makeReady(item);
    }
    const next = this.#waiting.peek();
    if (next !== undefined) this.#arm(next.at);
    if (this.#line.size > 0) this.#onReady();
  }
}
