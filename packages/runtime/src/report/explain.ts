/** Explains reconciles: the last reconciles of each object, with their triggers, reads, writes, result and next requeue. */
import type { ReconcileTrigger } from "../trigger/reconcile-trigger.ts";

/** One recorded reconcile. */
export interface ReconcileRecord {
  readonly at: string;
  readonly triggers: readonly ReconcileTrigger[];
  readonly reads: readonly string[];
  readonly writes: readonly {
    readonly verb: string;
    readonly kind: string;
    readonly key: string;
    readonly fields: readonly string[];
  }[];
  readonly decisions: readonly string[];
  /** Mistakes in the program that did not fail the reconcile. */
  readonly warnings?: readonly string[] | undefined;
  readonly outcome: string;
  readonly message: string;
  /** The user's line at which it failed, if known: `file:line:column`. */
  readonly where?: string | undefined;
  readonly milliseconds: number;
  readonly next: string;
}

/** The recorded reconciles of one object. */
export interface HistoryEntry {
  readonly controller: string;
  readonly key: string;
  /** The latest last. */
  readonly reconciles: readonly ReconcileRecord[];
}

/** The number of recorded reconciles per object. */
export const maxReconciles = 8;
/** The number of objects with recorded reconciles, so that the memory of a long-running operator is bounded. */
const OBJECTS_KEPT = 10_000;

/** Objects are dropped in batches: finding the oldest entry of a Map skips all entries that were deleted before it. */
const FORGOTTEN_AT_ONCE = 1_000;

/** The recorded reconciles of one operator. */
export class History implements Iterable<HistoryEntry> {
  readonly #reconciles = new Map<string, ReconcileRecord[]>();
  readonly #objectsKept: number;

  constructor(objectsKept: number = OBJECTS_KEPT) {
    this.#objectsKept = objectsKept;
  }

  record(controller: string, key: string, reconcile: ReconcileRecord): void {
    const id = `${controller} ${key}`;
    const reconciles = this.#reconciles.get(id) ?? [];
    // Re-inserting moves the object to the end: the first in the map is the least recently reconciled.
    this.#reconciles.delete(id);
    this.#reconciles.set(id, [...reconciles.slice(1 - maxReconciles), reconcile]);
    if (this.#reconciles.size > this.#objectsKept + FORGOTTEN_AT_ONCE) this.#forgetOldest();
  }

  #forgetOldest(): void {
    for (const id of this.#reconciles.keys()) {
      if (this.#reconciles.size <= this.#objectsKept) return;
      this.#reconciles.delete(id);
    }
  }

  /** The reconciles of an object, the latest last. */
  of(controller: string, key: string): readonly ReconcileRecord[] {
    return this.#reconciles.get(`${controller} ${key}`) ?? [];
  }

  /** All recorded objects, the most recently reconciled last. */
  *[Symbol.iterator](): Iterator<HistoryEntry> {
    for (const [id, reconciles] of this.#reconciles) {
      const [controller = "", key = ""] = id.split(" ");
      yield { controller, key, reconciles };
    }
  }

  forget(controller: string, key: string): void {
    this.#reconciles.delete(`${controller} ${key}`);
  }
}
