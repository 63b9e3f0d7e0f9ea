/** WebSockets to an API server, over a connection of their own. */
import type { WebSocket } from "ws";
import type { MessageSocket, SocketRequest } from "../transport/transport.ts";
import { dial } from "./dial.ts";
import type { Endpoint } from "./endpoint.ts";
import { toConnectionError } from "./failure.ts";
import { SocketRefused } from "./socket-refused.ts";

/** Opens a socket; the library is loaded now, for few programs need it. */
export async function openSocket(endpoint: Endpoint, request: SocketRequest): Promise<MessageSocket> {
  const [{ WebSocket }, { socket }] = await Promise.all([import("ws"), dial(endpoint, ["http/1.1"])]);
  const { server } = endpoint;
  // Lists are sent as several headers, though the library's type does not say so.
  const headers = { ...request.headers } as Record<string, string>;
  // The socket is secure already where it has to be: the library only speaks the protocol on it.
  const opened = new WebSocket(`ws://${server.host}${request.path}`, [...request.protocols], {
    createConnection: () => socket,
    headers,
    perMessageDeflate: false,
  });
  // Listens from the start: the first messages may come in the same packet as the answer to the upgrade.
  const messages = receive(opened, server.origin, request.signal);
  await untilOpen(opened, server.origin, request.signal);
  return toMessageSocket(opened, server.origin, messages);
}

function untilOpen(socket: WebSocket, server: string, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      reject(signal?.reason as Error);
      socket.terminate();
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    const settle = (): void => signal?.removeEventListener("abort", onAbort);
    socket.on("error", (cause) => {
      settle();
      reject(toConnectionError(cause, server, "sent"));
    });
    socket.once("unexpected-response", (_request, response) => {
      settle();
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        reject(new SocketRefused(response.statusCode ?? 0, Buffer.concat(chunks).toString("utf8")));
        socket.terminate();
      });
    });
    socket.once("open", () => {
      settle();
      resolve();
    });
  });
}

/** What the socket receives; reads pause while nobody takes it. */
function receive(socket: WebSocket, server: string, signal: AbortSignal | undefined): () => AsyncGenerator<Uint8Array> {
  const queue: Uint8Array[] = [];
  let wake: () => void = () => {};
  let ended = false;
  let failure: Error | undefined;
  const stop = (): void => {
    ended = true;
    wake();
  };
  const onAbort = (): void => {
    failure = signal?.reason as Error;
    socket.terminate();
    stop();
  };
  signal?.addEventListener("abort", onAbort, { once: true });
  socket.on("message", (data: Buffer) => {
    queue.push(data);
    // What nobody reads must not pile up.
    if (queue.length > 64) socket.pause();
    wake();
  });
  socket.on("error", (cause) => (failure ??= toConnectionError(cause, server, "sent")));
  socket.on("close", (code) => {
    signal?.removeEventListener("abort", onAbort);
    if (code === 1006) failure ??= toConnectionError(new Error("the socket was cut"), server, "sent");
    stop();
  });

  return async function* messages(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const next = queue.shift();
      if (next !== undefined) {
        if (queue.length === 0 && socket.isPaused) socket.resume();
        yield next;
      } else if (failure !== undefined) throw failure;
      else if (ended) return;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  };
}

function toMessageSocket(socket: WebSocket, server: string, messages: () => AsyncGenerator<Uint8Array>): MessageSocket {
  return {
    protocol: socket.protocol,
    send: (message) =>
      new Promise((resolve, reject) => {
        socket.send(message, (error) =>
          error instanceof Error ? reject(toConnectionError(error, server, "sent")) : resolve(),
        );
      }),
    close: () => socket.close(1000),
    [Symbol.asyncIterator]: messages,
  };
}
