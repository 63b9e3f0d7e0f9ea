/** What the pool needs to know about a connection, whichever version of HTTP is spoken on it. */
import type { TransportRequest, TransportResponse } from "../transport/transport.ts";

/** A connection that stands. */
export interface Connection {
  /** Whether a further request can go out on it now. */
  hasRoom(): boolean;
  /** Whether the server takes no requests at all for a while: another connection would be no better. */
  isBlocked(): boolean;
  /** Whether it will take requests at all: not after it broke, or after the server said goodbye. */
  isUsable(): boolean;
  request(request: TransportRequest): Promise<TransportResponse>;
  /** Takes no new requests and ends when the running ones have. */
  retire(): void;
  /** Ends at once. */
  destroy(): void;
}
