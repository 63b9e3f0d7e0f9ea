/** Runs work with a timeout and an abort signal. */
import type { Clock } from "../clock.ts";
import { RuntimeError } from "../errors.ts";

/** The limits of the work. */
export interface TimeLimit {
  readonly clock: Clock;
  /** In milliseconds; Infinity for none. */
  readonly limit: number;
  /** Aborts the work from outside. */
  readonly signal: AbortSignal;
  /** The name of the work, for the message. */
  readonly what: string;
}

/** Runs work; rejects on timeout or abort, whether or not the work observes its signal. */
export async function withTimeLimit<T>(limits: TimeLimit, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { clock, limit, signal, what } = limits;
  const controller = new AbortController();
  const ended = Promise.withResolvers<never>();
  const end = (reason: unknown): void => {
    controller.abort(reason);
    ended.reject(reason);
  };
  const onAbort = (): void => end(signal.reason);
  const timer = limit === Infinity ? undefined : clock.later(limit, () => end(timedOut(what, limit)));
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work(controller.signal), ended.promise]);
  } finally {
    timer?.cancel();
    signal.removeEventListener("abort", onAbort);
  }
}

function timedOut(what: string, limit: number): RuntimeError {
  return new RuntimeError(
    "TimedOut",
    `Stopped waiting for ${what} after ${Math.round(limit / 1000)} s. Pass the signal on to whatever it waits for, or raise the timeout.`,
  );
}
