/** A transport to an API server in the same process: a function from `Request` to `Response`. */
import { ConnectionError } from "../error/connection-error.ts";
import { bodyOfBytes, bodyOfChunks } from "./body.ts";
import type { RequestHeaders, ResponseHeaders, Transport, TransportRequest, TransportResponse } from "./transport.ts";

/** An API server as a fetch handler. */
export type FetchHandler = (request: Request) => Promise<Response> | Response;

/**
 * A transport to an API server that is a function.
 *
 * @example
 * const client = createClient(inProcess(() => Response.json({ kind: "Status", status: "Success" })));
 */
export function inProcess(handler: FetchHandler, origin = "http://in-process"): Transport {
  return {
    async request(request): Promise<TransportResponse> {
      request.signal?.throwIfAborted();
      const exchange = new AbortController();
      const stop = follow(request.signal, exchange);
      try {
        request.beforeSending?.();
        const response = await answer(handler, toRequest(request, origin, exchange.signal));
        return fromResponse(response, { exchange, server: origin });
      } catch (error) {
        stop();
        throw error;
      }
    },
  };
}

/** Aborts the exchange when the caller's signal aborts. Returns a function that removes the link. */
function follow(signal: AbortSignal | undefined, exchange: AbortController): () => void {
  if (signal === undefined) return () => {};
  const onAbort = (): void => exchange.abort(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true, signal: exchange.signal });
  return () => signal.removeEventListener("abort", onAbort);
}

function toRequest(request: TransportRequest, origin: string, signal: AbortSignal): Request {
  const { method, path, headers, body } = request;
  const init: RequestInit = { method, headers: toHeaders(headers), signal };
  if (body !== undefined) init.body = typeof body === "string" ? body : new Uint8Array(body);
  return new Request(origin + path, init);
}

function toHeaders(headers: RequestHeaders): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value]] : value.map((one): [string, string] => [name, one]),
  );
}

async function answer(handler: FetchHandler, request: Request): Promise<Response> {
  try {
    return await untilAborted(Promise.resolve(handler(request)), request.signal);
  } catch (cause) {
    if (request.signal.aborted) throw request.signal.reason;
    throw new ConnectionError({ code: "ConnectionLost", server: request.url, sent: true, cause });
  }
}

/** A handler that ignores the signal must not block its caller. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

interface Reading {
  readonly exchange: AbortController;
  readonly server: string;
}

function fromResponse(response: Response, reading: Reading): TransportResponse {
  const headers: ResponseHeaders = Object.fromEntries(response.headers);
  const cancel = (): void => reading.exchange.abort();
  const body = response.body === null ? bodyOfBytes("") : bodyOfChunks(chunksOf(response.body, reading), cancel);
  return { status: response.status, headers, body };
}

/** An abort ends the reading, with one listener for the whole stream. */
async function* chunksOf(
  stream: ReadableStream<Uint8Array>,
  { exchange, server }: Reading,
): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  const { signal } = exchange;
  const stop = (): void => void reader.cancel(signal.reason).catch(() => {});
  signal.addEventListener("abort", stop, { once: true });
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        throw new ConnectionError({ code: "ConnectionLost", server, sent: true, cause });
      });
      if (signal.aborted) throw signal.reason;
      if (done) return;
      yield value;
    }
  } finally {
    exchange.abort();
  }
}
