/** Work that several wait for: begun for the first, and usually ended when the last of them has given up. */
import { orAborted } from "./or-aborted.ts";

/** Waits for the work that is under way, or begins it; the signal is that of the one who waits, and ends nobody else's waiting. */
export type SingleFlight<T> = (signal: AbortSignal | undefined) => Promise<T>;

interface Flight<T> {
  readonly result: Promise<T>;
  readonly end: AbortController;
  waiting: number;
}

/** What becomes of work that nobody waits for any more: it is ended, or goes on for whoever comes next. */
export type WhenUnawaited = "cancel" | "continue";

/** Work that is done once, however many ask for it at the same time. */
export function singleFlight<T>(
  work: (signal: AbortSignal) => Promise<T>,
  whenUnawaited: WhenUnawaited = "cancel",
): SingleFlight<T> {
  let current: Flight<T> | undefined;

  function forget(flight: Flight<T>): void {
    if (current === flight) current = undefined;
  }

  function begin(): Flight<T> {
    const end = new AbortController();
    const flight: Flight<T> = { result: work(end.signal), end, waiting: 0 };
    const over = (): void => forget(flight);
    flight.result.then(over, over);
    return flight;
  }

  return async (signal) => {
    signal?.throwIfAborted();
    const joined = (current ??= begin());
    joined.waiting++;
    try {
      return await orAborted(joined.result, signal);
    } finally {
      if (--joined.waiting === 0 && signal?.aborted === true && whenUnawaited === "cancel") {
        forget(joined);
        joined.end.abort(signal.reason);
      }
    }
  };
}
