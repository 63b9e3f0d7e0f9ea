/** The line from a node to the API server, which can be cut. */
import { ConnectionError, createClient, processHost } from "@capstan/client";
import type { Client, Transport } from "@capstan/client";
import type { Clock, Random } from "@capstan/runtime";
import { SERVER } from "../direct/transport.ts";

/** A line and the client that speaks over it. */
export interface NodeLine {
  readonly client: Client;
  set(state: "cut" | "healed"): void;
}

/** What a line is made of. */
export interface LineParts {
  /** The way to the API server while the line stands. */
  readonly server: Transport;
  readonly clock: Clock;
  readonly random: Random;
}

/** Opens a line. When it is cut, what is under way ends, and nothing new begins. */
export function openLine({ server, clock, random }: LineParts): NodeLine {
  let isCut = false;
  let ending = new AbortController();
  const line: Transport = {
    request: async (request) => {
      if (isCut) throw lost("connect: network is unreachable");
      const signals = request.signal === undefined ? [ending.signal] : [request.signal, ending.signal];
      return server.request({ ...request, signal: AbortSignal.any(signals) });
    },
  };
  const host = { ...processHost(), clock, random };
  return {
    client: createClient(line, { host, userAgent: "kubelet" }),
    set(state) {
      if (isCut === (state === "cut")) return;
      isCut = state === "cut";
      ending.abort(lost("read: connection timed out"));
      ending = new AbortController();
    },
  };
}

function lost(why: string): ConnectionError {
  return new ConnectionError({ code: "ConnectionLost", server: SERVER, sent: true, cause: new Error(why) });
}
