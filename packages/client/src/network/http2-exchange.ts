/** One request and its answer on an HTTP/2 session. This is the hot path: few listeners, few closures. */
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
  options: ExchangeOptions,
): Promise<TransportResponse> {
  const { body, signal } = options.request;
  if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
  let stream: ClientHttp2Stream;
  try {
    stream = session.request(headers, { endStream: body === undefined });
  } catch (cause) {
    // The session was closed between our look at it and now.
    return Promise.reject(toConnectionError(cause, options.server, "unsent"));
  }
  if (body !== undefined) stream.end(body);
  return new Exchange(stream, options).head();
}

/** An exchange is the body of its own answer; it ends with its stream. */
class Exchange implements Body {
  readonly #stream: ClientHttp2Stream;
  readonly #options: ExchangeOptions;
  #failure: unknown;
  #closed = false;
  /** Called when the stream closes and somebody still waits for something. */
  #waiting: ((reason: Error) => void) | undefined;

  constructor(stream: ClientHttp2Stream, options: ExchangeOptions) {
    this.#stream = stream;
    this.#options = options;
    options.count(1);
    const { signal } = options.request;
    const onAbort = (): void => this.cancel();
    signal?.addEventListener("abort", onAbort);
    stream.on("error", (error) => (this.#failure = error));
    stream.on("close", () => {
      options.count(-1);
      signal?.removeEventListener("abort", onAbort);
      this.#closed = true;
      this.#waiting?.(this.#reason());
    });
  }

  head(): Promise<TransportResponse> {
    return new Promise((resolve, reject) => {
      this.#waiting = reject;
      this.#stream.on("response", (head) => {
        this.#waiting = undefined;
        resolve({ status: head[":status"] ?? 0, headers: head as Omit<IncomingHttpHeaders, ":status">, body: this });
      });
    });
  }

  bytes(): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      if (this.#closed && !this.#isComplete()) return reject(this.#reason());
      const parts: Uint8Array[] = [];
      this.#waiting = reject;
      this.#stream.on("data", (chunk: Uint8Array) => parts.push(chunk));
      this.#stream.on("end", () => {
        if (!this.#isComplete()) return;
        this.#waiting = undefined;
        resolve(concat(parts));
      });
    });
  }

  async text(): Promise<string> {
    return decode(await this.bytes());
  }

  async json(): Promise<unknown> {
    return JSON.parse(decode(await this.bytes())) as unknown;
  }

  cancel(): void {
    if (!this.#stream.closed) this.#stream.close(constants.NGHTTP2_CANCEL);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of this.#stream) yield chunk as Uint8Array;
      if (!this.#isComplete()) throw this.#reason();
    } catch (error) {
      throw this.#isComplete() ? error : this.#reason();
    } finally {
      this.cancel();
    }
  }

  /** Whether the server said that this was all. A reset or a lost connection also ends a stream, but not so. */
  #isComplete(): boolean {
    return !this.#stream.aborted && this.#stream.rstCode === constants.NGHTTP2_NO_ERROR && this.#failure === undefined;
  }

  /** Why the stream ended before its time. */
  #reason(): Error {
    const { server, request } = this.#options;
    if (request.signal?.aborted === true) return request.signal.reason as Error;
    const cause = this.#failure ?? new Error(`the stream was closed with code ${this.#stream.rstCode}`);
    return toConnectionError(cause, server, this.#phase());
  }

  /** REFUSED_STREAM promises that nothing was done (RFC 9113, section 8.7); so does a session that never took the stream. */
  #phase(): Phase {
    const { rstCode, id } = this.#stream;
    if (rstCode === constants.NGHTTP2_REFUSED_STREAM || id === undefined) return "unsent";
    return errorCode(this.#failure) === "ERR_HTTP2_GOAWAY_SESSION" ? "unsent" : "sent";
  }
}
