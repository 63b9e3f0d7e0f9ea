/** Closes a server with all its connections: one that says nothing, or only half of what it wants, must not keep it open. */
import type { Server, Socket } from "node:net";

/** Follows the connections of a server from now on; what is returned ends them and the server. */
export function closable(server: Server): () => Promise<void> {
  const sockets = new Set<Socket>();
  // Before TLS and HTTP know of them: a handshake that never ends is a connection, too.
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
}
