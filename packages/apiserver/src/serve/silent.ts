/** Bounds how many connections are open that have not asked for anything yet: whoever opens many must not keep the others out. */
import type { IncomingMessage, Server } from "node:http";
import type { Http2SecureServer, ServerHttp2Session } from "node:http2";
import type { Socket } from "node:net";

/** By the address and port of the other side: that is what a connection and the TLS on top of it have in common. */
type Place = Pick<Socket, "remoteAddress" | "remotePort">;

/** Leaves the oldest silent connection when there are more than so many: whoever means it has asked for something by then. */
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
