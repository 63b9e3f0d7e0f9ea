/**
 * Shares the event loop between flows. All requests run on one thread: without pauses, a hundred expensive requests of one client that
 * arrive together would run one after the other before anything else.
 *
 * A request waits for its turn before it starts, before its body is decoded, and before each piece of a long response. Priority levels
 * share the time by their weights; within a level, requests of about the same cost form a group, and the groups of cheaper requests get
 * more time; within a group, the flow goes first that has used least. So a request that costs little does not wait for those that cost
 * much.
 */
import type { Stopwatch } from "../clock.ts";
import { costClass, costClasses, ExpectedCosts } from "./expected-costs.ts";
import { FairTree, type Step } from "./fair-tree.ts";
import type { Flow } from "./flow.ts";

/** After this time, new input is read before the next request starts, in milliseconds. */
const turnBudget = 1;
/** After a request of this class of costs, or a more expensive one, new input is read as well: it has taken the time of the turn. */
const expensive = 3;
/** The resolution of the processor time of a thread on Linux, in milliseconds: one tick of the scheduler. */
const tick = 4;

/** The turns of one request. */
export interface Turns {
  /** Resolves when the request may continue; `undefined` if it may now. What runs then is charged to its flow. */
  next(): Promise<void> | undefined;
  /** Whether the current turn has taken its time: longer work should wait for the next one. */
  isOver(): boolean;
  /** Charges something that was not measured, in milliseconds. */
  charge(milliseconds: number): void;
  /** The request is over: what it cost in all is expected of the next one of its kind. */
  end(): void;
}

interface Started {
  readonly request: PacedRequest;
  readonly now: number;
  readonly cpu: number;
}

interface Waiting {
  readonly request: PacedRequest;
  readonly path: readonly Step[];
  readonly resume: () => void;
}

/** A part of a request that takes this many times as long as the whole was expected to take was held up by something else. */
const mostOver = 4;
/** Less than this is not held up, in milliseconds. */
const short = 0.25;

/** The turns of requests that do not wait. */
export const freeTurns: Turns = { next: () => undefined, isOver: () => false, charge: () => {}, end: () => {} };

/** Lets requests wait for a later turn of the event loop. */
export class Pacer {
  readonly #stopwatch: Stopwatch | undefined;
  readonly #waiting = new FairTree<Waiting>();
  readonly #expected = new ExpectedCosts();
  /** What runs now. */
  #running: Started | undefined;
  /** The time that requests have taken since new input was read, in milliseconds. */
  #spent = 0;
  #isScheduled = false;

  /** Without a stopwatch, as in virtual time, requests do not wait. */
  constructor(stopwatch: Stopwatch | undefined) {
    this.#stopwatch = stopwatch;
  }

  /** The turns of a new request. */
  request(flow: Flow): Turns {
    const stopwatch = this.#stopwatch;
    if (stopwatch === undefined) return freeTurns;
    const work = `${flow.level} ${flow.work}`;
    const name = `${work} ${flow.key}`;
    const request = new PacedRequest(flow, this.#expected.of(name) ?? this.#expected.of(work) ?? flow.guess);
    return {
      next: () => this.#pause(request, stopwatch),
      isOver: () => this.#running?.request !== request || stopwatch.now() - this.#running.now > turnBudget,
      charge: (milliseconds) => this.#charge(request, milliseconds),
      end: () => {
        if (request.isOver) return;
        request.isOver = true;
        this.#leave(request);
        // Its last part may still run, and is charged first.
        stopwatch.afterWork(() => {
          this.#expected.note(work, request.cost);
          this.#expected.note(name, request.cost);
        });
      },
    };
  }

  #pause(request: PacedRequest, stopwatch: Stopwatch): Promise<void> | undefined {
    this.#schedule(stopwatch);
    const isAlone = this.#running === undefined || this.#running.request === request;
    if (isAlone && this.#waiting.size === 0 && this.#spent < turnBudget) {
      this.#waiting.pass(request.path);
      this.#start(request, stopwatch);
      return undefined;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = { request, path: request.path, resume: resolve };
    request.waiting = waiting;
    this.#waiting.push(waiting.path, waiting);
    return promise;
  }

  /** A request that is over, such as a watch whose client has disconnected, needs no turn. */
  #leave(request: PacedRequest): void {
    const { waiting } = request;
    if (waiting === undefined) return;
    request.waiting = undefined;
    this.#waiting.remove(waiting.path, waiting);
    waiting.resume();
  }

  /** After the input of this iteration of the event loop, waiting requests start. */
  #schedule(stopwatch: Stopwatch): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    stopwatch.afterInput(() => {
      this.#isScheduled = false;
      this.#spent = 0;
      this.#startNext(stopwatch);
    });
  }

  /** One after the other: the work of each has ended, or waits for something, before the next one starts. */
  #startNext(stopwatch: Stopwatch): void {
    if (this.#waiting.size === 0) return;
    this.#schedule(stopwatch);
    if (this.#spent >= turnBudget) return;
    const next = this.#waiting.shift();
    if (next === undefined) return;
    next.request.waiting = undefined;
    this.#start(next.request, stopwatch);
    next.resume();
    stopwatch.afterWork(() => this.#startNext(stopwatch));
  }

  #start(request: PacedRequest, stopwatch: Stopwatch): void {
    this.#settle(stopwatch);
    const started = { request, now: stopwatch.now(), cpu: stopwatch.cpu() };
    this.#running = started;
    stopwatch.afterWork(() => {
      if (this.#running === started) this.#settle(stopwatch);
    });
  }

  /** Charges what ran until now. Time in which the thread did not run does not count. */
  #settle(stopwatch: Stopwatch): void {
    const started = this.#running;
    if (started === undefined) return;
    this.#running = undefined;
    const elapsed = stopwatch.now() - started.now;
    this.#spent += started.request.size >= expensive ? turnBudget : elapsed;
    const ran = Math.min(elapsed, stopwatch.cpu() - started.cpu + tick);
    this.#charge(started.request, Math.min(ran, started.request.longest));
  }

  #charge(request: PacedRequest, milliseconds: number): void {
    this.#waiting.charge(request.path, milliseconds);
    request.cost += milliseconds;
  }
}

class PacedRequest {
  readonly #level: Step;
  readonly #flow: Step;
  readonly #expected: number | undefined;
  /** What it has cost so far, in milliseconds. */
  cost = 0;
  isOver = false;
  waiting: Waiting | undefined;

  constructor({ level, weight, key }: Flow, expected: number | undefined) {
    this.#level = { name: level, weight };
    this.#flow = { name: key, weight: 1 };
    this.#expected = expected;
  }

  /** The most that one part of it can have cost, in milliseconds. */
  get longest(): number {
    return this.#expected === undefined ? Infinity : Math.max(short, this.#expected) * mostOver;
  }

  /** The class of its cost: a request that has cost more than expected waits with more expensive ones. */
  get size(): number {
    return costClass(Math.max(this.#expected ?? 0, this.cost));
  }

  /** The place in the queue. */
  get path(): readonly Step[] {
    const { size } = this;
    return [this.#level, { name: String(size), weight: costClasses - size }, this.#flow];
  }
}
