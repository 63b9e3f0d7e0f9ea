/** A time limit and the caller's signal as one signal, which is let go of when the call is over. */
import { ConnectionError } from "../error/connection-error.ts";
import type { Clock } from "../host/clock.ts";

/** The limit of one call. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Milliseconds that are left. */
  left(): number;
  /** No limit any more, but the caller's signal still counts: for streams, whose head has come. */
  lift(): void;
  /** The call is over. */
  end(): void;
}

/** What a deadline is made from. */
export interface DeadlineOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly server: string;
}

/** Starts the limit of one call. */
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
