/** Serves the handler on a port: HTTP/1.1, and with a certificate also HTTP/2 over TLS. */
import type { IncomingMessage, Server, ServerOptions as HttpServerOptions, ServerResponse } from "node:http";
import { createSecureServer, type Http2SecureServer, type ServerHttp2Session } from "node:http2";
import type { AddressInfo } from "node:net";
import { Duplex } from "node:stream";
import { isLive, type Answer } from "../answer.ts";
import type { Call } from "../call.ts";
import { systemClock } from "../clock.ts";
import type { Handler } from "../handler.ts";
import { HttpCall, type HttpRequest } from "./http-call.ts";
import { defaultPatience, type Patience } from "./patience.ts";
import { boundSilent } from "./silent.ts";
import { readHead, toCall } from "./unknown-method.ts";
import { refuseUnreadable, type UnreadableError } from "./unreadable.ts";
import { isWebSocket, writeMessages } from "./web-socket.ts";
import { writeAnswer, type HttpResponse, type Manner } from "./http-answer.ts";

export interface ListenOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** PEM; without it the port serves plain HTTP. */
  readonly tls?: ListenTls;
  /** Reports bugs: responses that cannot be written. */
  readonly report?: (error: unknown, call: Call) => void;
  /** Timeouts of slow clients. Default: those of kube-apiserver. */
  readonly patience?: Partial<Patience>;
  /** The maximum number of open connections without a request. */
  readonly mostSilent?: number;
}

/** The certificate of the port, its key, and the CA of client certificates (PEM). */
export interface ListenTls {
  readonly certificate: string;
  readonly privateKey: string;
  readonly clientAuthority?: string;
}

