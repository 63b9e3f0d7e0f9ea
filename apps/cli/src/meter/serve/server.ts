/** Listens, and sends the answers of the router. */
import { readFile } from "node:fs/promises";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Answer } from "./answer.ts";
import { HttpError, statusOf, toHttpError } from "./http-error.ts";
import { type Routing, endpointName, route } from "./router.ts";

/** Where to listen, and with what certificate. */
export interface Listening {
  readonly host: string;
  readonly port: number;
  readonly tls?: { readonly cert: string; readonly key: string };
}

/** What the server needs beside its routing. */
export interface ServerOptions extends Routing {
  readonly listening: Listening;
  /** The most requests that are answered at once; each may take the memory of an engine. */
  readonly atOnce: number;
  readonly log: (line: string) => void;
}

/** A server that listens. */
export interface Listened extends AsyncDisposable {
  readonly url: string;
}

/** The most requests that wait. */
const waitingLimit = 100;

/** Starts the server. */
export async function startServer(options: ServerOptions): Promise<Listened> {
  const { host, port, tls } = options.listening;
  const gate = new Gate(options.atOnce);
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    answer(request, response, { ...options, gate }).catch((error: unknown) => {
      options.log(`a request broke: ${String(error)}`);
      response.destroy();
    });
  };
  const server: Server =
    tls === undefined
      ? createServer(listener)
      : createSecureServer({ cert: await readFile(tls.cert), key: await readFile(tls.key) }, listener);
  server.headersTimeout = 10_000;
  await new Promise<void>((done, failed) => {
    server.once("error", failed);
    server.listen(port, host, done);
  });
  // A server that listens on a port has an address of this form.
  const { port: bound, family, address } = server.address() as AddressInfo;
  const name = family === "IPv6" ? `[${address}]` : address;
  return {
    url: `${tls === undefined ? "http" : "https"}://${name}:${bound}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/** Lets a number of requests pass at once; the others wait in line. */
class Gate {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(free: number) {
    this.#free = free;
  }

  async pass<T>(run: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else if (this.#waiting.length >= waitingLimit) throw new HttpError(503, "too many requests wait; try again later");
    else await new Promise<void>((done) => this.#waiting.push(done));
    try {
      return await run();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}

interface Answering extends ServerOptions {
  readonly gate: Gate;
}

async function answer(request: IncomingMessage, response: ServerResponse, options: Answering): Promise<void> {
  const began = performance.now();
  const path = (request.url ?? "/").split("?")[0] ?? "/";
  const found = await options.gate
    .pass(() => route(request, options))
    .catch((thrown: unknown) => failure(thrown, options));
  options.setting.metrics.answered(endpointName(path), (performance.now() - began) / 1000);
  response.statusCode = found.status;
  if (found.type !== "") response.setHeader("Content-Type", found.type);
  response.setHeader("X-Content-Type-Options", "nosniff");
  for (const [name, value] of Object.entries(found.headers ?? {})) response.setHeader(name, value);
  // An unread body cannot be followed by another request.
  if (!request.complete) response.setHeader("Connection", "close");
  if (request.method === "HEAD" || found.status === 304) response.end();
  else await pipeline(Readable.from(found.body), response);
}

function failure(thrown: unknown, { log, setting }: Answering): Answer {
  const error = toHttpError(thrown);
  if (error.code >= 500) log(`500: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}`);
  if (error.code === 401 || error.code === 403) setting.metrics.refused();
  const headers = {
    ...(error.code === 401 && { "WWW-Authenticate": 'Bearer realm="metering"' }),
    ...((error.code === 409 || error.code === 503) && { "Retry-After": "1" }),
  };
  return { status: error.code, type: "application/json", headers, body: [`${JSON.stringify(statusOf(error))}\n`] };
}
