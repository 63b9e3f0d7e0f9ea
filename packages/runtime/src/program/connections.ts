/** Closes a server with all its connections: an idle connection or a half-sent request must not keep it open. */
import type { Server, Socket } from "node:net";

/** Tracks the connections of a server from now on; the returned function closes them and the server. */
export function closable(server: Server): () => Promise<void> {
  const sockets = new Set<Socket>();
  // The TCP event: a TLS handshake that never completes is a connection, too.
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
