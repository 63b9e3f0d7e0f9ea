/** Puts the handler on a port: HTTP/1.1, and with a certificate also HTTP/2 over TLS. */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createSecureServer, type Http2SecureServer } from "node:http2";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { isLive, type Answer } from "../answer.ts";
import type { Handler } from "../handler.ts";
import { HttpCall, type HttpRequest } from "./http-call.ts";
import { refuseUnreadable } from "./unreadable.ts";
import { writeAnswer, type HttpResponse } from "./http-answer.ts";

/** Where to listen and as whom. */
export interface ListenOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** PEM; without it the port speaks plain HTTP. */
  readonly tls?: ListenTls;
}

/** The certificate of the port and its key, and who signs the certificates of clients (PEM). */
export interface ListenTls {
  readonly certificate: string;
  readonly privateKey: string;
  readonly clientAuthority?: string;
}

/** A port that answers. */
export interface Listening {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/** As kube-apiserver has them: time for the headers, and between two requests. */
const timeouts = { headersTimeout: 32_000, requestTimeout: 120_000, keepAliveTimeout: 90_000 };
const maxHeaderSize = 1024 * 1024;
/** Clients of HTTP/1.1 on a port that speaks both; the type of the options does not know that they are passed on. */
const http1Limits: object = { maxHeaderSize };

/** Starts to listen. */
export async function listen(handler: Handler, options: ListenOptions): Promise<Listening> {
  const onRequest = (request: HttpRequest, response: HttpResponse): void => void serveOne(handler, request, response);
  const onUpgrade = (request: IncomingMessage, socket: Duplex): void => void serveUpgrade(handler, request, socket);
  const server = options.tls === undefined ? await plainServer(onRequest) : secureServer(options.tls, onRequest);
  server.on("upgrade", onUpgrade);
  server.on("clientError", refuseUnreadable);
  server.listen(options.port, options.host);
  await new Promise<void>((resolve, reject) => {
    server.once("listening", resolve);
    server.once("error", reject);
  });
  const { port } = server.address() as AddressInfo;
  const scheme = options.tls === undefined ? "http" : "https";
  const host = options.host.includes(":") ? `[${options.host}]` : options.host;
  return { url: `${scheme}://${host}:${port}`, port, close: closer(server) };
}

type OnRequest = (request: HttpRequest, response: HttpResponse) => void;

/** Node's module of HTTP/1.1 brings a whole fetch along: it is loaded only where nothing else will do. */
async function plainServer(onRequest: OnRequest): Promise<Server> {
  const { createServer } = await import("node:http");
  return createServer({ ...timeouts, maxHeaderSize }, (request: IncomingMessage, response: ServerResponse) =>
    onRequest(request, response),
  );
}

function secureServer(tls: ListenTls, onRequest: OnRequest): Http2SecureServer {
  const server = createSecureServer(
    {
      cert: tls.certificate,
      key: tls.privateKey,
      ...(tls.clientAuthority === undefined ? {} : { ca: tls.clientAuthority }),
      requestCert: true,
      rejectUnauthorized: false,
      allowHTTP1: true,
      settings: { maxConcurrentStreams: 250, maxHeaderListSize: maxHeaderSize },
      ...timeouts,
      ...http1Limits,
    },
    // The compatibility layer of HTTP/2 has the methods of HTTP/1.1 that are used here, if not its type.
    (request, response) => onRequest(request, response as unknown as HttpResponse),
  );
  server.on("tlsClientError", () => {});
  server.on("sessionError", () => {});
  return server;
}

/** The handler answers everything; what it does not answer was lost on purpose, and so is the connection. */
const lost = (): undefined => undefined;

async function serveOne(handler: Handler, request: HttpRequest, response: HttpResponse): Promise<void> {
  const call = new HttpCall(request);
  response.on("error", () => {});
  const answer = await handler(call).catch(lost);
  if (answer === undefined) response.destroy();
  if (answer === undefined || response.destroyed) return;
  const encodings = request.headers["accept-encoding"];
  writeAnswer(response, answer, typeof encodings === "string" && encodings.includes("gzip"));
}

/** A connection that leaves HTTP: whoever takes the socket answers on it; a refusal is written here. */
async function serveUpgrade(handler: Handler, request: IncomingMessage, socket: Duplex): Promise<void> {
  socket.on("error", () => {});
  const answer = await handler(new HttpCall(request, socket)).catch(lost);
  if (answer === undefined) socket.destroy();
  else if (answer.status !== 101) socket.end(await rawAnswer(answer));
}

async function rawAnswer({ status, headers, body }: Answer): Promise<string> {
  const { STATUS_CODES } = await import("node:http");
  const text = isLive(body) ? "" : Buffer.from(body as Uint8Array).toString();
  const all = { ...headers, "content-length": String(Buffer.byteLength(text)), connection: "close" };
  const lines = Object.entries(all).flatMap(([name, value]) => [value].flat().map((one) => `${name}: ${one}`));
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("\r\n")}\r\n\r\n${text}`;
}

function closer(server: Server | Http2SecureServer): () => Promise<void> {
  const sockets = new Set<Duplex>();
  server.on("connection", (socket: Duplex) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  return async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
}
