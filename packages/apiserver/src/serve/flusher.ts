/** Decides when live bodies go out: at once while there are few, in common turns when there are many. */

/** Something with chunks that wait. */
export interface Flushable {
  flush(): void;
}

/** With fewer bodies than this, nobody waits. */
const crowd = 100;
/** The longest wait, in milliseconds; a thousand watchers of a busy kind cost one write each per turn, not per event. */
const longestWait = 20;
const bodiesPerMillisecond = 50;

/** Collects bodies with something to send and sends them together. */
export class Flusher {
  readonly #waiting = new Set<Flushable>();
  #open = 0;
  #scheduled = false;

  /** A body began; call the returned function when it ends. */
  opened(): () => void {
    this.#open++;
    let isOpen = true;
    return () => {
      if (isOpen) this.#open--;
      isOpen = false;
    };
  }

  /** A body has something to send. */
  wake(body: Flushable): void {
    this.#waiting.add(body);
    if (this.#scheduled) return;
    this.#scheduled = true;
    const run = (): void => this.#flushAll();
    if (this.#open < crowd) setImmediate(run);
    else setTimeout(run, Math.min(longestWait, this.#open / bodiesPerMillisecond));
  }

  #flushAll(): void {
    this.#scheduled = false;
    const bodies = [...this.#waiting];
    this.#waiting.clear();
    for (const body of bodies) body.flush();
  }
}
