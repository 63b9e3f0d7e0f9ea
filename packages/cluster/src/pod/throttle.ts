/** Limits how often owners of many pods reconcile: each reconcile reads all pods, and each pod change triggers one. */
import type { Clock } from "@capstan/runtime";

/** Owners with fewer pods are not throttled. */
const MIN_PODS = 20;
/** The longest delay, in milliseconds. */
const MAX_DELAY = 250;

/** Remembers the last reconciles of owners with many pods. */
export class ReconcileThrottle {
  readonly #clock: Clock;
  readonly #lastReconciles = new Map<string, { readonly at: number; readonly wait: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The delay until the next reconcile of an owner, in milliseconds; undefined if it may run now. */
  delay(uid: string): number | undefined {
    const last = this.#lastReconciles.get(uid);
    const left = last === undefined ? 0 : last.at + last.wait - this.#clock.now();
    return left > 0 ? left : undefined;
  }

  /** Records a reconcile that read this many pods. */
  reconciled(uid: string, pods: number): void {
    if (pods < MIN_PODS) this.#lastReconciles.delete(uid);
    else this.#lastReconciles.set(uid, { at: this.#clock.now(), wait: Math.min(MAX_DELAY, pods / 2) });
  }
}
