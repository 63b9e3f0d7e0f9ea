/** Schedules the flushes of streamed bodies: at once if there are few; if there are many, with a pause per connection and in batches. */
import type { Clock } from "../clock.ts";

/** A body with buffered chunks. */
export interface Flushable {
  flush(): void;
}

/** With fewer bodies than this, connections do not pause. */
const crowd = 100;
/** The longest regular pause, in milliseconds. A thousand watchers of a busy kind cost one write each per pause, not per event. */
const longestRest = 20;
const bodiesPerMillisecond = 50;
/** The additional pause after the first delayed flush, and its maximum, in milliseconds. */
const firstPenalty = 5;
const longestPenalty = 500;
/** After this many bodies other work runs first: an incoming write must not wait for all watchers. */
const bodiesPerTurn = 64;

export interface FlusherOptions {
  readonly clock: Clock;
  /** Runs a callback after all work that is queued now. */
  readonly soon: (run: () => void) => void;
}

/** The bodies of one connection; chunks flushed together leave in one write. */
interface Group {
  readonly waiting: Set<Flushable>;
  state: "idle" | "ready" | "resting";
  /** When it became ready, in milliseconds. */
  since: number;
  /** The additional pause because of delayed flushes, in milliseconds. */
  penalty: number;
}

/** The handle of a body in its flusher. */
export interface Membership {
  /** Reports that the body has data to send. */
  wake(): void;
  /** Reports that the body has ended. */
  leave(): void;
}

/**
 * Flushes buffered chunks, connection by connection. The first event after an idle time is sent at once. Connections that were flushed
 * one after the other also pause one after the other, which spreads the load.
 */
export class Flusher {
  readonly #clock: Clock;
  readonly #soon: (run: () => void) => void;
  readonly #groups = new WeakMap<object, Group>();
  #ready: Group[] = [];
  #open = 0;
  #isScheduled = false;

  constructor({ clock, soon }: FlusherOptions) {
    this.#clock = clock;
    this.#soon = soon;
  }

  /** Adds a body on a connection. */
  join(connection: object, body: Flushable): Membership {
    const group = this.#groups.get(connection) ?? { waiting: new Set(), state: "idle", since: 0, penalty: 0 };
    this.#groups.set(connection, group);
    this.#open++;
    let isOpen = true;
    return {
      wake: () => {
        group.waiting.add(body);
        if (group.state === "idle") this.#makeReady(group);
      },
      leave: () => {
        if (isOpen) this.#open--;
        isOpen = false;
      },
    };
  }

  #makeReady(group: Group): void {
    group.state = "ready";
    group.since = this.#clock.now();
    this.#ready.push(group);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#soon(() => this.#takeTurn());
  }

  #takeTurn(): void {
    this.#isScheduled = false;
    let served = 0;
    let bodies = 0;
    for (const group of this.#ready) {
      if (bodies >= bodiesPerTurn) break;
      bodies += group.waiting.size;
      served++;
      flushAll(group);
    }
    this.#rest(this.#ready.splice(0, served));
    if (this.#ready.length > 0) this.#schedule();
  }

  #rest(groups: readonly Group[]): void {
    const rested = (): void => {
      for (const group of groups) {
        if (group.waiting.size > 0) this.#makeReady(group);
        else group.state = "idle";
      }
    };
    if (this.#open < crowd) return rested();
    const now = this.#clock.now();
    for (const group of groups) group.penalty = penaltyOf(group, now);
    const rest = Math.min(longestRest, this.#open / bodiesPerMillisecond) + (groups[0]?.penalty ?? 0);
    this.#clock.later(rest, rested);
  }
}

/**
 * A connection with repeatedly delayed flushes pauses longer: an overloaded server sends more data per write, which is cheaper. A single
 * stall does not delay the next event by its whole length.
 */
function penaltyOf({ since, penalty }: Group, now: number): number {
  const late = Math.min(longestPenalty, now - since);
  return Math.max(0, Math.min(late, Math.max(firstPenalty, 2 * penalty)));
}

/** Data that a body adds during its flush is sent next time. */
function flushAll(group: Group): void {
  group.state = "resting";
  const bodies = [...group.waiting];
  group.waiting.clear();
  for (const body of bodies) body.flush();
}
