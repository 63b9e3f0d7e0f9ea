/** Calls that the server itself makes: to webhooks, and to servers that serve a part of the API for it. */
import type { Duplex } from "node:stream";

/** One call. */
export interface OutgoingCall {
  readonly method: string;
  readonly url: string;
  readonly headers: { readonly [name: string]: string | string[] };
  readonly body?: string | Uint8Array;
  /** Who may have signed the certificate of the other side (PEM); the system's authorities by default. */
  readonly authority?: string | undefined;
  /** Whether any certificate will do. */
  readonly insecure?: boolean;
  /** Where to connect to instead of the host of the address: the place behind a service. */
  readonly connectTo?: Endpoint | undefined;
  /** The host that the request names, where it is not that of the address. */
  readonly host?: string;
  readonly signal?: AbortSignal;
  /** Who calls, as the other side can check (PEM). */
  readonly identity?: { readonly certificate: string; readonly privateKey: string } | undefined;
  /** Whether the body is wanted while it comes. */
  readonly streams?: boolean;
  /** The protocol that the connection is to change to (header `upgrade`); the other side may refuse. */
  readonly upgrade?: string;
}

/** A place that can be connected to. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** Connects to a place that the machine itself has no way to, such as the address of a service. */
export type Dial = (place: Endpoint) => Promise<Duplex>;

/** What came back. */
export interface OutgoingAnswer {
  readonly status: number;
  readonly headers: { readonly [name: string]: string | string[] | undefined };
  /** The whole body; empty when it comes in chunks. */
  readonly body: Uint8Array;
  readonly chunks?: AsyncIterable<Uint8Array>;
  /** The connection, when it changed to another protocol: the status is 101 then. */
  readonly connection?: Duplex;
}

/** Makes a call; rejects with an OutgoingError when there is no answer. */
export type OutgoingCaller = (call: OutgoingCall) => Promise<OutgoingAnswer>;

/** Finds the place behind a service; throws an OutgoingError when there is none. */
export type ServiceResolver = (namespace: string, name: string, port: number) => Endpoint | Promise<Endpoint>;

/** Why there is no answer. */
export type OutgoingErrorCode = "Refused" | "Unresolved" | "Untrusted" | "TimedOut" | "Cancelled" | "Broken";

/** There is no answer; the message reads as Go's client words it, because it becomes part of refusals. */
export class OutgoingError extends Error {
  override readonly name = "OutgoingError";
  readonly code: OutgoingErrorCode;

  constructor(code: OutgoingErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
