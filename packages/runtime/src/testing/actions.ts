/** Counts the writes of a test, so that something can happen around one of them. */

/** Runs before a write; returns what runs after it. */
type Before = () => (() => void) | undefined;

/** The writes of a test. */
export class Actions {
  #count = 0;
  readonly #before = new Map<number, Before>();

  get count(): number {
    return this.#count;
  }

  /** Sets what runs before the nth write from now on. */
  before(nth: number, run: Before): void {
    this.#before.set(this.#count + nth, run);
  }

  async run<T>(write: () => Promise<T>): Promise<T> {
    this.#count++;
    const end = this.#before.get(this.#count)?.();
    try {
      return await write();
    } finally {
      end?.();
    }
  }
}
