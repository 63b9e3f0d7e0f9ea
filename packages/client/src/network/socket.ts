/** WebSockets to an API server, each on its own connection. */
import type { IncomingMessage } from "node:http";
import type { WebSocket } from "ws";
import { orAborted } from "../abort/or-aborted.ts";
import type { MessageSocket, SocketRequest } from "../transport/transport.ts";
import { toByteHeaders } from "./byte-headers.ts";
import { dial } from "./dial.ts";
import type { Endpoint } from "./endpoint.ts";
import { toConnectionError } from "./failure.ts";
import { UpgradeError } from "./upgrade-error.ts";

/** Opens a socket; the library is loaded on demand. */
export async function openSocket(endpoint: Endpoint, request: SocketRequest): Promise<MessageSocket> {
  const { WebSocket } = await import("ws");
  const { server } = endpoint;
  const { socket } = await dial(endpoint, { protocols: ["http/1.1"], signal: request.signal });
  // The library sends arrays as several headers, although its type does not say so.
  const headers = { ...toByteHeaders(request.headers) } as Record<string, string>;
  // The connection is already secure; the library only speaks the protocol.
  const opened = new WebSocket(`ws://${server.host}${request.path}`, [...request.protocols], {
    createConnection: () => socket,
    headers,
    perMessageDeflate: false,
  });
  // Listens at once: the first messages may share a packet with the upgrade response.
  const messages = receive(opened, server.origin, request.signal);
  await untilOpen(opened, server.origin, request.signal);
  return toMessageSocket(opened, server.origin, messages);
}

/** Resolves when the socket is open. The signal is observed until then, also while an error response is read. */
async function untilOpen(socket: WebSocket, server: string, signal: AbortSignal | undefined): Promise<void> {
  const opened = new Promise<void>((resolve, reject) => {
    socket.on("error", (cause) => reject(toConnectionError(cause, server, "sent")));
    socket.once("unexpected-response", (_request, response) => void readUpgradeError(response).then(reject));
    socket.once("open", resolve);
  });
  try {
    await orAborted(opened, signal);
  } catch (error) {
    socket.terminate();
    throw error;
  }
}

/** The limit of an error response. */
const errorBodyLimit = 64 * 1024;

/** The end of the connection also ends the response. */
function readUpgradeError(response: IncomingMessage): Promise<UpgradeError> {
  const chunks: Buffer[] = [];
  let length = 0;
  response.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    length += chunk.length;
    if (length > errorBodyLimit) response.destroy();
  });
  return new Promise((resolve) => {
    response.once("close", () =>
      resolve(new UpgradeError(response.statusCode ?? 0, Buffer.concat(chunks).toString("utf8"))),
    );
  });
}

/** Normal close codes, or none (RFC 6455, section 7.4.1). After any other code data may be missing. */
const normalCloseCodes: ReadonlySet<number> = new Set([1000, 1005]);

function abnormalCloseError(code: number, reason: string): Error {
  if (code === 1006) return new Error("the socket was cut");
  return new Error(`the socket was closed with code ${code}${reason === "" ? "" : ` (${reason})`}`);
}

/** The received messages; reading pauses while they are not consumed. */
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
    // Bounds the queue of unread messages.
    if (queue.length > 64) socket.pause();
    wake();
  });
  socket.on("error", (cause) => (failure ??= toConnectionError(cause, server, "sent")));
  socket.on("close", (code, reason) => {
    signal?.removeEventListener("abort", onAbort);
    if (!normalCloseCodes.has(code))
      failure ??= toConnectionError(abnormalCloseError(code, reason.toString()), server, "sent");
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
