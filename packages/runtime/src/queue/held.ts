/** Keys that came to their reconcile too early: what is around them is not known yet. They are out of the queue until it is. */
import { maxTriggers } from "./queue.ts";
import type { Queue, ReconcileRequest } from "./queue.ts";

/** The keys of one queue that are held. */
export class Held<C> {
  readonly #queue: Queue<C>;
  readonly #reconciles = new Map<string, Pick<ReconcileRequest<C>, "triggers" | "priority">>();
  #isReleasing = false;

  constructor(queue: Queue<C>) {
    this.#queue = queue;
  }

  /** Ends a reconcile that was taken before it began. */
  hold({ key, triggers, priority }: ReconcileRequest<C>): void {
    const known = this.#reconciles.get(key);
    this.#reconciles.set(key, {
      triggers: [...(known?.triggers ?? []), ...triggers].slice(0, maxTriggers),
      priority: Math.max(priority, known?.priority ?? priority),
    });
    this.#queue.done(key, { then: "forget" });
  }

  /** Puts those back that may have their reconcile now. False while it is about it: a key is to be taken when all its triggers are there. */
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
