/** Measures the turns of the event loop and the request that used most of a long one: during a turn no other request is served. */
import type { Stopwatch } from "../clock.ts";

/** Work of the server that can use a turn. */
export interface TurnWork {
  readonly method: string;
  /** Path and query as sent. */
  readonly url: string;
  /** The name of the user; empty until it is known. */
  user: string;
}

/** A turn of the event loop that was longer than the limit. */
export interface LongTurn {
  readonly milliseconds: number;
  /** The processor time of the thread in this turn. It is shorter than the turn if the machine or the disk was busy. */
  readonly cpuMilliseconds: number;
  /** The work that used most of the turn, and its part of it. */
  readonly work: TurnWork;
  readonly workMilliseconds: number;
}

/** Turns over this limit are reported, in milliseconds. */
export const longTurn = 250;

interface Turn {
  readonly started: number;
  readonly cpu: number;
  /** The work of the open segment, and the start of the segment. */
  work: TurnWork;
  since: number;
  /** The work with the largest total so far. */
  readonly used: Map<TurnWork, number>;
}

/**
 * Each part of the server says what it works on from now on (`mark`). The first mark of a turn starts the measurement, and a callback
 * after the queued input ends it.
 */
export class TurnWatch {
  readonly #stopwatch: Stopwatch | undefined;
  readonly #report: (turn: LongTurn) => void;
  #turn: Turn | undefined;
  #count = 0;
  #longest = 0;
  #last = 0;

  /** Without a stopwatch, as in virtual time, nothing is measured. */
  constructor(stopwatch: Stopwatch | undefined, report: (turn: LongTurn) => void) {
    this.#stopwatch = stopwatch;
    this.#report = report;
  }

  /** The number of turns over the limit. */
  get count(): number {
    return this.#count;
  }

  /** The length of the longest turn, in milliseconds. */
  get longest(): number {
    return this.#longest;
  }

  /** The length of the last turn that has ended, in milliseconds. */
  get last(): number {
    return this.#last;
  }

  /** The length of the current turn so far, in milliseconds. */
  get spent(): number {
    return this.#turn === undefined || this.#stopwatch === undefined ? 0 : this.#stopwatch.now() - this.#turn.started;
  }

  /** From now on, the turn works on this. */
  mark(work: TurnWork): void {
    if (this.#stopwatch === undefined) return;
    const now = this.#stopwatch.now();
    if (this.#turn === undefined) {
      this.#turn = { started: now, cpu: this.#stopwatch.cpu(), work, since: now, used: new Map() };
      this.#stopwatch.afterInput(() => this.#end());
    } else if (this.#turn.work !== work) {
      closeSegment(this.#turn, now);
      this.#turn.work = work;
      this.#turn.since = now;
    }
  }

  #end(): void {
    const turn = this.#turn;
    this.#turn = undefined;
    if (turn === undefined || this.#stopwatch === undefined) return;
    const now = this.#stopwatch.now();
    const milliseconds = now - turn.started;
    this.#last = milliseconds;
    this.#longest = Math.max(this.#longest, milliseconds);
    if (milliseconds <= longTurn) return;
    this.#count++;
    closeSegment(turn, now);
    const [work, workMilliseconds] = largest(turn);
    this.#report({ milliseconds, cpuMilliseconds: this.#stopwatch.cpu() - turn.cpu, work, workMilliseconds });
  }
}

function closeSegment({ used, work, since }: Turn, now: number): void {
  used.set(work, (used.get(work) ?? 0) + now - since);
}

function largest({ used, work }: Turn): readonly [TurnWork, number] {
  let found: readonly [TurnWork, number] = [work, 0];
  for (const [one, time] of used) if (time > found[1]) found = [one, time];
  return found;
}

/** The longest part of a URL that a report shows. */
const shownUrl = 200;

/** The log line of a long turn. */
export function describeLongTurn({ milliseconds, cpuMilliseconds, work, workMilliseconds }: LongTurn): string {
  const { method, url, user } = work;
  const place = url.length > shownUrl ? `${url.slice(0, shownUrl)}...` : url;
  const by = user === "" ? "" : ` of ${user}`;
  const times = `${Math.round(milliseconds)} ms (${Math.round(cpuMilliseconds)} ms of processor time)`;
  const what = cpuMilliseconds < milliseconds / 2 ? "waited for the machine" : "was busy";
  return `the server ${what} for ${times}, ${Math.round(workMilliseconds)} ms of it with ${method} ${place}${by}; other requests waited`;
}
