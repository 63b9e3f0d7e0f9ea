/** Sends one call within its deadline, retries where that is safe, and converts failures into errors. */
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

/** The options of every call. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** The limit of the call including retries; for a stream, until it starts. */
  readonly timeoutMs?: number | undefined;
  readonly retry?: RetryPolicy | undefined;
  /**
   * Runs right before each attempt, after all waiting. An error from it ends the call. Use it when the permission to send may expire, as
   * with leader election.
   */
  readonly beforeSending?: (() => void) | undefined;
}

/** One call, ready to send. */
export interface Call {
  readonly attempt: Attempt;
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | Uint8Array | undefined;
  readonly options: CallOptions;
}

/** A response whose body is still being read. */
export interface Opened {
  readonly response: TransportResponse;
  /** Must be called when the reader is done. */
  readonly end: () => void;
}

/** One attempt to send a request. */
export interface SentRequest {
  readonly method: string;
  /** The status of the response; undefined without a response. */
  readonly status: number | undefined;
}

/** The options of a sender. */
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
  /** Sends a call and parses the response. */
  json<T>(call: Call): Promise<T>;
  /** Sends a call and returns the body as bytes. */
  bytes(call: Call): Promise<Uint8Array>;
  /** Sends a call with a streaming response. */
  open(call: Call): Promise<Opened>;
  /** Starts the deadline of a call that is not exactly one request. */
  start(options: CallOptions): Deadline;
}

/** Creates a sender over a transport. */
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
  // Called here for transports that ignore `beforeSending`.
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

/** Converts a thrown value into an error that names the attempt. An abort by the caller passes through. */
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
