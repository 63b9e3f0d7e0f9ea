/** The clock of the machine, and waits on a clock. */
import type { Clock, Timer } from "@capstan/model";

export type { Clock, Timer } from "@capstan/model";

/** A number in [0, 1), injected so that a run is reproducible. */
export type Random = () => number;

/** `setTimeout` counts in a 32-bit integer: longer waits are cut into pieces. */
const LONGEST_TIMEOUT = 2 ** 31 - 1;

/**
 * The time of the machine.
 *
 * @example
 * const started = systemClock.now();
 * const elapsed = () => systemClock.now() - started;
 */
export const systemClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  later: (delay, run) => startTimeout(delay, run),
};

/** The system's random numbers. */
export const systemRandom: Random = () => Math.random();

function startTimeout(delay: number, run: () => void): Timer {
  let handle: NodeJS.Timeout;
  const arm = (left: number): void => {
    const piece = Math.min(left, LONGEST_TIMEOUT);
    handle = setTimeout(() => (left > piece ? arm(left - piece) : run()), piece);
  };
  arm(Math.max(0, delay));
  return { cancel: () => clearTimeout(handle) };
}

/** Waits; rejects with the signal's reason if it is aborted first. */
export function sleep(clock: Clock, delay: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = (): void => {
      timer.cancel();
      reject(signal?.reason);
    };
    const timer = clock.later(delay, () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    });
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/** Waits for a promise or for the signal to be aborted, whichever comes first. */
export async function unlessAborted(work: Promise<unknown> | undefined, signal: AbortSignal): Promise<void> {
  if (work === undefined || signal.aborted) return;
  const aborted = Promise.withResolvers<void>();
  const onAbort = (): void => aborted.resolve();
  signal.addEventListener("abort", onAbort, { once: true });
  await Promise.race([work, aborted.promise]);
  signal.removeEventListener("abort", onAbort);
}

/** The wall-clock time as Kubernetes writes it into objects: RFC 3339 without fractions. */
export function timestamp(clock: Clock): string {
  return `${new Date(clock.wall()).toISOString().slice(0, 19)}Z`;
}
