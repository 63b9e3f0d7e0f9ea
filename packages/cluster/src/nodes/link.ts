/** The link from a node to the API server, which faults can cut. */
import { ConnectionError, createClient, processHost } from "@capstan/client";
import type { Client, Transport } from "@capstan/client";
import type { Clock, Random } from "@capstan/runtime";
import { SERVER } from "../api-server/in-process-transport.ts";

/** A link and its client. */
export interface NodeLink {
  readonly client: Client;
  set(state: "cut" | "healed"): void;
}

/** The options of a link. */
export interface LinkOptions {
  /** The transport to the API server. */
  readonly server: Transport;
  readonly clock: Clock;
  readonly random: Random;
}

/** Opens a link. A cut aborts calls in flight and rejects new ones. */
export function openLink({ server, clock, random }: LinkOptions): NodeLink {
  let isCut = false;
  let inFlight = new AbortController();
  const transport: Transport = {
    request: async (request) => {
      if (isCut) throw connectionLost("connect: network is unreachable");
      const signals = request.signal === undefined ? [inFlight.signal] : [request.signal, inFlight.signal];
      return server.request({ ...request, signal: AbortSignal.any(signals) });
    },
  };
  const host = { ...processHost(), clock, random };
  return {
    client: createClient(transport, { host, userAgent: "kubelet" }),
    set(state) {
      if (isCut === (state === "cut")) return;
      isCut = state === "cut";
      inFlight.abort(connectionLost("read: connection timed out"));
      inFlight = new AbortController();
    },
  };
}

function connectionLost(cause: string): ConnectionError {
  return new ConnectionError({ code: "ConnectionLost", server: SERVER, sent: true, cause: new Error(cause) });
}
