/** Takes a connection over as a WebSocket with one of the protocols that Kubernetes speaks. */
import { Socket } from "node:net";
import { WebSocketServer, type WebSocket } from "ws";
import { NodeError } from "../errors.ts";
import { takenOver, type KubeletAnswer, type KubeletCall } from "./call.ts";

/** Not imported: as an ES module node:http brings undici with it, 14 MiB that nobody here uses. */
const { IncomingMessage } = process.getBuiltinModule("node:http");

/** Whether the client wants a WebSocket. */
export function isWebSocket(call: KubeletCall): boolean {
  const upgrade = call.headers["upgrade"];
  return typeof upgrade === "string" && upgrade.toLowerCase() === "websocket" && call.upgrade !== undefined;
}

/** The largest message that is taken, as with the WebSockets of Go, and the most fragments that it may come in. */
export const LARGEST_MESSAGE: number = 32 * 2 ** 20;
const mostFragments = 4096;

/** Completes the handshake; refuses a client that speaks none of the protocols. */
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
  return new Promise((resolve) => {
    server.handleUpgrade(request, raw, Buffer.alloc(0), (socket) => resolve({ socket, protocol }));
  });
}

/** The bytes of a message, however they came. */
export function bytesOf(data: unknown): Buffer {
  if (Buffer.isBuffer(data)) return data;
  if (Array.isArray(data)) return Buffer.concat(data as Buffer[]);
  return data instanceof ArrayBuffer ? Buffer.from(data) : Buffer.from(String(data));
}

/** What the client says it speaks. */
export function offeredProtocols(call: KubeletCall): readonly string[] {
  return String(call.headers["sec-websocket-protocol"] ?? "").split(/\s*,\s*/);
}

/** Sends the body of an answer as the messages of a WebSocket: bytes, or text in base64 for whoever wants that. */
export async function sendOver(call: KubeletCall, { body }: KubeletAnswer): Promise<KubeletAnswer> {
  const { socket, protocol } = await acceptSocket(call, ["binary.k8s.io", "base64.binary.k8s.io", ""]);
  const isText = protocol === "base64.binary.k8s.io";
  const write = (chunk: string | Uint8Array): void =>
    socket.send(isText ? Buffer.from(chunk).toString("base64") : Buffer.from(chunk), { binary: !isText });
  const end = (): void => socket.close(1000);
  socket.on("error", () => {});
  if (typeof body === "function") socket.on("close", body({ write, end }));
  else {
    if (body.length > 0) write(body);
    end();
  }
  return takenOver;
}
