/** A connection as the pool sees it, for both HTTP versions. */
import type { TransportRequest, TransportResponse } from "../transport/transport.ts";

/** An open connection. */
export interface Connection {
  /** Whether another request can be sent now. */
  hasRoom(): boolean;
  /** Whether the server currently accepts no requests; another connection would not help. */
  isBlocked(): boolean;
  /** Whether requests are accepted at all: false after it broke or after GOAWAY. */
  isUsable(): boolean;
  request(request: TransportRequest): Promise<TransportResponse>;
  /** Accepts no new requests and closes after the running ones. */
  retire(): void;
  /** Closes at once. */
  destroy(): void;
}
