/** Requests that HTTP itself could not read: they never reach the handler, and are answered as Go's server does. */
import type { Duplex } from "node:stream";
import { toGoJson } from "@capstan/model";
import { methodNotAllowed } from "../verbs/serve-resource.ts";

/** Answers on the raw connection and closes it. */
export function refuseUnreadable(error: Error & { readonly code?: string }, socket: Duplex): void {
  // Whoever was too slow hears nothing, as from Go's server.
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

/** A method that HTTP libraries do not know is one that no resource allows. */
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
