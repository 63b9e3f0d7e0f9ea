/** Work that several callers share: the first one starts it, and by default it is cancelled when the last one stops waiting. */
import { orAborted } from "./or-aborted.ts";

/** Joins the running work or starts it. The signal ends only this caller's wait. */
export type SingleFlight<T> = (signal: AbortSignal | undefined) => Promise<T>;

interface Flight<T> {
  readonly result: Promise<T>;
  readonly end: AbortController;
  waiting: number;
}

/** What happens to work that has no waiting caller: it is cancelled, or continues for the next caller. */
export type WhenUnawaited = "cancel" | "continue";

/** Runs the work once for all concurrent callers. */
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
