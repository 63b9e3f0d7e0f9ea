/** A request to the kubelet API and its response, in the form in which an API server passes them. */
import type { Duplex } from "node:stream";

/** One request; the path is that of the kubelet API. */
export interface KubeletCall {
  readonly method: string;
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
  body(): Promise<Uint8Array>;
  readonly signal: AbortSignal;
  /** The raw connection, when the client asked for an upgrade; throws when it did not. */
  upgrade?(): Duplex;
}

/** Receives the chunks of a streamed body. */
export interface KubeletSink {
  write(chunk: string | Uint8Array): void;
  /** Whether so much data waits for the client that the source has to wait as well. */
  readonly isFull: boolean;
  /** Calls back once when a full sink has space again; never, if the client disconnects before. */
  whenDrained(callback: () => void): void;
  end(): void;
}

/** One response. A streamed body is a function that starts with a sink and returns a function that stops it. */
export interface KubeletAnswer {
  readonly status: number;
  readonly headers: { [name: string]: string | string[] };
  readonly body: string | Uint8Array | ((sink: KubeletSink) => () => void);
}

/** A response in plain text. */
export function plain(status: number, text: string): KubeletAnswer {
  return { status, headers: { "content-type": "text/plain; charset=utf-8" }, body: text };
}

/** The response when a handler has hijacked the connection. */
export const takenOver: KubeletAnswer = { status: 101, headers: {}, body: "" };
