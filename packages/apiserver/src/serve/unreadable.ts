/** Requests that the HTTP parser rejects. They do not reach the handler; the response is that of Go's server. */
import type { Duplex } from "node:stream";
import { toGoJson } from "@capstan/model";
import { methodNotAllowed } from "../verbs/serve-resource.ts";

/** An error of the parser, with the bytes that it was reading. */
export interface UnreadableError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
}

/** Responds on the raw connection and closes it. */
export function refuseUnreadable(error: UnreadableError, socket: Duplex): void {
  // A client that timed out gets no response, as from Go's server.
  if (!socket.writable || error.code === "ECONNRESET" || error.code === "ERR_HTTP_REQUEST_TIMEOUT") {
    socket.destroy();
    return;
  }
  socket.end(answerTo(error.code ?? ""));
}

function answerTo(code: string): string {
  switch (code) {
    case "HPE_INVALID_METHOD":
      return unknownMethod();
    case "HPE_HEADER_OVERFLOW":
      return plain("431 Request Header Fields Too Large");
    default:
      return plain("400 Bad Request");
  }
}

function plain(status: string): string {
  return `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${status}`;
}

/** A method that the parser does not know, with a head that did not arrive whole: it is not allowed on any resource. */
function unknownMethod(): string {
  const { status } = methodNotAllowed();
  const body = `${toGoJson(status)}\n`;
  const headers = [
    "Cache-Control: no-cache, private",
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
  ];
  return `HTTP/1.1 405 Method Not Allowed\r\n${headers.join("\r\n")}\r\n\r\n${body}`;
}
