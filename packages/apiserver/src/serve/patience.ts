/** How long clients are waited for that are slow, or say nothing, or do not read. */

/** Milliseconds. */
export interface Patience {
  /** Until a connection has shown its certificate and the headers of its first request, and between requests that follow. */
  readonly headers: number;
  /** Until the body of a request is whole. */
  readonly body: number;
  /** Between two requests on a connection. */
  readonly idle: number;
  /** While nothing is read of an answer that goes on. */
  readonly reading: number;
}

/** As kube-apiserver has them, which waits for bodies for ever. */
export const defaultPatience: Patience = { headers: 32_000, body: 60_000, idle: 90_000, reading: 60_000 };
