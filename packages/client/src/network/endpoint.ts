/** Where an API server is and how to get there. */
import type { Clock } from "../host/clock.ts";

/** What TLS needs: whom to trust, who we are. */
export interface TlsMaterial {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly servername?: string | undefined;
  readonly insecure?: boolean | undefined;
}

/** One API server, reachable over the network. */
export interface Endpoint {
  /** `https://host:6443`, perhaps with a path in front of every request's. */
  readonly server: URL;
  /** Asked for each new connection, so that renewed certificates are used. */
  readonly tls: () => Promise<TlsMaterial>;
  /** `http:`, `https:` or `socks5:`, with user and password if it wants them. */
  readonly proxy?: URL | undefined;
  readonly clock: Clock;
  readonly limits?: Partial<ConnectionLimits> | undefined;
}

/** How patient a connection is. */
export interface ConnectionLimits {
  /** For making a connection, TLS included. */
  readonly connectMs: number;
  /** Silence after which the server is asked whether it is still there. */
  readonly pingAfterMs: number;
  /** How long it may take to answer that. */
  readonly pingTimeoutMs: number;
}

/** What client-go allows, too. */
export const defaultLimits: ConnectionLimits = { connectMs: 30_000, pingAfterMs: 30_000, pingTimeoutMs: 15_000 };
