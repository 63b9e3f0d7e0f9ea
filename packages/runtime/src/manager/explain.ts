/** Why did it run: the last reconciles of each object, with what woke it, what it read and wrote, how it ended and what comes next. */
import type { ReconcileTrigger } from "../trigger/reconcile-trigger.ts";

/** One reconcile, as it is remembered. */
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
  /** What is wrong with the program, though the reconcile did not fail for it. */
  readonly warnings?: readonly string[] | undefined;
  readonly outcome: string;
  readonly message: string;
  /** Where it failed, as far as that is a line of the user's: `file:line:column`. */
  readonly where?: string | undefined;
  readonly milliseconds: number;
  readonly next: string;
}

/** What is remembered of one object. */
export interface HistoryEntry {
  readonly controller: string;
  readonly key: string;
  /** The latest last. */
  readonly reconciles: readonly ReconcileRecord[];
}

/** So many reconciles of an object are remembered. */
export const maxReconciles = 8;
/** Of so many objects an operator that runs for months remembers reconciles. */
const OBJECTS_KEPT = 10_000;

/** So many more are forgotten together: to find the oldest of a map, everything that was deleted before it is passed again. */
const FORGOTTEN_AT_ONCE = 1_000;

/** The memory of one operator. */
export class History implements Iterable<HistoryEntry> {
  readonly #reconciles = new Map<string, ReconcileRecord[]>();
  readonly #objectsKept: number;

  constructor(objectsKept: number = OBJECTS_KEPT) {
    this.#objectsKept = objectsKept;
  }

  record(controller: string, key: string, reconcile: ReconcileRecord): void {
    const id = `${controller} ${key}`;
    const reconciles = this.#reconciles.get(id) ?? [];
    // Re-inserting moves the object to the end: the first in the map is the one that was quiet for longest.
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

  /** Everything that is remembered, whoever was looked at last at the end. */
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
