/** Puts the handler on a port: HTTP/1.1, and with a certificate also HTTP/2 over TLS. */
import type { IncomingMessage, Server, ServerOptions as HttpServerOptions, ServerResponse } from "node:http";
import { createSecureServer, type Http2SecureServer, type ServerHttp2Session } from "node:http2";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { isLive, type Answer } from "../answer.ts";
import type { Call } from "../call.ts";
import { systemClock } from "../clock.ts";
import type { Handler } from "../handler.ts";
import { HttpCall, type HttpRequest } from "./http-call.ts";
import { defaultPatience, type Patience } from "./patience.ts";
import { boundSilent } from "./silent.ts";
import { refuseUnreadable } from "./unreadable.ts";
import { isWebSocket, writeMessages } from "./web-socket.ts";
import { writeAnswer, type HttpResponse, type Manner } from "./http-answer.ts";

/** Where to listen and as whom. */
export interface ListenOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** PEM; without it the port speaks plain HTTP. */
  readonly tls?: ListenTls;
  /** Told about bugs: answers that cannot be written. */
  readonly report?: (error: unknown, call: Call) => void;
  /** How long slow clients are waited for; as kube-apiserver does by default. */
  readonly patience?: Partial<Patience>;
  /** How many connections may be open that have not asked for anything yet. */
  readonly mostSilent?: number;
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

const mostSilent = 1000;
const maxHeaderSize = 1024 * 1024;
/** How often connections of HTTP/1.1 are looked through for slow ones, at the least, in milliseconds. */
const lookAround = 1000;
/** How long a client may take to read a refusal while it is still sending what is refused, in milliseconds. */
const linger = 2000;

/** Starts to listen. */
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
  server.on("clientError", refuseUnreadable);
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

/** Who answers, and how long it waits for whoever asks. */
interface Desk {
  readonly handler: Handler;
  readonly patience: Patience;
  report(error: unknown, call: Call): void;
}

/** What node does about slow clients of HTTP/1.1; bodies are watched over by whoever reads them, long before this ends them. */
function http1Limits({ headers, body, idle }: Patience): HttpServerOptions {
  return {
    maxHeaderSize,
    headersTimeout: headers,
    requestTimeout: headers + body,
    keepAliveTimeout: idle,
    connectionsCheckingInterval: Math.min(lookAround, headers),
  };
}

/** As an ES module Node's HTTP/1.1 would bring a whole fetch along, 14 MiB that nobody here uses: it is not imported. */
function plainServer(onRequest: OnRequest, patience: Patience): Server {
  const { createServer } = process.getBuiltinModule("node:http");
  return createServer(http1Limits(patience), (request: IncomingMessage, response: ServerResponse) =>
    onRequest(request, response),
  );
}

function secureServer(tls: ListenTls, onRequest: OnRequest, patience: Patience): Http2SecureServer {
  // The type of the options does not know that those for clients of HTTP/1.1 are passed on.
  const limits: object = http1Limits(patience);
  const server = createSecureServer(
    {
      cert: tls.certificate,
      key: tls.privateKey,
      // Without an authority of ours node would believe every public one: then nobody is asked for a certificate.
      ...(tls.clientAuthority === undefined ? {} : { ca: tls.clientAuthority, requestCert: true }),
      rejectUnauthorized: false,
      allowHTTP1: true,
      handshakeTimeout: patience.headers,
      settings: { maxConcurrentStreams: 250, maxHeaderListSize: maxHeaderSize },
      ...limits,
    },
    // The compatibility layer of HTTP/2 has the methods of HTTP/1.1 that are used here, if not its type.
    (request, response) => onRequest(request, response as unknown as HttpResponse),
  );
  server.on("session", (session) => closeWhenIdle(session, patience.idle));
  // Node leaves it to the listener: whoever says nothing until the handshake takes too long would stay for ever.
  server.on("tlsClientError", (_, socket) => socket.destroy());
  server.on("sessionError", () => {});
  return server;
}

/** Silence is allowed while something goes on, such as a watch. */
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

/** The handler answers everything; what it does not answer was lost on purpose, and so is the connection. */
const lost = (): undefined => undefined;

/** An answer that cannot be written costs its own connection, never the process. */
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

/** Where an answer goes. */
interface Receiver extends Omit<Manner, "acceptsGzip"> {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
}

function give(answer: Answer | undefined, { request, response, ...manner }: Receiver): void {
  if (answer === undefined) response.destroy();
  if (answer === undefined || response.destroyed) return;
  const encodings = request.headers["accept-encoding"];
  const acceptsGzip = typeof encodings === "string" && encodings.includes("gzip");
  if (hasBody(request) && !request.complete) systemClock.after(linger, () => cutOff(request));
  writeAnswer(response, answer, { ...manner, acceptsGzip });
}

function hasBody({ method }: HttpRequest): boolean {
  return method !== "GET" && method !== "HEAD";
}

/** Whoever is answered and goes on sending is not listened to for ever. */
function cutOff(request: HttpRequest): void {
  if (request.complete) return;
  if ("stream" in request) request.stream.close();
  else request.destroy();
}

/** A connection that leaves HTTP: whoever takes the socket answers on it; a refusal is written here. */
async function serveUpgrade(desk: Desk, request: IncomingMessage, socket: Duplex): Promise<void> {
  socket.on("error", () => {});
  const call = new HttpCall(request, desk.patience.body, socket);
  const answer = await desk.handler(call).catch(lost);
  try {
    if (answer === undefined) socket.destroy();
    else if (answer.messages !== undefined && isLive(answer.body) && isWebSocket(request.headers)) {
      const manner = { messages: answer.messages, patience: desk.patience.reading };
      writeMessages(socket, { headers: request.headers, body: answer.body }, manner);
    } else if (answer.status !== 101) socket.end(rawAnswer(answer));
  } catch (error) {
    socket.destroy();
    desk.report(error, call);
  }
}

function rawAnswer({ status, headers, body }: Answer): string {
  const { STATUS_CODES } = process.getBuiltinModule("node:http");
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
