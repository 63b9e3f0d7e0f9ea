/** Keys that were taken before the caches of their namespace were complete. They are out of the queue until then. */
import { maxTriggers } from "./queue.ts";
import type { Queue, ReconcileRequest } from "./queue.ts";

/** The held keys of one queue. */
export class Held<C> {
  readonly #queue: Queue<C>;
  readonly #reconciles = new Map<string, Pick<ReconcileRequest<C>, "triggers" | "priority">>();
  #isReleasing = false;

  constructor(queue: Queue<C>) {
    this.#queue = queue;
  }

  /** Holds a request that was taken, before its reconcile begins. */
  hold({ key, triggers, priority }: ReconcileRequest<C>): void {
    const known = this.#reconciles.get(key);
    this.#reconciles.set(key, {
      triggers: [...(known?.triggers ?? []), ...triggers].slice(0, maxTriggers),
      priority: Math.max(priority, known?.priority ?? priority),
    });
    this.#queue.done(key, { then: "forget" });
  }

  /**
   * Returns the keys that may be reconciled now to the queue. False during a release: a key must be taken only after all its triggers
   * were added.
   */
  release(isFree: (key: string) => boolean): boolean {
    if (this.#isReleasing) return false;
    if (this.#reconciles.size === 0) return true;
    this.#isReleasing = true;
    for (const [key, { triggers, priority }] of this.#reconciles) {
      if (!isFree(key)) continue;
      this.#reconciles.delete(key);
      if (triggers.length === 0) this.#queue.add(key, { priority });
      for (const trigger of triggers) this.#queue.add(key, { trigger, priority });
    }
    this.#isReleasing = false;
    return true;
  }
}
