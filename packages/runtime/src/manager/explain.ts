/** Why did it run: the last turns of each object, with what woke it, what it read and wrote, how it ended and what comes next. */
import type { Cause } from "../trigger/cause.ts";

/** One turn, as it is remembered. */
export interface TurnRecord {
  readonly at: string;
  readonly causes: readonly Cause[];
  readonly reads: readonly string[];
  readonly writes: readonly {
    readonly verb: string;
    readonly kind: string;
    readonly key: string;
    readonly fields: readonly string[];
  }[];
  readonly decisions: readonly string[];
  /** What is wrong with the program, though the turn did not fail for it. */
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
  readonly turns: readonly TurnRecord[];
}

/** So many turns of an object are remembered. */
export const TURNS_KEPT = 8;
/** Of so many objects an operator that runs for months remembers turns. */
const OBJECTS_KEPT = 10_000;

/** So many more are forgotten together: to find the oldest of a map, everything that was deleted before it is passed again. */
const FORGOTTEN_AT_ONCE = 1_000;

/** The memory of one operator. */
export class History implements Iterable<HistoryEntry> {
  readonly #turns = new Map<string, TurnRecord[]>();
  readonly #objectsKept: number;

  constructor(objectsKept: number = OBJECTS_KEPT) {
    this.#objectsKept = objectsKept;
  }

  record(controller: string, key: string, turn: TurnRecord): void {
    const id = `${controller} ${key}`;
    const turns = this.#turns.get(id) ?? [];
    // Re-inserting moves the object to the end: the first in the map is the one that was quiet for longest.
    this.#turns.delete(id);
    this.#turns.set(id, [...turns.slice(1 - TURNS_KEPT), turn]);
    if (this.#turns.size > this.#objectsKept + FORGOTTEN_AT_ONCE) this.#forgetOldest();
  }

  #forgetOldest(): void {
    for (const id of this.#turns.keys()) {
      if (this.#turns.size <= this.#objectsKept) return;
      this.#turns.delete(id);
    }
  }

  /** The turns of an object, the latest last. */
  of(controller: string, key: string): readonly TurnRecord[] {
    return this.#turns.get(`${controller} ${key}`) ?? [];
  }

  /** Everything that is remembered, whoever was looked at last at the end. */
  *[Symbol.iterator](): Iterator<HistoryEntry> {
    for (const [id, turns] of this.#turns) {
      const [controller = "", key = ""] = id.split(" ");
      yield { controller, key, turns };
    }
  }

  forget(controller: string, key: string): void {
    this.#turns.delete(`${controller} ${key}`);
  }
}
