/** Answers onto node's HTTP responses. */
import type { ServerResponse } from "node:http";
import { createGzip, gzip, type Gzip } from "node:zlib";
import { isLive, type Answer, type LiveBody, type Sink } from "../answer.ts";
import { Flusher, type Flushable } from "./flusher.ts";

/** What both versions of HTTP take; node gives the responses of HTTP/2 the same methods. */
export type HttpResponse = ServerResponse;

/** Shorter bodies are not worth compressing. */
const gzipFrom = 128 * 1024;

/** Writes an answer. */
export function writeAnswer(response: HttpResponse, answer: Answer, acceptsGzip: boolean): void {
  const { body, headers, status } = answer;
  if (isLive(body)) {
    const compresses = acceptsGzip && answer.compressible === true;
    if (compresses) Object.assign(headers, { "content-encoding": "gzip", vary: "Accept-Encoding" });
    response.writeHead(status, headers);
    writeLive(response, body, compresses);
  } else if (acceptsGzip && body.length > gzipFrom) writeCompressed(response, answer, body);
  else {
    headers["content-length"] = String(typeof body === "string" ? Buffer.byteLength(body) : body.length);
    response.writeHead(status, headers);
    response.end(body);
  }
}

function writeCompressed(response: HttpResponse, { status, headers }: Answer, body: string | Uint8Array): void {
  gzip(body, { level: 1 }, (error, compressed) => {
    if (error !== null) {
      response.destroy(error);
      return;
    }
    headers["content-encoding"] = "gzip";
    headers["vary"] = "Accept-Encoding";
    headers["content-length"] = String(compressed.length);
    response.writeHead(status, headers);
    response.end(compressed);
  });
}

function writeLive(response: HttpResponse, body: LiveBody, compresses: boolean): void {
  const sink = new HttpSink(response, compresses ? createGzip({ level: 1 }) : undefined);
  // A watch with nothing to say yet must still show its client that it began.
  response.flushHeaders();
  const stop = body(sink);
  response.once("close", stop);
}

const flusher = new Flusher();

/** Chunks of one turn go out together: under load, many small events become few writes. */
class HttpSink implements Sink, Flushable {
  readonly #response: HttpResponse;
  readonly #gzip: Gzip | undefined;
  readonly #closed: () => void;
  #pending: (string | Uint8Array)[] = [];
  #ended = false;

  constructor(response: HttpResponse, compression: Gzip | undefined) {
    this.#response = response;
    this.#gzip = compression;
    this.#closed = flusher.opened();
    compression?.pipe(response);
    response.once("close", this.#closed);
  }

  get backlog(): number {
    return this.#response.writableLength;
  }

  write(chunk: string | Uint8Array): void {
    this.#pending.push(chunk);
    flusher.wake(this);
  }

  end(): void {
    this.#ended = true;
    flusher.wake(this);
  }

  flush(): void {
    const target = this.#gzip ?? this.#response;
    if (this.#pending.length > 0) {
      target.write(joinShared(this.#pending));
      this.#pending = [];
    }
    if (this.#ended) target.end();
  }
}

let lastChunks: readonly (string | Uint8Array)[] = [];
let lastJoined: string | Uint8Array = "";

/** Watchers of the same objects wait for the same chunks: they are joined once for all of them. */
function joinShared(chunks: readonly (string | Uint8Array)[]): string | Uint8Array {
  const isSame = chunks.length === lastChunks.length && chunks.every((chunk, index) => chunk === lastChunks[index]);
  if (isSame) return lastJoined;
  lastChunks = chunks;
  lastJoined = joined(chunks);
  return lastJoined;
}

function joined(chunks: readonly (string | Uint8Array)[]): string | Uint8Array {
  const [first] = chunks;
  if (chunks.length === 1 && first !== undefined) return first;
  if (chunks.every((chunk) => typeof chunk === "string")) return chunks.join("");
  return Buffer.concat(chunks.map((chunk) => (typeof chunk === "string" ? Buffer.from(chunk) : chunk)));
}
