/** Combines a time limit and the caller's signal into one signal. */
import { ConnectionError } from "../error/connection-error.ts";
import type { Clock } from "../host/clock.ts";

/** The deadline of one call. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** The remaining milliseconds. */
  left(): number;
  /** Removes the time limit but keeps the caller's signal, for streams after their response head. */
  lift(): void;
  /** Releases the timer and the listener when the call is done. */
  end(): void;
}

/** The options of a deadline. */
export interface DeadlineOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly server: string;
}

/** Starts the deadline of a call. */
export function startDeadline({ clock, timeoutMs, signal, server }: DeadlineOptions): Deadline {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(signal?.reason);
  signal?.addEventListener("abort", onAbort);
  const until = clock.now() + timeoutMs;
  const timer = clock.later(timeoutMs, () => {
    const cause = new Error(`the limit of ${timeoutMs} ms passed`);
    controller.abort(new ConnectionError({ code: "DeadlineExceeded", server, sent: true, cause }));
  });
  return {
    signal: controller.signal,
    left: () => until - clock.now(),
    lift: () => timer.cancel(),
    end() {
      timer.cancel();
      signal?.removeEventListener("abort", onAbort);
    },
  };
}
