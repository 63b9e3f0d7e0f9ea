/** A timeout combined with the caller's signal: one signal, and afterwards the reason. */
import type { Clock } from "capstan";
import type { CallOptions } from "./client.ts";
import { EtcdError } from "./errors.ts";

export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
  readonly timeoutMs: number | undefined;
  /** Marks the deadline as passed: the member reported it shortly before the local timer. */
  pass(): void;
  /** The error of a call that was cut short; undefined if it was not. */
  failure(isSent: boolean): EtcdError | undefined;
}

export interface DeadlineOptions extends CallOptions {
  readonly clock: Clock;
  readonly endpoint: string;
  /** Description of the call for the message. */
  readonly what: string;
}

/** Starts the timer; disposing stops it. */
export function startDeadline({ clock, endpoint, what, timeoutMs, signal }: DeadlineOptions): Deadline {
  const controller = new AbortController();
  let cut: "Deadline" | "Aborted" | undefined;
  const stop = (why: "Deadline" | "Aborted"): void => {
    cut ??= why;
    controller.abort();
  };
  const onAbort = (): void => stop("Aborted");
  if (signal?.aborted) onAbort();
  signal?.addEventListener("abort", onAbort, { once: true });
  const timer = timeoutMs === undefined ? undefined : clock.later(timeoutMs, () => stop("Deadline"));
  return {
    signal: controller.signal,
    timeoutMs,
    pass: () => {
      if (timeoutMs !== undefined) stop("Deadline");
    },
    failure: (isSent) => {
      if (cut === undefined) return undefined;
      const why = cut === "Deadline" ? `no answer within ${timeoutMs} ms` : "the caller gave up";
      const message = `could not ask etcd at ${endpoint} for ${what}: ${why}`;
      return new EtcdError(cut, message, { endpoint, maybeDone: isSent, cause: signal?.reason });
    },
    [Symbol.dispose]: () => {
      timer?.cancel();
      signal?.removeEventListener("abort", onAbort);
    },
  };
}
