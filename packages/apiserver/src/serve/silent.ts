/** Limits the number of open connections without a request, so that a client with many of them does not block others. */
import type { IncomingMessage, Server } from "node:http";
import type { Http2SecureServer, ServerHttp2Session } from "node:http2";
import type { Socket } from "node:net";

/** The remote address and port, which a connection shares with the TLS socket on top of it. */
type Place = Pick<Socket, "remoteAddress" | "remotePort">;

/** Closes the oldest connection without a request when there are too many: a real client has sent one by then. */
export function boundSilent(server: Server | Http2SecureServer, most: number): void {
  const silent = new Map<string, Socket>();
  const spoke = (place: Place): void => void silent.delete(nameOf(place));
  server.on("connection", (socket: Socket) => {
    if (socket.remotePort === undefined) return;
    const name = nameOf(socket);
    silent.set(name, socket);
    socket.once("close", () => silent.get(name) === socket && silent.delete(name));
    if (silent.size > most) leaveOldest(silent);
  });
  const onMessage = ({ httpVersionMajor, socket }: IncomingMessage): void => {
    if (httpVersionMajor === 1) spoke(socket);
  };
  server.on("request", onMessage);
  server.on("upgrade", onMessage);
  server.on("session", (session: ServerHttp2Session) => void session.once("stream", () => spoke(session.socket)));
}

function nameOf({ remoteAddress, remotePort }: Place): string {
  return `${remoteAddress} ${remotePort}`;
}

function leaveOldest(silent: Map<string, Socket>): void {
  for (const [name, socket] of silent) {
    silent.delete(name);
    socket.destroy();
    return;
  }
}
