/** Timeouts for clients that are slow, idle, or do not read. */

/** Milliseconds. */
export interface Patience {
  /** Until a connection has finished its handshake and the headers of its first request, and for the headers of later requests. */
  readonly headers: number;
  /** Until the body of a request is complete. */
  readonly body: number;
  /** Between two requests on a connection. */
  readonly idle: number;
  /** While the client reads nothing of a streamed body. */
  readonly reading: number;
}

/** The values of kube-apiserver, except for bodies, for which it has no timeout. */
export const defaultPatience: Patience = { headers: 32_000, body: 60_000, idle: 90_000, reading: 60_000 };
