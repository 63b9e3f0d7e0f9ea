/** Work that several wait for: begun for the first, and usually ended when the last of them has given up. */
import { orAborted } from "./or-aborted.ts";

/** Waits for the work that is under way, or begins it; the signal is that of the one who waits, and ends nobody else's waiting. */
export type JointWork<T> = (signal: AbortSignal | undefined) => Promise<T>;

interface Begun<T> {
  readonly result: Promise<T>;
  readonly end: AbortController;
  waiting: number;
}

/** What becomes of work that nobody waits for any more: it is ended, or goes on for whoever comes next. */
export type Unwanted = "ends" | "goes on";

/** Work that is done once, however many ask for it at the same time. */
export function jointWork<T>(work: (signal: AbortSignal) => Promise<T>, unwanted: Unwanted = "ends"): JointWork<T> {
  let current: Begun<T> | undefined;

  function forget(begun: Begun<T>): void {
    if (current === begun) current = undefined;
  }

  function begin(): Begun<T> {
    const end = new AbortController();
    const begun: Begun<T> = { result: work(end.signal), end, waiting: 0 };
    const over = (): void => forget(begun);
    begun.result.then(over, over);
    return begun;
  }

  return async (signal) => {
    signal?.throwIfAborted();
    const joined = (current ??= begin());
    joined.waiting++;
    try {
      return await orAborted(joined.result, signal);
    } finally {
      if (--joined.waiting === 0 && signal?.aborted === true && unwanted === "ends") {
        forget(joined);
        joined.end.abort(signal.reason);
      }
    }
  };
}
