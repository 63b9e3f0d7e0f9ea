/** Decides when live bodies go out: at once while there are few; when there are many, not too often on each connection, and in turns. */
import type { Clock } from "../clock.ts";

/** Something with chunks that wait. */
export interface Flushable {
  flush(): void;
}

/** With fewer bodies than this, no connection rests. */
const crowd = 100;
/** The longest rest, in milliseconds; a thousand watchers of a busy kind cost one write each per turn, not per event. */
const longestRest = 20;
const bodiesPerMillisecond = 50;
/** How much longer than that a connection rests, in milliseconds, when it was served late for the first time, and at most. */
const firstPenalty = 5;
const longestPenalty = 500;
/** After so many bodies whoever else has something to do comes first: a write that arrives must not wait for all watchers. */
const bodiesPerTurn = 64;

/** What a flusher does later. */
export interface FlusherOptions {
  readonly clock: Clock;
  /** Runs something as soon as everything that waits now has had its turn. */
  readonly soon: (run: () => void) => void;
}

/** The bodies of one connection: what they have to send in the same turn leaves in one write. */
interface Group {
  readonly waiting: Set<Flushable>;
  state: "idle" | "ready" | "resting";
  /** Since when it is ready, in milliseconds. */
  since: number;
  /** How much longer it rests because it was served late, in milliseconds. */
  penalty: number;
}

/** What a body does with its flusher. */
export interface Membership {
  /** The body has something to send. */
  wake(): void;
  /** The body has ended. */
  leave(): void;
}

/**
 * Sends what waits, connection by connection. The first event after a silence goes out at once, and connections that were served one after
 * the other rest one after the other: the work of a busy crowd spreads by itself.
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

  /** A body began on a connection. */
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
    this.#clock.after(rest, rested);
  }
}

/**
 * Whoever waits for its turn again and again rests longer: a server that cannot keep up says more at a time, which costs it less.
 * One stall, of whatever cause, is no reason to let the next event wait as long as it lasted.
 */
function penaltyOf({ since, penalty }: Group, now: number): number {
  const late = Math.min(longestPenalty, now - since);
  return Math.max(0, Math.min(late, Math.max(firstPenalty, 2 * penalty)));
}

/** What a body has to say while it is flushed goes out next time. */
function flushAll(group: Group): void {
  group.state = "resting";
  const bodies = [...group.waiting];
  group.waiting.clear();
  for (const body of bodies) body.flush();
}
