/** Upgrades a connection to a WebSocket with one of the Kubernetes subprotocols. */
import { Socket } from "node:net";
import { WebSocketServer, type WebSocket } from "ws";
import { NodeError } from "../errors.ts";
import { takenOver, type KubeletAnswer, type KubeletCall, type KubeletSink } from "./call.ts";

/** Not imported: as an ES module node:http loads undici, 14 MiB that this package does not use. */
const { IncomingMessage } = process.getBuiltinModule("node:http");

/** Whether the client requests a WebSocket. */
export function isWebSocket(call: KubeletCall): boolean {
  const upgrade = call.headers["upgrade"];
  return typeof upgrade === "string" && upgrade.toLowerCase() === "websocket" && call.upgrade !== undefined;
}

/** The largest accepted message, as in Go's WebSocket package, and the most fragments of a message. */
export const LARGEST_MESSAGE: number = 32 * 2 ** 20;
const mostFragments = 4096;

/** Completes the handshake; rejects a client that offers none of the protocols. */
export function acceptSocket(
  call: KubeletCall,
  protocols: readonly string[],
): Promise<{ readonly socket: WebSocket; readonly protocol: string }> {
  if (!isWebSocket(call) || call.upgrade === undefined)
    throw new NodeError("BadRequest", "unable to upgrade: only WebSocket connections are served");
  const offered = offeredProtocols(call);
  const protocol = protocols.find((one) => offered.includes(one));
  if (protocol === undefined)
    throw new NodeError(
      "BadRequest",
      `unable to negotiate protocol: client supports [${offered.join(" ")}], server accepts [${protocols.join(" ")}]`,
    );
  const server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: LARGEST_MESSAGE,
    maxFragments: mostFragments,
    handleProtocols: () => protocol || false,
  });
  const request = new IncomingMessage(new Socket());
  Object.assign(request, { method: "GET", url: "/", headers: call.headers });
  const raw = call.upgrade();
  return new Promise((resolve, reject) => {
    server.once("wsClientError", ({ message }) => reject(new NodeError("BadRequest", `unable to upgrade: ${message}`)));
    server.handleUpgrade(request, raw, Buffer.alloc(0), (socket) => {
      // An invalid frame may arrive before the caller listens. An error event without a listener ends the process.
      socket.on("error", () => {});
      resolve({ socket, protocol });
    });
  });
}

/** The bytes of a message, whatever its type. */
export function bytesOf(data: unknown): Buffer {
  if (Buffer.isBuffer(data)) return data;
  if (Array.isArray(data)) return Buffer.concat(data as Buffer[]);
  return data instanceof ArrayBuffer ? Buffer.from(data) : Buffer.from(String(data));
}

/** The subprotocols that the client offers. */
export function offeredProtocols(call: KubeletCall): readonly string[] {
  return splitList(call.headers["sec-websocket-protocol"]);
}

/** The items of a header, in linear time: an expression such as `\s*,` is quadratic in the number of spaces. */
export function splitList(header: KubeletCall["headers"][string]): readonly string[] {
  return String(header ?? "")
    .split(",")
    .map((item) => item.trim());
}

/** Sends the body of a response as WebSocket messages: bytes, or base64 text if the client asks for that. */
export async function sendOver(call: KubeletCall, { body }: KubeletAnswer): Promise<KubeletAnswer> {
  const { socket, protocol } = await acceptSocket(call, ["binary.k8s.io", "base64.binary.k8s.io", ""]);
  const sink = new SocketSink(socket, protocol === "base64.binary.k8s.io");
  if (typeof body === "function") socket.on("close", body(sink));
  else {
    if (body.length > 0) sink.write(body);
    sink.end();
  }
  return takenOver;
}

/** How many bytes may wait for the client before the source waits as well. */
const fullAt = 1024 * 1024;

class SocketSink implements KubeletSink {
  readonly #socket: WebSocket;
  readonly #isText: boolean;
  #drained: (() => void) | undefined;

  constructor(socket: WebSocket, isText: boolean) {
    this.#socket = socket;
    this.#isText = isText;
  }

  get isFull(): boolean {
    return this.#socket.bufferedAmount > fullAt;
  }

  whenDrained(callback: () => void): void {
    this.#drained = callback;
  }

  write(chunk: string | Uint8Array): void {
    const bytes = Buffer.from(chunk);
    const message = this.#isText ? bytes.toString("base64") : bytes;
    this.#socket.send(message, { binary: !this.#isText }, (error) => {
      if ((error ?? undefined) !== undefined || this.isFull) return;
      const callback = this.#drained;
      this.#drained = undefined;
      callback?.();
    });
  }

  end(): void {
    this.#socket.close(1000);
  }
}
