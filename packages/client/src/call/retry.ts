/** Whether and when a failed request is retried. */
import type { ApiError } from "../error/api-error.ts";
import type { Verb } from "../error/attempt.ts";
import { ConnectionError } from "../error/connection-error.ts";

/**
 * How often and how patiently requests are repeated.
 *
 * @example
 * const patient: RetryPolicy = { attempts: 10, firstDelayMs: 500, maxDelayMs: 30_000 };
 */
export interface RetryPolicy {
  /** The maximum number of attempts; 1 means no retry. */
  readonly attempts: number;
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
}

/**
 * Five times within about two seconds.
 *
 * @example
 * const client = createClient(await loadConfig(processHost()), { retry: { ...defaultRetry, attempts: 10 } });
 */
export const defaultRetry: RetryPolicy = { attempts: 5, firstDelayMs: 100, maxDelayMs: 5000 };

/**
 * Sent once, whatever happens.
 *
 * @example
 * const client = createClient(await loadConfig(processHost()), { retry: noRetry });
 */
export const noRetry: RetryPolicy = { attempts: 1, firstDelayMs: 0, maxDelayMs: 0 };

/** Verbs that are safe to repeat. */
const idempotent: ReadonlySet<Verb> = new Set<Verb>(["get", "list", "watch", "apply"]);

/** A failed attempt. */
export interface Failure {
  readonly error: ApiError;
  readonly verb: Verb;
  /** The attempts so far. */
  readonly attemptsMade: number;
  /** In [0, 1). */
  readonly random: number;
}

/** The delay before the next attempt; undefined if the request must not be repeated. */
export function retryDelay(policy: RetryPolicy, failure: Failure): number | undefined {
  if (failure.attemptsMade >= policy.attempts || !isRepeatable(failure)) return undefined;
  const { error, attemptsMade, random } = failure;
  const backoff = Math.min(policy.maxDelayMs, policy.firstDelayMs * 2 ** (attemptsMade - 1));
  const jittered = backoff * (0.5 + random / 2);
  return error.retryAfterMs === undefined ? jittered : error.retryAfterMs + jittered / 10;
}

function isRepeatable({ error, verb }: Failure): boolean {
  if (error instanceof ConnectionError) return mayReconnect(error, verb);
  const overloaded = error.status === 429 || error.status >= 500;
  // With Retry-After the server has not processed the request, whatever the verb.
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
