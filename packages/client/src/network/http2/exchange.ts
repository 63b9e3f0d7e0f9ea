/** One request and its response on an HTTP/2 session. */
import { concat, decode } from "../../transport/body.ts";
import type { Body, TransportRequest, TransportResponse } from "../../transport/transport.ts";
import { toConnectionError } from "../failure.ts";
import type { Headers } from "./hpack-encoder.ts";
import type { SendState, Session, StreamListener } from "./session.ts";

/** The options of an exchange. */
export interface ExchangeOptions {
  readonly session: Session;
  readonly server: string;
  readonly headers: Headers;
  readonly request: TransportRequest;
}

/** Sends the request and resolves with the response head. */
export function exchange(options: ExchangeOptions): Promise<TransportResponse> {
  const { session, server, request } = options;
  if (request.signal?.aborted === true) return Promise.reject(request.signal.reason as Error);
  if (!session.isOpen) return Promise.reject(toConnectionError(new Error("the connection is gone"), server, "unsent"));
  return new Promise((resolve, reject) => {
    request.beforeSending?.();
    return new Exchange(options, resolve, reject);
  });
}

/** A reader that waits for the next chunk or the end. */
interface Reader {
  readonly wake: () => void;
  readonly fail: (reason: Error) => void;
}

class Exchange implements Body, StreamListener {
  readonly #options: ExchangeOptions;
  readonly #resolve: (response: TransportResponse) => void;
  readonly #reject: (reason: Error) => void;
  readonly #id: number;
  readonly #onAbort: (() => void) | undefined;
  #chunks: Buffer[] = [];
  #state: "head" | "body" | "ended" | "failed" = "head";
  #failure: Error | undefined;
  #reader: Reader | undefined;

  constructor(
    options: ExchangeOptions,
    resolve: (response: TransportResponse) => void,
    reject: (reason: Error) => void,
  ) {
    this.#options = options;
    this.#resolve = resolve;
    this.#reject = reject;
    const { session, headers, request } = options;
    if (request.signal !== undefined) {
      this.#onAbort = () => this.#abort(request.signal?.reason as Error);
      request.signal.addEventListener("abort", this.#onAbort);
    }
    this.#id = session.request(headers, request.body, this);
  }

  onHead(status: number, headers: Record<string, string>): void {
    this.#state = "body";
    this.#resolve({ status, headers, body: this });
  }

  onData(bytes: Buffer): void {
    this.#chunks.push(bytes);
    this.#reader?.wake();
  }

  onEnd(): void {
    this.#settle("ended");
    this.#reader?.wake();
  }

  onFailure(cause: Error, seen: SendState): void {
    this.#fail(toConnectionError(cause, this.#options.server, seen));
  }

  bytes(): Promise<Uint8Array> {
    return this.#whole((bytes) => bytes);
  }

  text(): Promise<string> {
    return this.#whole(decode);
  }

  json(): Promise<unknown> {
    return this.#whole((bytes) => JSON.parse(decode(bytes)) as unknown);
  }

  cancel(): void {
    if (this.#state !== "head" && this.#state !== "body") return;
    this.#options.session.cancel(this.#id);
    this.#fail(toConnectionError(new Error("the answer was not wanted any more"), this.#options.server, "sent"));
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const chunks = this.#chunks;
        this.#chunks = [];
        for (const chunk of chunks) {
          this.#options.session.consumed(this.#id, chunk.length);
          yield chunk;
        }
        if (this.#chunks.length > 0) continue;
        if (this.#failure !== undefined) throw this.#failure;
        if (this.#state === "ended") return;
        await this.#more();
      }
    } finally {
      this.cancel();
    }
  }

  /** Waits for the end. Chunks are consumed at once, so that a large response does not stall at the window. */
  async #whole<T>(convert: (bytes: Uint8Array) => T): Promise<T> {
    const { session } = this.#options;
    let taken = 0;
    while (this.#state === "body") {
      await this.#more();
      for (; taken < this.#chunks.length; taken += 1) session.consumed(this.#id, this.#chunks[taken]?.length ?? 0);
    }
    if (this.#failure !== undefined) throw this.#failure;
    return convert(concat(this.#chunks));
  }

  #more(): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (): void => void (this.#reader = undefined);
      this.#reader = {
        wake: () => {
          end();
          resolve();
        },
        fail: (reason) => {
          end();
          reject(reason);
        },
      };
    });
  }

  #abort(reason: Error): void {
    this.#options.session.cancel(this.#id);
    this.#fail(reason);
  }

  #fail(reason: Error): void {
    const wasHead = this.#state === "head";
    this.#failure = reason;
    this.#settle("failed");
    if (wasHead) this.#reject(reason);
    this.#reader?.fail(reason);
  }

  #settle(state: "ended" | "failed"): void {
    this.#state = state;
    const { signal } = this.#options.request;
    if (this.#onAbort !== undefined) signal?.removeEventListener("abort", this.#onAbort);
  }
}
