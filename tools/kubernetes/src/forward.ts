/**
 * Carries connections between network namespaces. A listening socket belongs to the namespace in which it was created, whichever process
 * accepts on it. So it is created on one side and passed to a process on the other; no routing is needed.
 */

import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { Server, Socket } from "node:net";

import { KubernetesToolError } from "./errors.ts";

/** Listens on a port of this machine's loopback address; 0 takes any free one. */
export async function listenOnLoopback(port: number): Promise<Server> {
  const server = createServer({ pauseOnConnect: true });
  try {
    server.listen({ host: "127.0.0.1", port });
    await once(server, "listening");
    return server;
  } catch (error) {
    throw new KubernetesToolError(
      "port-in-use",
      `port ${port} of 127.0.0.1 cannot be used (${error instanceof Error ? error.message : String(error)}): ` +
        "choose another with --port, or leave --port out to get a free one",
      { cause: error },
    );
  }
}

/** The port on which a server listens. */
export function listeningPort(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") {
    throw new KubernetesToolError("not-started", "the server does not listen on a port");
  }
  return address.port;
}

/** Joins each accepted connection with a new one to the target. */
export function forward(server: Server, target: { host: string; port: number }): void {
  server.on("connection", (near: Socket) => {
    const far = connect({ ...target, noDelay: true });
    near.setNoDelay(true);
    near.on("error", () => far.destroy());
    far.on("error", () => near.destroy());
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
    near.pipe(far).pipe(near);
  });
}
