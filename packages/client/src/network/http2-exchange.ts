/** One request and its answer on an HTTP/2 session. */
import { constants } from "node:http2";
import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http2";
import { concat, decode } from "../transport/body.ts";
import type { Body, TransportRequest, TransportResponse } from "../transport/transport.ts";
import { errorCode, toConnectionError } from "./failure.ts";
import type { Phase } from "./failure.ts";

/** What an exchange needs to know. */
export interface ExchangeOptions {
  readonly request: TransportRequest;
  readonly server: string;
  /** Is told when a stream begins and ends. */
  readonly count: (change: 1 | -1) => void;
}

/** Sends the request and resolves with the head of the answer. */
export function exchange(
  session: ClientHttp2Session,
  headers: OutgoingHttpHeaders,
  { request: { body, signal }, server, count }: ExchangeOptions,
): Promise<TransportResponse> {
  return new Promise((resolve, reject) => {
    let stream: ClientHttp2Stream;
    try {
      stream = session.request(headers, { endStream: body === undefined });
    } catch (cause) {
      // The session was closed between our look at it and now.
      return reject(toConnectionError(cause, server, "unsent"));
    }
    count(1);
    if (body !== undefined) stream.end(body);
    const onAbort = (): void => {
      stream.close(constants.NGHTTP2_CANCEL);
      reject(signal?.reason as Error);
    };
    signal?.addEventListener("abort", onAbort);
    let failure: unknown;
    stream.on("error", (error) => (failure = error));
    stream.once("response", (head) => {
      const explain = (): Error => reasonOf(stream, { failure, server, signal });
      resolve({ status: head[":status"] ?? 0, headers: head as ResponseHead, body: bodyOf(stream, explain) });
    });
    stream.once("close", () => {
      count(-1);
      signal?.removeEventListener("abort", onAbort);
      // Without effect once the head has come.
      reject(reasonOf(stream, { failure, server, signal }));
    });
  });
}

type ResponseHead = Omit<IncomingHttpHeaders, ":status">;

interface Ending {
  readonly failure: unknown;
  readonly server: string;
  readonly signal: AbortSignal | undefined;
}

/** Why a stream ended before its time. */
function reasonOf(stream: ClientHttp2Stream, { failure, server, signal }: Ending): Error {
  if (signal?.aborted === true) return signal.reason as Error;
  const cause = failure ?? new Error(`the stream was closed with code ${stream.rstCode}`);
  return toConnectionError(cause, server, phaseOf(stream, failure));
}

/** REFUSED_STREAM promises that nothing was done (RFC 9113, section 8.7); so does a session that never took the stream. */
function phaseOf(stream: ClientHttp2Stream, failure: unknown): Phase {
  if (stream.rstCode === constants.NGHTTP2_REFUSED_STREAM || stream.id === undefined) return "unsent";
  return errorCode(failure) === "ERR_HTTP2_GOAWAY_SESSION" ? "unsent" : "sent";
}

function bodyOf(stream: ClientHttp2Stream, explain: () => Error): Body {
  const bytes = (): Promise<Uint8Array> => collect(stream, explain);
  const text = async (): Promise<string> => decode(await bytes());
  const cancel = (): void => {
    if (!stream.closed) stream.close(constants.NGHTTP2_CANCEL);
  };
  return {
    bytes,
    text,
    json: async () => JSON.parse(decode(await bytes())) as unknown,
    cancel,
    [Symbol.asyncIterator]: () => chunks(stream, { explain, cancel }),
  };
}

/** Whether the server said that this was all. A reset or a lost connection also ends a stream, but not so. */
function isComplete(stream: ClientHttp2Stream): boolean {
  return !stream.aborted && stream.rstCode === constants.NGHTTP2_NO_ERROR && !stream.errored;
}

function collect(stream: ClientHttp2Stream, explain: () => Error): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const parts: Uint8Array[] = [];
    let ended = false;
    stream.on("data", (chunk: Uint8Array) => parts.push(chunk));
    stream.once("end", () => {
      ended = true;
      if (isComplete(stream)) resolve(concat(parts));
    });
    if (stream.closed && stream.readableEnded) return reject(explain());
    stream.once("close", () => {
      if (!ended || !isComplete(stream)) reject(explain());
    });
  });
}

interface Chunking {
  readonly explain: () => Error;
  readonly cancel: () => void;
}

async function* chunks(stream: ClientHttp2Stream, { explain, cancel }: Chunking): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of stream) yield chunk as Uint8Array;
    if (!isComplete(stream)) throw explain();
  } catch (error) {
    throw isComplete(stream) ? error : explain();
  } finally {
    cancel();
  }
}
