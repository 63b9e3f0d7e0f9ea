/** A network transport: one connection, opened on demand and reopened after failure, and more only when it is full. */
import { orAborted } from "../abort/or-aborted.ts";
import { ConnectionError } from "../error/connection-error.ts";
import type { MessageSocket, SocketRequest, Transport, TransportRequest } from "../transport/transport.ts";
import type { Connection } from "./connection.ts";
import { dial } from "./dial.ts";
import type { Endpoint } from "./endpoint.ts";
import { createNotifier } from "./notifier.ts";
import { invalidHeader, headerError } from "./header-check.ts";

/** A transport over the network. */
export interface NetworkTransport extends Transport {
  /** New requests use a new connection, after certificates changed. */
  renew(): void;
  open(request: SocketRequest): Promise<MessageSocket>;
  close(): Promise<void>;
}

/** A transport to an endpoint. It connects on the first request. */
export function createNetworkTransport(endpoint: Endpoint): NetworkTransport {
  // linear: the address comes from the user's own kubeconfig
  const prefix = endpoint.server.pathname.replace(/\/+$/u, "");
  let connections: Connection[] = [];
  let connecting: Promise<Connection> | undefined;
  let closed = false;
  const room = createNotifier();

  const available = (): Connection | undefined => connections.find((one) => one.isUsable() && one.hasRoom());

  async function connect(): Promise<Connection> {
    const connection = await establish(endpoint, () => room.open());
    connections = [...connections.filter((one) => one.isUsable()), connection];
    if (closed) connection.destroy();
    return connection;
  }

  /** A connection to try: a new one, or the blocked one as soon as any has room. */
  async function next(): Promise<Connection> {
    const barred = connections.find((one) => one.isBlocked());
    if (barred === undefined) return (connecting ??= connect().finally(() => (connecting = undefined)));
    await room.changed();
    return barred;
  }

  async function slow(request: TransportRequest): ReturnType<Transport["request"]> {
    for (;;) {
      if (closed) throw closedError(endpoint);
      const tried = await orAborted(next(), request.signal);
      // Other waiters may have filled the connection meanwhile. A connection that is already gone is not replaced here, which could loop
      // without delay, but reports its error.
      const connection = available() ?? (tried.isUsable() ? undefined : tried);
      if (connection !== undefined) return connection.request(request);
    }
  }

  return {
    request(request) {
      const broken = invalidHeader(request.headers);
      if (broken !== undefined) return Promise.reject(headerError(broken));
      const prefixed = prefix === "" ? request : { ...request, path: prefix + request.path };
      return available()?.request(prefixed) ?? slow(prefixed);
    },
    async open(request) {
      const broken = invalidHeader(request.headers);
      if (broken !== undefined) throw headerError(broken);
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

/** Protocol modules are loaded on demand, so that importing the client stays cheap. */
async function establish(endpoint: Endpoint, onRoom: () => void): Promise<Connection> {
  const dialed = await dial(endpoint);
  if (dialed.protocol === "h2") {
    const { openHttp2Connection } = await import("./http2.ts");
    return openHttp2Connection(dialed.socket, endpoint, onRoom);
  }
  const { createHttp1Connection } = await import("./http1.ts");
  return createHttp1Connection(dialed, endpoint, () => dial(endpoint, { protocols: ["http/1.1"] }));
}

function closedError({ server }: Endpoint): ConnectionError {
  const cause = new Error("the client was closed");
  return new ConnectionError({ code: "ConnectionLost", server: server.origin, sent: false, cause });
}
