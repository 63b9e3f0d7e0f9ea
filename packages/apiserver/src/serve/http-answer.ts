/** Writes responses to Node's HTTP responses. */
import type { ServerResponse } from "node:http";
import { createGzip, gzip } from "node:zlib";
import { isLive, type Answer, type LiveBody, type Sink } from "../answer.ts";
import { HttpSink } from "./http-sink.ts";

/** The common type of both HTTP versions; Node's HTTP/2 responses have the same methods. */
export type HttpResponse = ServerResponse;

/** Shorter bodies are not worth compressing. */
const gzipFrom = 128 * 1024;

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
    const compresses = acceptsGzip && answer.compressible === true;
    if (compresses) Object.assign(headers, { "content-encoding": "gzip", vary: "Accept-Encoding" });
    response.writeHead(status, headers);
    writeLive(
      response,
      body,
      new HttpSink(response, { patience, fail, compression: compresses ? createGzip({ level: 1 }) : undefined }),
    );
  } else if (acceptsGzip && body.length > gzipFrom) writeCompressed(response, { ...answer, body }, fail);
  else {
    headers["content-length"] = String(typeof body === "string" ? Buffer.byteLength(body) : body.length);
    response.writeHead(status, headers);
    // Node writes headers and a string body in one piece, and would encode the bytes of a warning again.
    response.end(typeof body === "string" && headers["warning"] !== undefined ? Buffer.from(body) : body);
  }
}

type WholeAnswer = Answer & { readonly body: string | Uint8Array };

function writeCompressed(response: HttpResponse, answer: WholeAnswer, fail: Manner["fail"]): void {
  const { status, headers, body } = answer;
  gzip(body, { level: 1 }, (error, compressed) => {
    if (error !== null) return fail(error);
    headers["content-encoding"] = "gzip";
    headers["vary"] ??= "Accept-Encoding";
    headers["content-length"] = String(compressed.length);
    try {
      response.writeHead(status, headers);
      response.end(compressed);
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
