/** Writes responses to Node's HTTP responses. */
import type { ServerResponse } from "node:http";
import { createGzip, gzip } from "node:zlib";
import { isLive, type Answer, type LiveBody, type Sink } from "../answer.ts";
import { HttpSink } from "./http-sink.ts";

/** The common type of both HTTP versions; Node's HTTP/2 responses have the same methods. */
export type HttpResponse = ServerResponse;

/** Shorter bodies are not worth compressing. */
const gzipFrom = 128 * 1024;

/** More compressed responses at a time would take the processors from the event loop; further ones are sent as they are. */
const mostCompressions = 2;
let compressions = 0;

/** How a response is written: compression, and the timeout for reading. */
export interface Manner {
  readonly acceptsGzip: boolean;
  /** Milliseconds. */
  readonly patience: number;
  /** Reports an error that occurs after the headers were sent. */
  readonly fail: (error: unknown) => void;
}

export function writeAnswer(response: HttpResponse, answer: Answer, manner: Manner): void {
  const { acceptsGzip, patience, fail } = manner;
  const { body, headers, status } = answer;
  if (isLive(body)) {
    const compresses = acceptsGzip && answer.compressible === true && compressions < mostCompressions;
    if (compresses) {
      compressions++;
      response.once("close", () => compressions--);
      Object.assign(headers, { "content-encoding": "gzip", vary: "Accept-Encoding" });
    }
    response.writeHead(status, headers);
    writeLive(
      response,
      body,
      new HttpSink(response, { patience, fail, compression: compresses ? createGzip({ level: 1 }) : undefined }),
    );
  } else if (acceptsGzip && body.length > gzipFrom && compressions < mostCompressions)
    writeCompressed(response, { ...answer, body }, fail);
  else {
    headers["content-length"] = String(typeof body === "string" ? Buffer.byteLength(body) : body.length);
    response.writeHead(status, headers);
    // Node writes headers and a string body in one piece, and would encode the bytes of a warning again.
    endWith(response, typeof body === "string" && headers["warning"] !== undefined ? Buffer.from(body) : body);
  }
}

/** The last piece of a body: smaller than the buffer of a socket, so that the socket does not wait for it to drain. */
const lastPiece = 16 * 1024;

/**
 * While a response drains, Node pauses the parser of an HTTP/1.1 connection, and fails (HPE_PAUSED) when the next request arrives in
 * several pieces. So the end of a long body is sent only when its start has drained: the client cannot send the next request before.
 */
function endWith(response: HttpResponse, body: string | Uint8Array): void {
  if (body.length <= lastPiece || isHttp2(response)) return void response.end(body);
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  const end = (): void => void response.end(bytes.subarray(-lastPiece));
  if (response.write(bytes.subarray(0, -lastPiece))) end();
  else response.once("drain", end);
}

function isHttp2(response: HttpResponse): boolean {
  return "stream" in response;
}

type WholeAnswer = Answer & { readonly body: string | Uint8Array };

function writeCompressed(response: HttpResponse, answer: WholeAnswer, fail: Manner["fail"]): void {
  const { status, headers, body } = answer;
  compressions++;
  gzip(body, { level: 1 }, (error, compressed) => {
    compressions--;
    if (error !== null) return fail(error);
    headers["content-encoding"] = "gzip";
    headers["vary"] ??= "Accept-Encoding";
    headers["content-length"] = String(compressed.length);
    try {
      response.writeHead(status, headers);
      endWith(response, compressed);
    } catch (why) {
      fail(why);
    }
  });
}

function writeLive(response: HttpResponse, body: LiveBody, sink: Sink): void {
  // A watch without events must still send its headers.
  response.flushHeaders();
  const stop = body(sink);
  response.once("close", stop);
}
