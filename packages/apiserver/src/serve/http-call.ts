/** Requests of Node's HTTP servers as calls. */
import type { IncomingMessage } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import type { Duplex } from "node:stream";
import { TLSSocket } from "node:tls";
import { apiErrors, StatusError, toFailure } from "@capstan/model";
import type { Call, Headers } from "../call.ts";
import { systemClock } from "../clock.ts";

/** The common type of both HTTP versions. */
export type HttpRequest = IncomingMessage | Http2ServerRequest;

/** Larger bodies are rejected. */
export const maxBody: number = 3 * 1024 * 1024;

const emptyBody = new Uint8Array();

/** One request from a socket. */
export class HttpCall implements Call {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly #request: HttpRequest;
  /** Timeout of the body, in milliseconds. */
  readonly #patience: number;
  readonly #upgrade: Duplex | undefined;
  #abort: AbortController | undefined;
  #body: Promise<Uint8Array> | undefined;

  constructor(request: HttpRequest, patience: number, upgrade?: Duplex) {
    this.method = request.method ?? "GET";
    this.url = request.url ?? "/";
    this.headers = headersOf(request);
    this.#request = request;
    this.#patience = patience;
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
    return (this.#body ??= readBody(this.#request, this.#patience));
  }

  upgrade(): Duplex {
    if (this.#upgrade === undefined) throw apiErrors.badRequest("Upgrade request required");
    return this.#upgrade;
  }
}

/** Headers that may be repeated and may contain commas in their values. */
const repeated = "impersonate-";

/** Node joins repeated headers with commas. Where that would lose information, the values are kept separate. */
function headersOf({ headers, rawHeaders }: HttpRequest): Headers {
  if (!Object.keys(headers).some((name) => name.startsWith(repeated))) return headers;
  const apart: { [name: string]: string[] } = {};
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? "").toLowerCase();
    if (name.startsWith(repeated)) (apart[name] ??= []).push(rawHeaders[at + 1] ?? "");
  }
  return { ...headers, ...apart };
}

function readBody(request: HttpRequest, patience: number): Promise<Uint8Array> {
  const { method } = request;
  if (method === "GET" || method === "HEAD") return Promise.resolve(emptyBody);
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  const chunks: Buffer[] = [];
  let size = 0;
  const late = systemClock.later(patience, () => reject(tooSlow()));
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
    late.cancel();
    if (!isWhole) reject(apiErrors.badRequest("unexpected EOF"));
  });
  return promise;
}

/** The error of kube-apiserver for a request that takes too long. */
function tooSlow(): StatusError {
  const message = "Timeout: request did not complete within the allotted timeout";
  return new StatusError(toFailure({ code: 504, reason: "Timeout", message, details: {} }));
}
