/** What carries a request to an API server and its answer back: the one thing the client needs from the outside. */

/** Names in lower case; an array is sent as one header for each of its values. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[]>>;

/** One request, as an API server sees it. */
export interface TransportRequest {
  readonly method: string;
  /** Path and query, as sent on the wire: `/api/v1/pods?limit=500`. */
  readonly path: string;
  readonly headers: RequestHeaders;
  readonly body?: string | Uint8Array | undefined;
  /** Ends the exchange at any point, also while the body is read; the reader then sees the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** To be called right before the request leaves, after whatever it has to wait for; when it throws, nothing is sent. */
  readonly beforeSending?: (() => void) | undefined;
}

/** Names in lower case; repeated headers as an array or joined with a comma. */
export type ResponseHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The answer: its head at once, its body when asked for. Whoever does not read the body must cancel it. */
export interface TransportResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: Body;
}

/** A body, to be read once: whole, or chunk by chunk as it arrives (leaving the loop cancels the rest). */
export interface Body extends AsyncIterable<Uint8Array> {
  bytes(): Promise<Uint8Array>;
  text(): Promise<string>;
  json(): Promise<unknown>;
  cancel(): void;
}

/** A request to talk in both directions (exec, attach, port-forward), over the WebSocket protocols of Kubernetes. */
export interface SocketRequest {
  readonly path: string;
  readonly headers: RequestHeaders;
  readonly protocols: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

/** Messages in both directions. Iteration ends when the other side closes. */
export interface MessageSocket extends AsyncIterable<Uint8Array> {
  /** The protocol that the server chose. */
  readonly protocol: string;
  /** Resolves when the message has been handed on, so that a fast writer waits for a slow reader. */
  send(message: Uint8Array): Promise<void>;
  close(): void;
}

/**
 * Carries requests to one API server. It throws `ConnectionError` when there is no answer, and never for an answer with an error status.
 * Anything with a `request` method is a target: a connection, a function in the same process, a simulated network.
 */
export interface Transport {
  request(request: TransportRequest): Promise<TransportResponse>;
  /** Absent where a transport cannot do it: exec, attach and port-forward then fail with `NotSupported`. */
  open?(request: SocketRequest): Promise<MessageSocket>;
  close?(): Promise<void>;
}
