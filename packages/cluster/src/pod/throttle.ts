/** Lets owners of many pods take fewer turns: each looks at all its pods, and every pod that moves asks for one. */
import type { Clock } from "@capstan/runtime";

/** Owners of fewer pods than this never wait. */
const MIN_PODS = 20;
/** Nobody waits longer than this, in milliseconds. */
const MAX_DELAY = 250;

/** Remembers when owners of many pods had their last turn. */
export class ReconcileThrottle {
  readonly #clock: Clock;
  readonly #lastReconciles = new Map<string, { readonly at: number; readonly wait: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How long an owner has to rest before its next turn, in milliseconds; undefined when it may go on. */
  delay(uid: string): number | undefined {
    const last = this.#lastReconciles.get(uid);
    const left = last === undefined ? 0 : last.at + last.wait - this.#clock.now();
    return left > 0 ? left : undefined;
  }

  /** A turn was taken that looked at so many pods. */
  reconciled(uid: string, pods: number): void {
    if (pods < MIN_PODS) this.#lastReconciles.delete(uid);
    else this.#lastReconciles.set(uid, { at: this.#clock.now(), wait: Math.min(MAX_DELAY, pods / 2) });
  }
}
