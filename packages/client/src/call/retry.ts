/** Whether a failed request may be repeated, and when. */
import type { ApiError } from "../error/api-error.ts";
import type { Verb } from "../error/attempt.ts";
import { ConnectionError } from "../error/connection-error.ts";

/** How often and how patiently requests are repeated. */
export interface RetryPolicy {
  /** How often a request is sent at most; 1 means never again. */
  readonly attempts: number;
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
}

/** Five times within about two seconds. */
export const defaultRetry: RetryPolicy = { attempts: 5, firstDelayMs: 100, maxDelayMs: 5000 };

/** Sent once, whatever happens. */
export const noRetry: RetryPolicy = { attempts: 1, firstDelayMs: 0, maxDelayMs: 0 };

/** Sending these twice does what sending them once does. */
const idempotent: ReadonlySet<Verb> = new Set<Verb>(["get", "list", "watch", "apply"]);

/** What is known when a request has failed. */
export interface Failure {
  readonly error: ApiError;
  readonly verb: Verb;
  /** How often it has been sent. */
  readonly attemptsMade: number;
  /** From 0 up to 1. */
  readonly random: number;
}

/** How long to wait before the request is sent again, or undefined where it must not be. */
export function retryDelay(policy: RetryPolicy, failure: Failure): number | undefined {
  if (failure.attemptsMade >= policy.attempts || !isRepeatable(failure)) return undefined;
  const { error, attemptsMade: tries, random } = failure;
  const backoff = Math.min(policy.maxDelayMs, policy.firstDelayMs * 2 ** (tries - 1));
  const jittered = backoff * (0.5 + random / 2);
  return error.retryAfterMs === undefined ? jittered : error.retryAfterMs + jittered / 10;
}

function isRepeatable({ error, verb }: Failure): boolean {
  if (error instanceof ConnectionError) return mayReconnect(error, verb);
  const overloaded = error.status === 429 || error.status >= 500;
  // With Retry-After the server says that it did not do it and wants to be asked again: that holds for every verb.
  if (overloaded && error.retryAfterMs !== undefined) return true;
  return (error.status === 429 || error.status === 503) && idempotent.has(verb);
}

function mayReconnect({ code, sent }: ConnectionError, verb: Verb): boolean {
  switch (code) {
    case "Unreachable":
    case "ConnectionLost":
      return !sent || idempotent.has(verb);
    case "TlsFailed":
    case "DeadlineExceeded":
      return false;
  }
}
