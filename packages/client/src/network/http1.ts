/** HTTP/1.1 with keep-alive, for servers and proxies without HTTP/2. */
import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from "node:http";
import type { Duplex } from "node:stream";
import { bodyOfChunks } from "../transport/body.ts";
import type { TransportRequest, TransportResponse } from "../transport/transport.ts";
import { toByteHeaders } from "./byte-headers.ts";
import type { Connection } from "./connection.ts";
import type { Dialed } from "./dial.ts";
import type { Endpoint } from "./endpoint.ts";
import { toConnectionError } from "./failure.ts";

/** As an ES module, node:http loads undici, which costs 14 MiB and is unused here. */
const { Agent, request: sendHttp } = process.getBuiltinModule("node:http");

/** An agent that dials the endpoint; `first` is an open connection. */
class DialingAgent extends Agent {
  #first: Dialed | undefined;
  readonly #dial: () => Promise<Dialed>;

  constructor(first: Dialed, dial: () => Promise<Dialed>) {
    super({ keepAlive: true });
    this.#first = first;
    this.#dial = dial;
  }

  override createConnection(_options: unknown, done: (error: Error | null, socket: Duplex) => void): undefined {
    const first = this.#first;
    this.#first = undefined;
    const dialed = first !== undefined && !first.socket.destroyed ? Promise.resolve(first) : this.#dial();
    void this.#hand(dialed, done);
  }

  async #hand(dialed: Promise<Dialed>, done: (error: Error | null, socket: Duplex) => void): Promise<void> {
    try {
      const { socket } = await dialed;
      done(null, socket);
    } catch (error) {
      // With an error, the socket argument is ignored.
      done(error as Error, undefined as never);
    }
  }
}

/** Speaks HTTP/1.1 to an endpoint. */
export function createHttp1Connection(first: Dialed, endpoint: Endpoint, dial: () => Promise<Dialed>): Connection {
  const agent = new DialingAgent(first, dial);
  let usable = true;
  return {
    hasRoom: () => true,
    isBlocked: () => false,
    isUsable: () => usable,
    request: (request) => exchange(agent, endpoint, request),
    retire() {
      usable = false;
      agent.maxFreeSockets = 0;
      for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy();
    },
    destroy() {
      usable = false;
      agent.destroy();
      first.socket.destroy();
    },
  };
}

function exchange(agent: DialingAgent, { server }: Endpoint, request: TransportRequest): Promise<TransportResponse> {
  return new Promise((resolve, reject) => {
    const { method, path, headers, body, signal, beforeSending } = request;
    // Node frames the body of a DELETE only with a content-length.
    const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
    const sent = { host: server.host, ...toByteHeaders(headers), ...length } as OutgoingHttpHeaders;
    const outgoing = sendHttp({ agent, method, path, headers: sent, setHost: false });
    const onAbort = (): void => {
      outgoing.destroy();
      reject(signal?.reason as Error);
    };
    signal?.addEventListener("abort", onAbort);
    outgoing.once("close", () => signal?.removeEventListener("abort", onAbort));
    outgoing.on("error", (cause) => reject(toConnectionError(cause, server.origin, phaseOf(outgoing))));
    outgoing.once("response", (incoming) => resolve(toResponse(incoming, { server, signal })));
    // The agent may have to dial first: nothing is written before the connection exists.
    outgoing.once("socket", () => {
      try {
        beforeSending?.();
        outgoing.end(body);
      } catch (error) {
        outgoing.destroy();
        reject(error as Error);
      }
    });
  });
}

/** A request without a socket was not sent. */
function phaseOf(outgoing: ClientRequest): "unsent" | "sent" {
  return outgoing.socket === null || outgoing.socket === undefined ? "unsent" : "sent";
}

interface Reading {
  readonly server: URL;
  readonly signal: AbortSignal | undefined;
}

function toResponse(incoming: IncomingMessage, reading: Reading): TransportResponse {
  const { statusCode = 0, headers } = incoming;
  const body = bodyOfChunks(chunks(incoming, reading), () => {
    if (!incoming.complete) incoming.destroy();
  });
  return { status: statusCode, headers, body };
}

async function* chunks(incoming: IncomingMessage, { server, signal }: Reading): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of incoming) yield chunk as Uint8Array;
  } catch (cause) {
    if (signal?.aborted === true) throw signal.reason;
    throw toConnectionError(cause, server.origin, "sent");
  }
  if (incoming.complete) return;
  throw toConnectionError(new Error("the answer was cut short"), server.origin, "sent");
}
