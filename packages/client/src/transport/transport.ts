/** Carries requests to an API server: the only thing the client needs from outside. */

/** Lower-case names; an array becomes one header per value. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[]>>;

/** A request as the API server receives it. */
export interface TransportRequest {
  readonly method: string;
  /** Path and query as sent: `/api/v1/pods?limit=500`. */
  readonly path: string;
  readonly headers: RequestHeaders;
  readonly body?: string | Uint8Array | undefined;
  /** Ends the exchange at any point, also while the body is read; the reader gets the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Must be called right before sending, after all waiting; if it throws, nothing is sent. */
  readonly beforeSending?: (() => void) | undefined;
}

/** Lower-case names; repeated headers as an array or joined by commas. */
export type ResponseHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A response: the head at once, the body on demand. An unread body must be cancelled. */
export interface TransportResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: Body;
}

/** A body, read once: whole, or in chunks as they arrive (leaving the loop cancels the rest). */
export interface Body extends AsyncIterable<Uint8Array> {
  bytes(): Promise<Uint8Array>;
  text(): Promise<string>;
  json(): Promise<unknown>;
  cancel(): void;
}

/** A request for a bidirectional stream (exec, attach, port-forward) over the Kubernetes WebSocket protocols. */
export interface SocketRequest {
  readonly path: string;
  readonly headers: RequestHeaders;
  readonly protocols: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

/** Messages in both directions. Iteration ends when the peer closes. */
export interface MessageSocket extends AsyncIterable<Uint8Array> {
  /** The protocol that the server chose. */
  readonly protocol: string;
  /** Resolves when the message is passed on, which gives backpressure. */
  send(message: Uint8Array): Promise<void>;
  close(): void;
}

/**
 * Carries requests to one API server. It throws `ConnectionError` without a response, and never for an error status. Any object with a
 * `request` method works: a connection, an in-process function, a simulated network.
 */
export interface Transport {
  request(request: TransportRequest): Promise<TransportResponse>;
  /** Optional: without it exec, attach and port-forward fail with `NotSupported`. */
  open?(request: SocketRequest): Promise<MessageSocket>;
  close?(): Promise<void>;
}
