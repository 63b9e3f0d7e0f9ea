/** Small servers for tests: HTTP/2 with TLS, HTTP/1.1 with and without. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer as createHttp1Server } from "node:http";
import type { RequestListener, Server } from "node:http";
import { createSecureServer } from "node:http2";
import type { Http2SecureServer, Http2ServerRequest, Http2ServerResponse, ServerHttp2Session } from "node:http2";
import { createServer as createHttpsServer } from "node:https";
import { connect, createServer as createTcpServer } from "node:net";
import type { AddressInfo, Server as NetServer, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../src/host/clock.ts";
import type { ConnectionLimits, Endpoint, TlsMaterial } from "../src/network/endpoint.ts";

/** A self-signed certificate for 127.0.0.1 and localhost. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

let made: Certificate | undefined;

/** Created once per process with openssl. */
export function certificate(): Certificate {
  if (made !== undefined) return made;
  const folder = mkdtempSync(join(tmpdir(), "capstan-client-"));
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  const names = "subjectAltName=IP:127.0.0.1,DNS:localhost,DNS:api.test";
  const words = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=test -addext ${names}`;
  execFileSync("openssl", [...words.split(" "), "-keyout", key, "-out", cert], { stdio: "ignore" });
  made = { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") };
  rmSync(folder, { recursive: true });
  return made;
}

/** A running server. */
export interface Running<S extends NetServer> extends AsyncDisposable {
  readonly server: S;
  readonly url: URL;
  readonly endpoint: Endpoint;
}

async function run<S extends NetServer>(server: S, scheme: "http" | "https", tls: TlsMaterial): Promise<Running<S>> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = new URL(`${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const end = async (): Promise<void> => {
    const ended = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of sockets) socket.destroy();
    await ended;
  };
  return { server, url, endpoint: endpointOf(url, tls), [Symbol.asyncDispose]: end };
}

/** The endpoint of an address. */
export function endpointOf(server: URL, tls: TlsMaterial = {}, limits: Partial<ConnectionLimits> = {}): Endpoint {
  return { server, tls: async () => tls, clock: systemClock, limits };
}

/** What an HTTP/2 server does with a request. */
export type Http2Listener = (request: Http2ServerRequest, response: Http2ServerResponse) => void;

/** A server that speaks HTTP/2 over TLS. */
export async function http2Server(
  listener: Http2Listener,
  settings: { readonly maxConcurrentStreams?: number } = {},
): Promise<Running<Http2SecureServer> & { sessions: ServerHttp2Session[] }> {
  const server = createSecureServer({ ...certificate(), settings }, listener);
  const sessions: ServerHttp2Session[] = [];
  server.on("session", (session) => {
    session.on("error", () => {});
    sessions.push(session);
  });
  return { ...(await run(server, "https", { ca: certificate().cert })), sessions };
}

/** A server that speaks HTTP/1.1 only. */
export function http1Server(listener: RequestListener, scheme: "http" | "https" = "http"): Promise<Running<Server>> {
  const server = scheme === "http" ? createHttp1Server(listener) : createHttpsServer(certificate(), listener);
  return run(server, scheme, scheme === "http" ? {} : { ca: certificate().cert });
}

/** A relay to a server that can be cut silently, or breaks after a number of bytes from the server. */
export async function relay(to: URL, limit = Infinity): Promise<Running<NetServer> & { cut(): void }> {
  const far: Socket[] = [];
  const server = createTcpServer((near) => {
    const socket = connect(Number(to.port), to.hostname);
    far.push(socket);
    near.on("error", () => {}).on("close", () => socket.destroy());
    let left = limit;
    socket
      .on("error", () => {})
      .on("data", (chunk: Buffer) => {
        near.write(chunk.subarray(0, Math.min(left, chunk.length)));
        left -= chunk.length;
        if (left <= 0) near.destroySoon();
      });
    near.pipe(socket);
  });
  const running = await run(server, to.protocol === "https:" ? "https" : "http", {});
  const cut = (): void => {
    for (const socket of far) socket.removeAllListeners("data").pause();
  };
  return { ...running, cut };
}

/** A server that accepts connections and never responds. */
export interface Silent extends Running<NetServer> {
  /** The number of connections so far. */
  readonly connections: () => number;
  /** Resolves on the next connection. */
  readonly nextConnection: () => Promise<Socket>;
  /** Resolves when no connection is open. */
  readonly untilLeft: () => Promise<void>;
}

/** Starts a silent server. */
export async function silentServer(scheme: "http" | "https"): Promise<Silent> {
  const open = new Set<Socket>();
  let count = 0;
  const server = createTcpServer((socket) => {
    count += 1;
    open.add(socket);
    socket.on("error", () => {}).on("close", () => open.delete(socket));
    socket.resume();
  });
  return {
    ...(await run(server, scheme, { ca: certificate().cert })),
    connections: () => count,
    nextConnection: () => new Promise((resolve) => server.once("connection", resolve)),
    async untilLeft() {
      for (const socket of open) await new Promise((resolve) => socket.once("close", resolve));
    },
  };
}