/** An open port. */
export interface Listening {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

const mostSilent = 1000;
const maxHeaderSize = 1024 * 1024;
/** The longest interval of the check for slow HTTP/1.1 connections, in milliseconds. */
const lookAround = 1000;
/** How long a client may take to read an error while it is still sending its body, in milliseconds. */
const linger = 2000;

export async function listen(handler: Handler, options: ListenOptions): Promise<Listening> {
  const patience = { ...defaultPatience, ...options.patience };
  const desk = { handler, patience, report: options.report ?? (() => {}) };
  const onRequest = (request: HttpRequest, response: HttpResponse): void => void serveOne(desk, request, response);
  const onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    if (head.length > 0) socket.unshift(head);
    void serveUpgrade(desk, request, socket);
  };
  const server =
    options.tls === undefined ? plainServer(onRequest, patience) : secureServer(options.tls, onRequest, patience);
  server.on("upgrade", onUpgrade);
  server.on("clientError", (error: UnreadableError, socket: Duplex) => {
    const head = error.code === "HPE_INVALID_METHOD" ? readHead(error.rawPacket) : undefined;
    if (head === undefined || !socket.writable) refuseUnreadable(error, socket);
    else void serveRaw(desk, toCall(head, socket), socket);
  });
  server.on("connect", (request: HttpRequest, at: Duplex | HttpResponse) => {
    if (at instanceof Duplex) void serveRaw(desk, new HttpCall(request, patience.body), at);
    else onRequest(request, at);
  });
  boundSilent(server, options.mostSilent ?? mostSilent);
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

/** The handler and the timeouts of its clients. */
interface Desk {
  readonly handler: Handler;
  readonly patience: Patience;
  report(error: unknown, call: Call): void;
}

/** Node's limits for slow HTTP/1.1 clients. `HttpCall` has its own, shorter timeout for bodies. */
function http1Limits({ headers, body, idle }: Patience): HttpServerOptions {
  return {
    maxHeaderSize,
    headersTimeout: headers,
    requestTimeout: headers + body,
    keepAliveTimeout: idle,
    connectionsCheckingInterval: Math.min(lookAround, headers),
  };
}

/** Not imported: the ES module of node:http loads undici, 14 MiB that are not used here. */
function plainServer(onRequest: OnRequest, patience: Patience): Server {
  const { createServer } = process.getBuiltinModule("node:http");
  return createServer(http1Limits(patience), (request: IncomingMessage, response: ServerResponse) =>
    onRequest(request, response),
  );
}

function secureServer(tls: ListenTls, onRequest: OnRequest, patience: Patience): Http2SecureServer {
  // The option types do not declare the HTTP/1.1 options, which are passed on.
  const limits: object = http1Limits(patience);
  const server = createSecureServer(
    {
      cert: tls.certificate,
      key: tls.privateKey,
      // Without a CA, Node would trust every public one; so client certificates are then not requested.
      ...(tls.clientAuthority === undefined ? {} : { ca: tls.clientAuthority, requestCert: true }),
      rejectUnauthorized: false,
      allowHTTP1: true,
      handshakeTimeout: patience.headers,
      settings: { maxConcurrentStreams: 250, maxHeaderListSize: maxHeaderSize },
      ...limits,
    },
    // The compatibility layer of HTTP/2 has the HTTP/1.1 methods that are used here, but not the type.
    (request, response) => onRequest(request, response as unknown as HttpResponse),
  );
  server.on("session", (session) => closeWhenIdle(session, patience.idle));
  // Node leaves this to the listener: a client that never finishes the handshake would stay connected.
  server.on("tlsClientError", (_, socket) => socket.destroy());
  server.on("sessionError", () => {});
  return server;
}

/** A session may be idle while a stream is open, such as a watch. */
function closeWhenIdle(session: ServerHttp2Session, idle: number): void {
  let open = 0;
  session.on("stream", (stream) => {
    open++;
    stream.once("close", () => open--);
  });
  session.setTimeout(idle, () => {
    if (open === 0) session.close();
  });
}

/** The handler never throws. A rejection is an injected fault, and the connection is dropped. */
const lost = (): undefined => undefined;

/** A response that cannot be written ends its connection, never the process. */
async function serveOne(desk: Desk, request: HttpRequest, response: HttpResponse): Promise<void> {
  const call = new HttpCall(request, desk.patience.body);
  response.on("error", () => {});
  const fail = (error: unknown): void => {
    response.destroy();
    desk.report(error, call);
  };
  const answer = await desk.handler(call).catch(lost);
  try {
    give(answer, { request, response, patience: desk.patience.reading, fail });
  } catch (error) {
    fail(error);
  }
}

/** The request and response objects of a response. */
interface Receiver extends Omit<Manner, "acceptsGzip"> {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
}

function give(answer: Answer | undefined, { request, response, ...manner }: Receiver): void {
  if (answer === undefined) response.destroy();
  if (answer === undefined || response.destroyed) return;
  const encodings = request.headers["accept-encoding"];
  const acceptsGzip = typeof encodings === "string" && encodings.includes("gzip");
  if (hasBody(request) && !request.complete) systemClock.later(linger, () => cutOff(request));
  writeAnswer(response, answer, { ...manner, acceptsGzip });
}

function hasBody({ method }: HttpRequest): boolean {
  return method !== "GET" && method !== "HEAD";
}

/** A client that keeps sending after its response is disconnected. */
function cutOff(request: HttpRequest): void {
  if (request.complete) return;
  if ("stream" in request) request.stream.close();
  else request.destroy();
}

/** Serves an upgrade. A handler that takes over the socket responds on it; errors are written here. */
async function serveUpgrade(desk: Desk, request: IncomingMessage, socket: Duplex): Promise<void> {
  socket.on("error", () => {});
  const call = new HttpCall(request, desk.patience.body, socket);
  const answer = await desk.handler(call).catch(lost);
  try {
    if (answer === undefined) socket.destroy();
    else if (answer.messages !== undefined && isLive(answer.body) && isWebSocket(request.headers)) {
      const manner = { messages: answer.messages, patience: desk.patience.reading };
      writeMessages(socket, { headers: request.headers, body: answer.body }, manner);
    } else if (answer.status !== 101) writeRaw(socket, answer);
  } catch (error) {
    socket.destroy();
    desk.report(error, call);
  }
}

/** Serves a request that is not read by Node's server, and closes its connection. */
async function serveRaw(desk: Desk, call: Call, socket: Duplex): Promise<void> {
  socket.on("error", () => {});
  const answer = await desk.handler(call).catch(lost);
  try {
    if (answer === undefined) socket.destroy();
    else writeRaw(socket, answer);
  } catch (error) {
    socket.destroy();
    desk.report(error, call);
  }
}

/** Writes a response that is no upgrade, such as that of a pod that declines it. The end of the connection ends a live body. */
function writeRaw(socket: Duplex, { status, headers, body }: Answer): void {
  const { STATUS_CODES } = process.getBuiltinModule("node:http");
  const { "transfer-encoding": _coding, "content-length": length, ...kept } = headers;
  const known = isLive(body) ? (length === undefined ? {} : { "content-length": length }) : lengthOf(body);
  const lines = Object.entries({ ...kept, ...known, connection: "close" }).flatMap(([name, value]) =>
    [value].flat().map((one) => `${name}: ${one}`),
  );
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("\r\n")}\r\n\r\n`);
  if (!isLive(body)) return void socket.end(body);
  const stop = body({
    get isFull() {
      return socket.writableNeedDrain;
    },
    whenDrained: (callback) => void socket.once("drain", callback),
    write: (chunk) => void socket.write(chunk),
    end: () => void socket.end(),
  });
  socket.once("close", stop);
}

function lengthOf(body: string | Uint8Array): { readonly "content-length": string } {
  return { "content-length": String(Buffer.byteLength(body)) };
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
