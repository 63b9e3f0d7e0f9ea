/** A request to the kubelet's API and its answer, in the shape in which an API server hands them over. */
import type { Duplex } from "node:stream";

/** One request; the path is the kubelet's own. */
export interface KubeletCall {
  readonly method: string;
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
  body(): Promise<Uint8Array>;
  readonly signal: AbortSignal;
  /** The raw connection, when the client asked for an upgrade; throws when it did not. */
  upgrade?(): Duplex;
}

/** Takes the chunks of a body that goes on. */
export interface KubeletSink {
  write(chunk: string | Uint8Array): void;
  end(): void;
}

/** One answer; a body that goes on is started with a sink and returns what stops it. */
export interface KubeletAnswer {
  readonly status: number;
  readonly headers: { [name: string]: string | string[] };
  readonly body: string | Uint8Array | ((sink: KubeletSink) => () => void);
}

/** An answer in plain text. */
export function plain(status: number, text: string): KubeletAnswer {
  return { status, headers: { "content-type": "text/plain; charset=utf-8" }, body: text };
}

/** The answer to a request whose connection now belongs to somebody else. */
export const takenOver: KubeletAnswer = { status: 101, headers: {}, body: "" };
