/** Requests of node's HTTP servers as calls. */
import type { IncomingMessage } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import type { Duplex } from "node:stream";
import { TLSSocket } from "node:tls";
import { apiErrors } from "@capstan/model";
import type { Call, Headers } from "../call.ts";

/** What both versions of HTTP give. */
export type HttpRequest = IncomingMessage | Http2ServerRequest;

/** Bodies above this are refused. */
export const maxBody: number = 3 * 1024 * 1024;

const emptyBody = new Uint8Array();

/** One request that came over a socket. */
export class HttpCall implements Call {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly #request: HttpRequest;
  readonly #upgrade: Duplex | undefined;
  #abort: AbortController | undefined;
  #body: Promise<Uint8Array> | undefined;

  constructor(request: HttpRequest, upgrade?: Duplex) {
    this.method = request.method ?? "GET";
    this.url = request.url ?? "/";
    this.headers = request.headers;
    this.#request = request;
    this.#upgrade = upgrade;
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      const abort = new AbortController();
      this.#abort = abort;
      this.#request.once("close", () => abort.abort());
    }
    return this.#abort.signal;
  }

  get remoteAddress(): string {
    return this.#request.socket.remoteAddress ?? "";
  }

  get certificate(): Uint8Array | undefined {
    const { socket } = this.#request;
    if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
    const { raw } = socket.getPeerCertificate();
    return raw === undefined ? undefined : raw;
  }

  body(): Promise<Uint8Array> {
    return (this.#body ??= readBody(this.#request));
  }

  upgrade(): Duplex {
    if (this.#upgrade === undefined) throw apiErrors.badRequest("Upgrade request required");
    return this.#upgrade;
  }
}

function readBody(request: HttpRequest): Promise<Uint8Array> {
  const { method } = request;
  if (method === "GET" || method === "HEAD") return Promise.resolve(emptyBody);
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  const chunks: Buffer[] = [];
  let size = 0;
  request.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size <= maxBody) chunks.push(chunk);
    else reject(apiErrors.requestEntityTooLarge(`limit is ${maxBody}`));
  });
  let isWhole = false;
  request.once("end", () => {
    isWhole = true;
    resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks));
  });
  request.once("error", reject);
  request.once("close", () => {
    if (!isWhole) reject(apiErrors.badRequest("unexpected EOF"));
  });
  return promise;
}
