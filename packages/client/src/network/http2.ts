/** HTTP/2 on one connection: concurrent requests, PING when idle, no new requests after GOAWAY. */
import type { Socket } from "node:net";
import type { Timer } from "../host/clock.ts";
import type { TransportRequest } from "../transport/transport.ts";
import type { Connection } from "./connection.ts";
import { defaultLimits } from "./endpoint.ts";
import type { Endpoint } from "./endpoint.ts";
import { toConnectionError } from "./failure.ts";
import { exchange } from "./http2/exchange.ts";
import { toFields } from "./http2/fields.ts";
import type { Headers } from "./http2/hpack-encoder.ts";
import { Session } from "./http2/session.ts";

/**
 * Opens HTTP/2 on a socket. Waits for the server's SETTINGS: the stream limit is unknown before, and a watch beyond the limit would wait
 * forever. `onRoom` is called when another request may fit or the connection is gone.
 */
export async function openHttp2Connection(socket: Socket, endpoint: Endpoint, onRoom: () => void): Promise<Connection> {
  const session = await openSession(socket, endpoint, onRoom);
  socket.unref();
  keepAlive(session, socket, endpoint);
  const { server } = endpoint;
  const fixed = { ":scheme": server.protocol.slice(0, -1), ":authority": server.host };
  return {
    hasRoom: () => session.running < session.maxStreams,
    isBlocked: () => session.isOpen && session.maxStreams === 0,
    isUsable: () => session.isOpen,
    request: (request) => exchange({ session, server: server.origin, headers: headersOf(request, fixed), request }),
    retire: () => session.retire(),
    destroy: () => session.destroy(),
  };
}

/** The pseudo-headers come first (RFC 9113, section 8.3). */
function headersOf({ method, path, headers }: TransportRequest, fixed: Headers): Headers {
  return { ":method": method, ":path": path, ...fixed, ...toFields(headers) };
}

/** Resolves when the server has sent its stream limit. */
function openSession(socket: Socket, { server, clock, limits }: Endpoint, onRoom: () => void): Promise<Session> {
  return new Promise((resolve, reject) => {
    const limitMs = limits?.connectMs ?? defaultLimits.connectMs;
    const fail = (why: string): void => {
      timer.cancel();
      session.destroy();
      reject(toConnectionError(new Error(why), server.origin, "connecting"));
    };
    const timer = clock.later(limitMs, () => fail(`no HTTP/2 settings within ${limitMs} ms`));
    let isReady = false;
    const session = new Session(socket, {
      onReady: () => {
        isReady = true;
        timer.cancel();
        resolve(session);
      },
      onRoom,
      onRetired: () => {
        onRoom();
        if (!isReady) fail("the server closed the connection before it sent its HTTP/2 settings");
      },
    });
  });
}

/** Sends a PING after an idle time: a connection that a firewall dropped gives no sign of that. */
function keepAlive(session: Session, socket: Socket, { clock, limits }: Endpoint): void {
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
    session.ping(() => {
      timer.cancel();
      listen();
    });
  };
  const listen = (): void => {
    heard = socket.bytesRead;
    wait(pingAfterMs, check);
  };
  listen();
  socket.once("close", () => timer.cancel());
}
