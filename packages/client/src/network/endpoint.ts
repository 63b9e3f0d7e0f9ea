/** The address of an API server and how to reach it. */
import type { Clock } from "../host/clock.ts";

/** The TLS material: trusted CAs and the client certificate. */
export interface TlsMaterial {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly servername?: string | undefined;
  readonly insecure?: boolean | undefined;
}

/** An API server on the network. */
export interface Endpoint {
  /** `https://host:6443`, optionally with a path prefix. */
  readonly server: URL;
  /** Called for each new connection, so that renewed certificates are used. */
  readonly tls: () => Promise<TlsMaterial>;
  /** `http:`, `https:` or `socks5:`, optionally with user and password. */
  readonly proxy?: URL | undefined;
  readonly clock: Clock;
  readonly limits?: Partial<ConnectionLimits> | undefined;
}

/** The time limits of a connection. */
export interface ConnectionLimits {
  /** For connecting, including TLS. */
  readonly connectMs: number;
  /** The idle time before a PING. */
  readonly pingAfterMs: number;
  /** The time limit for the PING response. */
  readonly pingTimeoutMs: number;
}

/** The values of client-go. */
export const defaultLimits: ConnectionLimits = { connectMs: 30_000, pingAfterMs: 30_000, pingTimeoutMs: 15_000 };
