/** Keys that came to their turn too early: what is around them is not known yet. They are out of the queue until it is. */
import { CAUSES_KEPT } from "./queue.ts";
import type { Queue, Turn } from "./queue.ts";

/** The keys of one queue that are held. */
export class Held<C> {
  readonly #queue: Queue<C>;
  readonly #turns = new Map<string, Pick<Turn<C>, "causes" | "priority">>();
  #isReleasing = false;

  constructor(queue: Queue<C>) {
    this.#queue = queue;
  }

  /** Ends a turn that was taken before it began. */
  hold({ key, causes, priority }: Turn<C>): void {
    const known = this.#turns.get(key);
    this.#turns.set(key, {
      causes: [...(known?.causes ?? []), ...causes].slice(0, CAUSES_KEPT),
      priority: Math.max(priority, known?.priority ?? priority),
    });
    this.#queue.done(key, { then: "forget" });
  }

  /** Puts those back that may have their turn now. False while it is about it: a key is to be taken when all its causes are there. */
  release(isFree: (key: string) => boolean): boolean {
    if (this.#isReleasing) return false;
    if (this.#turns.size === 0) return true;
    this.#isReleasing = true;
    for (const [key, { causes, priority }] of this.#turns) {
      if (!isFree(key)) continue;
      this.#turns.delete(key);
      if (causes.length === 0) this.#queue.add(key, { priority });
      for (const cause of causes) this.#queue.add(key, { cause, priority });
    }
    this.#isReleasing = false;
    return true;
  }
}
