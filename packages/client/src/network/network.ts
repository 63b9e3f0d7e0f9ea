/** A transport over the network: one connection, made when needed, made again when it broke, a second one only when the first is full. */
import { ConnectionError } from "../error/connection-error.ts";
import type { MessageSocket, SocketRequest, Transport, TransportRequest } from "../transport/transport.ts";
import type { Connection } from "./connection.ts";
import { dial } from "./dial.ts";
import type { Endpoint } from "./endpoint.ts";

/** A transport over the network. */
export interface NetworkTransport extends Transport {
  /** New requests go over a new connection: for when certificates have changed. */
  renew(): void;
  open(request: SocketRequest): Promise<MessageSocket>;
  close(): Promise<void>;
}

/** Talks to the server of an endpoint. Nothing is connected before the first request. */
export function createNetworkTransport(endpoint: Endpoint): NetworkTransport {
  const prefix = endpoint.server.pathname.replace(/\/+$/u, "");
  let connections: Connection[] = [];
  let connecting: Promise<Connection> | undefined;
  let closed = false;

  const available = (): Connection | undefined => connections.find((one) => one.isUsable() && one.hasRoom());

  async function connect(): Promise<Connection> {
    const connection = await establish(endpoint);
    connections = [...connections.filter((one) => one.isUsable()), connection];
    if (closed) connection.destroy();
    return connection;
  }

  function connected(signal: AbortSignal | undefined): Promise<Connection> {
    connecting ??= connect().finally(() => (connecting = undefined));
    return signal === undefined ? connecting : orAborted(connecting, signal);
  }

  async function slow(request: TransportRequest): ReturnType<Transport["request"]> {
    for (;;) {
      if (closed) throw closedError(endpoint);
      // Whoever waited for the same connection may have filled it meanwhile.
      await connected(request.signal);
      const connection = available();
      if (connection !== undefined) return connection.request(request);
    }
  }

  return {
    request(request) {
      const prefixed = prefix === "" ? request : { ...request, path: prefix + request.path };
      return available()?.request(prefixed) ?? slow(prefixed);
    },
    async open(request) {
      const { openSocket } = await import("./socket.ts");
      return openSocket(endpoint, { ...request, path: prefix + request.path });
    },
    renew() {
      for (const connection of connections) connection.retire();
      connections = [];
    },
    async close() {
      closed = true;
      for (const connection of connections) connection.destroy();
      connections = [];
    },
  };
}

/** The modules of the protocols are loaded when it is known which one is needed: a program that only imports us pays for neither. */
async function establish(endpoint: Endpoint): Promise<Connection> {
  const dialed = await dial(endpoint);
  if (dialed.protocol === "h2") {
    const { openHttp2Connection } = await import("./http2.ts");
    return openHttp2Connection(dialed.socket, endpoint);
  }
  const { createHttp1Connection } = await import("./http1.ts");
  return createHttp1Connection(dialed, endpoint, () => dial(endpoint, ["http/1.1"]));
}

function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

function closedError({ server }: Endpoint): ConnectionError {
  const cause = new Error("the client was closed");
  return new ConnectionError({ code: "ConnectionLost", server: server.origin, sent: false, cause });
}
