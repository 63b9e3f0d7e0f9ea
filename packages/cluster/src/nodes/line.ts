/** The line from a node to the API server, which can be cut. */
import { createClient, inProcess, processHost } from "@capstan/client";
import type { Client } from "@capstan/client";
import type { Clock, Random } from "@capstan/runtime";

/** A line and the client that speaks over it. */
export interface NodeLine {
  readonly client: Client;
  set(state: "cut" | "healed"): void;
}

/** What a line is made of. */
export interface LineParts {
  readonly fetch: (request: Request) => Promise<Response>;
  readonly clock: Clock;
  readonly random: Random;
}

/** Opens a line. When it is cut, what is under way ends, and nothing new begins. */
export function openLine({ fetch, clock, random }: LineParts): NodeLine {
  let isCut = false;
  let ending = new AbortController();
  const handle = (request: Request): Promise<Response> => {
    if (isCut) return Promise.reject(new Error("connect: network is unreachable"));
    return fetch(new Request(request, { signal: AbortSignal.any([request.signal, ending.signal]) }));
  };
  const host = { ...processHost(), clock, random };
  return {
    client: createClient(inProcess(handle), { host, userAgent: "kubelet" }),
    set(state) {
      if (isCut === (state === "cut")) return;
      isCut = state === "cut";
      ending.abort(new Error("read: connection timed out"));
      ending = new AbortController();
    },
  };
}
