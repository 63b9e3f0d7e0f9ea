/**
 * The transport from controllers and nodes to the API server in the same process. It passes calls and responses directly, without Request
 * and Response objects: these cost time per call, and loading their implementation costs megabytes.
 */
import type { Answer, Call, UserInfo } from "@capstan/apiserver";
import { bodyOfBytes, bodyOfChunks, ConnectionError } from "@capstan/client";
import type { Transport, TransportRequest, TransportResponse } from "@capstan/client";
import { apiErrors } from "@capstan/model";
import { isLiveBody, readLiveBody } from "./live-body.ts";

/** An API server as a function. */
export type Handle = (call: Call) => Promise<Answer>;

/** The longest request body, as on the port. */
const MAX_BODY_BYTES = 3 * 1024 * 1024;

/** The server name in errors. */
export const SERVER = "in-process";

/** A transport to an API server that is a function. Requests without credentials act as `user`. */
export function inProcessTransport(handle: Handle, user: UserInfo): Transport {
  return {
    async request(request): Promise<TransportResponse> {
      request.signal?.throwIfAborted();
      const exchange = new AbortController();
      const unlink = linkSignal(request.signal, exchange);
      try {
        const response = await untilAborted(handle(toCall(request, user, exchange.signal)), exchange.signal);
        return toResponse(response, { exchange, unlink, isHead: request.method === "HEAD" });
      } catch (cause) {
        unlink();
        if (exchange.signal.aborted) throw exchange.signal.reason;
        throw new ConnectionError({ code: "ConnectionLost", server: SERVER, sent: true, cause });
      }
    },
  };
}

/** Aborts the exchange when the caller's signal aborts. Returns a function that removes the link. */
function linkSignal(signal: AbortSignal | undefined, exchange: AbortController): () => void {
  if (signal === undefined) return () => {};
  const onAbort = (): void => exchange.abort(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  return () => signal.removeEventListener("abort", onAbort);
}

/** A handler that ignores the signal must not block its caller. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

function toCall({ method, path, headers, body = "" }: TransportRequest, user: UserInfo, signal: AbortSignal): Call {
  return {
    method,
    url: path,
    headers,
    body: async () => checkLength(typeof body === "string" ? Buffer.from(body) : body),
    signal,
    remoteAddress: SERVER,
    ...(headers["authorization"] === undefined && { user }),
  };
}

function checkLength(body: Uint8Array): Uint8Array {
  if (body.length > MAX_BODY_BYTES) throw apiErrors.requestEntityTooLarge(`limit is ${MAX_BODY_BYTES}`);
  return body;
}

interface Exchange {
  readonly exchange: AbortController;
  readonly unlink: () => void;
  readonly isHead: boolean;
}

function toResponse({ status, headers, body }: Answer, { exchange, unlink, isHead }: Exchange): TransportResponse {
  if (isLiveBody(body) && !isHead) {
    exchange.signal.addEventListener("abort", unlink, { once: true });
    const cancel = (): void => exchange.abort();
    return { status, headers, body: bodyOfChunks(readLiveBody(body, exchange), cancel) };
  }
  unlink();
  return { status, headers, body: bodyOfBytes(isHead || isLiveBody(body) ? "" : body) };
}
