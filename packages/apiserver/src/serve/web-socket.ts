/** Streamed bodies over a WebSocket: browsers watch this way. */
import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { Duplex } from "node:stream";
import type { LiveBody, Messages, Sink } from "../answer.ts";
import { isBearerProtocol } from "../authenticate/bearer.ts";
import { systemClock, type Timer } from "../clock.ts";
import { controlFrame, FrameReader, messageFrame, opcodes } from "./web-socket-frame.ts";

export interface SocketManner {
  readonly messages: Messages;
  /** How many milliseconds a client may read nothing. */
  readonly patience: number;
}

/** Whether a request asks for a WebSocket. */
export function isWebSocket({ upgrade = "", connection = "" }: IncomingHttpHeaders): boolean {
  return upgrade.toLowerCase() === "websocket" && connection.toLowerCase().includes("upgrade");
}

/** Responds to the handshake and, if it is valid, sends the body message by message. */
export function writeMessages(
  socket: Duplex,
  { headers, body }: { readonly headers: IncomingHttpHeaders; readonly body: LiveBody },
  manner: SocketManner,
): void {
  const protocols = protocolsOf(headers);
  const refusal = refusalOf(headers, protocols);
  if (refusal !== undefined) {
    socket.end(`HTTP/1.1 ${refusal}`);
    return;
  }
  const [protocol] = protocols;
  const chosen = protocol === undefined ? "" : `Sec-WebSocket-Protocol: ${protocol}\r\n`;
  const accept = acceptOf(headers["sec-websocket-key"] ?? "");
  const upgraded = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n";
  socket.write(`${upgraded}Sec-WebSocket-Accept: ${accept}\r\n${chosen}\r\n`);
  const sink = new MessageSink(socket, manner);
  const stop = body(sink);
  socket.once("close", stop);
  listenTo(socket, sink);
}

/** The protocols that a client offers, without the one that carries its token. */
function protocolsOf(headers: IncomingHttpHeaders): string[] {
  const offered = headers["sec-websocket-protocol"] ?? "";
  return offered
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "" && !isBearerProtocol(one));
}

/** The rest of a status line and the body of an error, as Go's library writes them. */
function refusalOf(headers: IncomingHttpHeaders, protocols: readonly string[]): string | undefined {
  const bad = "400 Bad Request\r\n";
  if ((headers["sec-websocket-key"] ?? "") === "") return `${bad}\r\nmismatch challenge/response`;
  if (headers["sec-websocket-version"] !== "13") {
    return `${bad}Sec-WebSocket-Version: 13\r\n\r\nmissing or bad WebSocket Version`;
  }
  if ((headers.origin ?? "") === "") return "403 Forbidden\r\n\r\n";
  return protocols.length > 1 ? `${bad}\r\n` : undefined;
}

/** The Sec-WebSocket-Accept value (RFC 6455, 4.2.2). */
function acceptOf(key: string): string {
  return createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
}

/** Clients only send close and ping frames. */
function listenTo(socket: Duplex, sink: Sink): void {
  const reader = new FrameReader();
  socket.on("data", (chunk: Buffer) => {
    for (const { opcode, payload } of reader.read(chunk)) {
      if (opcode === opcodes.close) sink.end();
      if (opcode === opcodes.ping && socket.writable) socket.write(controlFrame(opcodes.pong, payload));
    }
    if (reader.isLost) socket.destroy();
  });
  socket.once("end", () => socket.destroy());
}

/** The size of the buffered data at which a body waits for its client. */
const fullAt = 1024 * 1024;
/** How long the client may take to close, in milliseconds. */
const linger = 2000;
const normalClosure = Buffer.from([0x03, 0xe8]);

class MessageSink implements Sink {
  readonly #socket: Duplex;
  readonly #manner: SocketManner;

  constructor(socket: Duplex, manner: SocketManner) {
    this.#socket = socket;
    this.#manner = manner;
  }

  get isFull(): boolean {
    return this.#socket.writableLength > fullAt;
  }

  write(chunk: string | Uint8Array): void {
    if (this.#socket.writable) this.#socket.write(messageFrame(chunk, this.#manner.messages));
  }

  whenDrained(callback: () => void): void {
    const stalled: Timer = systemClock.later(this.#manner.patience, () => this.#socket.destroy());
    this.#socket.once("close", () => stalled.cancel());
    this.#socket.once("drain", () => {
      stalled.cancel();
      callback();
    });
  }

  end(): void {
    if (!this.#socket.writable) return;
    this.#socket.end(controlFrame(opcodes.close, normalClosure));
    systemClock.later(linger, () => this.#socket.destroy());
  }
}
