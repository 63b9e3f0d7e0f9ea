/** Lets owners of many pods take fewer turns: each looks at all its pods, and every pod that moves asks for one. */
import type { Clock } from "@capstan/runtime";

/** Owners of fewer pods than this never wait. */
const FEW = 20;
/** Nobody waits longer than this, in milliseconds. */
const LONGEST = 250;

/** Remembers when owners of many pods had their last turn. */
export class Pace {
  readonly #clock: Clock;
  readonly #turns = new Map<string, { readonly at: number; readonly wait: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How long an owner has to rest before its next turn, in milliseconds; undefined when it may go on. */
  rest(uid: string): number | undefined {
    const turn = this.#turns.get(uid);
    const left = turn === undefined ? 0 : turn.at + turn.wait - this.#clock.now();
    return left > 0 ? left : undefined;
  }

  /** A turn was taken that looked at so many pods. */
  took(uid: string, pods: number): void {
    if (pods < FEW) this.#turns.delete(uid);
    else this.#turns.set(uid, { at: this.#clock.now(), wait: Math.min(LONGEST, pods / 2) });
  }
}
