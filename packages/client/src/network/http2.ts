/** HTTP/2 on one connection: many requests at a time, a PING when it is silent, no new requests after GOAWAY. */
import { connect, constants } from "node:http2";
import type { ClientHttp2Session, OutgoingHttpHeaders } from "node:http2";
import type { Socket } from "node:net";
import type { Timer } from "../host/clock.ts";
import type { TransportRequest, TransportResponse } from "../transport/transport.ts";
import type { Connection } from "./connection.ts";
import { defaultLimits } from "./endpoint.ts";
import type { Endpoint } from "./endpoint.ts";
import { toConnectionError } from "./failure.ts";
import { exchange } from "./http2-exchange.ts";

/** So much may be under way for one stream, and for all of them: a slow reader must not hold up the others. */
const streamWindow = 4 * 1024 * 1024;
const sessionWindow = 256 * 1024 * 1024;

/**
 * Speaks HTTP/2 on a socket that has agreed to it. Waits for the server's SETTINGS: before them nobody knows how many streams it takes, and
 * a watch too many would wait behind the others for ever.
 */
export async function openHttp2Connection(socket: Socket, endpoint: Endpoint): Promise<Connection> {
  const { server } = endpoint;
  const session = connect(server.origin, {
    createConnection: () => socket,
    settings: { enablePush: false, initialWindowSize: streamWindow },
  });
  let running = 0;
  let usable = true;
  const retire = (): void => {
    usable = false;
    if (!session.closed) session.close();
  };
  session.once("connect", () => session.setLocalWindowSize(sessionWindow));
  session.on("goaway", retire);
  session.on("error", () => (usable = false));
  session.on("close", () => (usable = false));
  let room = await settled(session, endpoint);
  session.on("remoteSettings", ({ maxConcurrentStreams }) => (room = maxConcurrentStreams ?? Infinity));
  session.unref();
  keepAlive(session, socket, endpoint);

  /** A process may end while nothing is under way, and not before. */
  function count(change: 1 | -1): void {
    running += change;
    if (session.destroyed) return;
    if (running === 0) session.unref();
    else if (running === 1 && change === 1) session.ref();
  }

  return {
    hasRoom: () => running < room,
    isUsable: () => usable && !session.closed && !session.destroyed,
    request: (request) => send({ session, endpoint, count }, request),
    retire,
    destroy: () => session.destroy(),
  };
}

/** How many streams the server takes, as soon as it has said so. */
function settled(session: ClientHttp2Session, { server, clock, limits }: Endpoint): Promise<number> {
  return new Promise((resolve, reject) => {
    const limitMs = limits?.connectMs ?? defaultLimits.connectMs;
    const fail = (why: string): void => {
      timer.cancel();
      session.destroy();
      reject(toConnectionError(new Error(why), server.origin, "connecting"));
    };
    const timer = clock.later(limitMs, () => fail(`no HTTP/2 settings within ${limitMs} ms`));
    const onClose = (): void => fail("the server closed the connection before it sent its HTTP/2 settings");
    session.once("close", onClose);
    session.once("remoteSettings", ({ maxConcurrentStreams }) => {
      timer.cancel();
      session.off("close", onClose);
      resolve(maxConcurrentStreams ?? Infinity);
    });
  });
}

interface Line {
  readonly session: ClientHttp2Session;
  readonly endpoint: Endpoint;
  readonly count: (change: 1 | -1) => void;
}

function send({ session, endpoint, count }: Line, request: TransportRequest): Promise<TransportResponse> {
  const { server } = endpoint;
  const headers = { ...request.headers } as OutgoingHttpHeaders;
  headers[constants.HTTP2_HEADER_METHOD] = request.method;
  headers[constants.HTTP2_HEADER_PATH] = request.path;
  return exchange(session, headers, { request, server: server.origin, count });
}

/** Asks the server whether it is still there after a silence, as a connection that a firewall forgot gives no sign of it. */
function keepAlive(session: ClientHttp2Session, socket: Socket, { clock, limits }: Endpoint): void {
  const { pingAfterMs, pingTimeoutMs } = { ...defaultLimits, ...limits };
  let heard = socket.bytesRead;
  let timer: Timer;
  const wait = (ms: number, run: () => void): void => {
    timer = clock.later(ms, run);
    timer.unref?.();
  };
  const check = (): void => {
    if (socket.bytesRead !== heard) return listen();
    wait(pingTimeoutMs, () =>
      session.destroy(new Error(`the server did not answer a PING within ${pingTimeoutMs} ms`)),
    );
    session.ping((error) => {
      timer.cancel();
      if (error === null) listen();
    });
  };
  const listen = (): void => {
    heard = socket.bytesRead;
    wait(pingAfterMs, check);
  };
  listen();
  session.once("close", () => timer.cancel());
}
