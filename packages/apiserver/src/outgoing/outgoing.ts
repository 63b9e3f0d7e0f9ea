/** Calls that the server makes: to webhooks and to aggregated servers. */
import type { Duplex } from "node:stream";

/** An outgoing call: its URL, headers and body, and how to connect. */
export interface OutgoingCall {
  readonly method: string;
  readonly url: string;
  readonly headers: { readonly [name: string]: string | string[] };
  readonly body?: string | Uint8Array;
  /** The CA bundle for the other server's certificate (PEM). Default: the system's authorities. */
  readonly authority?: string | undefined;
  /** Whether the certificate is not verified. */
  readonly insecure?: boolean;
  /** The endpoint to connect to instead of the URL's host: the one behind a Service. */
  readonly connectTo?: Endpoint | undefined;
  /** The Host header, if it differs from the URL's host. */
  readonly host?: string;
  readonly signal?: AbortSignal;
  /** The client certificate (PEM). */
  readonly identity?: { readonly certificate: string; readonly privateKey: string } | undefined;
  /** Whether the body is streamed. */
  readonly streams?: boolean;
  /** The protocol to upgrade to (header `upgrade`); the other server may decline. */
  readonly upgrade?: string;
}

/** A host and port. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** Connects to an endpoint that the machine cannot reach directly, such as a Service address. */
export type Dial = (place: Endpoint) => Promise<Duplex>;

/** The response to an outgoing call. */
export interface OutgoingAnswer {
  readonly status: number;
  readonly headers: { readonly [name: string]: string | string[] | undefined };
  /** The whole body; empty if it is streamed. */
  readonly body: Uint8Array;
  readonly chunks?: AsyncIterable<Uint8Array>;
  /** The connection after an upgrade; the status is then 101. */
  readonly connection?: Duplex;
}

/** Makes a call; rejects with an OutgoingError if there is no response. */
export type OutgoingCaller = (call: OutgoingCall) => Promise<OutgoingAnswer>;

/** Resolves a Service to an endpoint; throws an OutgoingError if there is none. */
export type ServiceResolver = (namespace: string, name: string, port: number) => Endpoint | Promise<Endpoint>;

/** Why a call failed. */
export type OutgoingErrorCode = "Refused" | "Unresolved" | "Untrusted" | "TimedOut" | "Cancelled" | "Broken";

/** A call without a response. The message has the words of Go's client, because it becomes part of error messages. */
export class OutgoingError extends Error {
  override readonly name = "OutgoingError";
  readonly code: OutgoingErrorCode;

  constructor(code: OutgoingErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
