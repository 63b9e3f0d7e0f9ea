/** Sends one call: within its deadline, repeated where that is safe, failures turned into errors. */
import { ApiError } from "../error/api-error.ts";
import { describeAttempt } from "../error/attempt.ts";
import type { Attempt } from "../error/attempt.ts";
import { ConnectionError } from "../error/connection-error.ts";
import { errorOf } from "../error/from-response.ts";
import type { Clock } from "../host/clock.ts";
import { sleep } from "../host/clock.ts";
import type { ResponseHeaders, Transport, TransportResponse } from "../transport/transport.ts";
import { startDeadline } from "./deadline.ts";
import type { Deadline } from "./deadline.ts";
import { retryDelay } from "./retry.ts";
import type { RetryPolicy } from "./retry.ts";

/** What every call can be told. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** How long the call may take, repeats included; of a stream, until it begins. */
  readonly timeoutMs?: number | undefined;
  readonly retry?: RetryPolicy | undefined;
  /**
   * Called right before each sending of the request, repeats included, when all that had to be waited for is over; what it throws ends the
   * call. For whoever was allowed to send when the call was made, and may not be any more.
   */
  readonly beforeSending?: (() => void) | undefined;
}

/** One call, ready to be sent. */
export interface Call {
  readonly attempt: Attempt;
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | Uint8Array | undefined;
  readonly options: CallOptions;
}

/** An answer that is still being read. */
export interface Opened {
  readonly response: TransportResponse;
  /** To be called when the reader is through. */
  readonly end: () => void;
}

/** One sending of a request, a repeat as well as the first. */
export interface SentRequest {
  readonly method: string;
  /** Of the answer; undefined where there was none. */
  readonly status: number | undefined;
}

/** What calls are sent with. */
export interface SenderOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: () => number;
  readonly retry: RetryPolicy;
  readonly timeoutMs: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly server: string;
  readonly noteHeaders: (headers: ResponseHeaders) => void;
  readonly onSent?: ((sent: SentRequest) => void) | undefined;
}

/** Sends calls. */
export interface Sender {
  /** Sends a call and parses the answer. */
  json<T>(call: Call): Promise<T>;
  /** Sends a call and gives the body as it is. */
  bytes(call: Call): Promise<Uint8Array>;
  /** Sends a call whose answer is a stream. */
  open(call: Call): Promise<Opened>;
  /** Starts the limit of a call that is more, or less, than one request. */
  start(options: CallOptions): Deadline;
}

/** Sends calls over a transport. */
export function createSender(options: SenderOptions): Sender {
  const { clock, server } = options;

  const start = ({ signal, timeoutMs = options.timeoutMs }: CallOptions): Deadline =>
    startDeadline({ clock, timeoutMs, signal, server });

  async function whole<T>(call: Call, read: (response: TransportResponse) => Promise<T>): Promise<T> {
    const deadline = start(call.options);
    try {
      return await sendWithRetry(options, call, { deadline, read });
    } finally {
      deadline.end();
    }
  }

  return {
    start,
    json: <T>(call: Call) => whole(call, (response) => response.body.json() as Promise<T>),
    bytes: (call) => whole(call, (response) => response.body.bytes()),
    async open(call) {
      const deadline = start(call.options);
      try {
        const response = await sendWithRetry(options, call, { deadline, read: (opened) => Promise.resolve(opened) });
        deadline.lift();
        return { response, end: () => deadline.end() };
      } catch (error) {
        deadline.end();
        throw error;
      }
    },
  };
}

interface Exchange<T> {
  readonly deadline: Deadline;
  readonly read: (response: TransportResponse) => Promise<T>;
}

async function sendWithRetry<T>(options: SenderOptions, call: Call, exchange: Exchange<T>): Promise<T> {
  const { deadline } = exchange;
  for (let attemptsMade = 1; ; attemptsMade += 1) {
    try {
      return await once(options, call, exchange);
    } catch (thrown) {
      const error = toCallError(thrown, call.attempt, deadline.signal);
      const policy = call.options.retry ?? options.retry;
      const failure = { error, verb: call.attempt.verb, attemptsMade, random: options.random() };
      const delay = retryDelay(policy, failure);
      if (delay === undefined || delay >= deadline.left()) throw error;
      await sleep(options.clock, delay, deadline.signal);
    }
  }
}

async function once<T>(options: SenderOptions, call: Call, { deadline, read }: Exchange<T>): Promise<T> {
  const { method, path, body } = call;
  const { beforeSending } = call.options;
  const headers = call.headers === undefined ? options.headers : { ...options.headers, ...call.headers };
  const { signal } = deadline;
  // Asked here too, for transports that do not know the question.
  beforeSending?.();
  const answer = options.transport.request({ method, path, headers, body, signal, beforeSending });
  const response = await (options.onSent === undefined ? answer : reportSent(answer, method, options.onSent));
  options.noteHeaders(response.headers);
  if (response.status < 300) return read(response);
  throw await errorOf(response, call.attempt);
}

async function reportSent(
  answer: Promise<TransportResponse>,
  method: string,
  onSent: (sent: SentRequest) => void,
): Promise<TransportResponse> {
  let status: number | undefined;
  try {
    const response = await answer;
    ({ status } = response);
    return response;
  } finally {
    onSent({ method, status });
  }
}

/** What was thrown, as an error that names the attempt; an abort is the caller's own and passes through. */
export function toCallError(thrown: unknown, attempt: Attempt, signal?: AbortSignal): ApiError {
  if (thrown instanceof ConnectionError) return thrown.during(attempt);
  if (thrown instanceof ApiError) return thrown;
  if (signal?.aborted === true && thrown === signal.reason) throw thrown;
  if (thrown instanceof SyntaxError) {
    const message = `Cannot ${describeAttempt(attempt)}: the answer is not JSON (${thrown.message}). Check that the address is that of a Kubernetes API server.`;
    return new ApiError({ code: "BadAnswer", message, attempt, cause: thrown });
  }
  throw thrown;
}
