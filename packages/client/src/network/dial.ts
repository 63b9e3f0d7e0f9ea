/** Connects to an API server: TCP, a proxy if configured, then TLS with ALPN. */
import { connect as connectTcp } from "node:net";
import type { Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { ConnectionOptions, TLSSocket } from "node:tls";
import { orAborted } from "../abort/or-aborted.ts";
import { ConnectionError } from "../error/connection-error.ts";
import { defaultLimits } from "./endpoint.ts";
import type { Endpoint, TlsMaterial } from "./endpoint.ts";
import { toConnectionError } from "./failure.ts";
import { httpTunnel } from "./http-tunnel.ts";
import { socks5Tunnel } from "./socks5-tunnel.ts";

/** A host and a port. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** An open connection and its protocol. */
export interface Dialed {
  readonly socket: Socket;
  readonly protocol: "h2" | "http/1.1";
}

/** The options of a dial. */
export interface DialOptions {
  /** Offered in this order; plain HTTP is always HTTP/1.1. */
  readonly protocols?: readonly string[] | undefined;
  /** Ends the attempt with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Connects within the endpoint's time limit. */
export async function dial(endpoint: Endpoint, options: DialOptions = {}): Promise<Dialed> {
  const { protocols = ["h2", "http/1.1"], signal } = options;
  const { server, clock, limits } = endpoint;
  signal?.throwIfAborted();
  const limitMs = limits?.connectMs ?? defaultLimits.connectMs;
  const abort = new AbortController();
  const onAbort = (): void => abort.abort(signal?.reason);
  signal?.addEventListener("abort", onAbort);
  const timer = clock.later(limitMs, () => {
    const cause = new Error(`no connection within ${limitMs} ms`);
    abort.abort(new ConnectionError({ code: "Unreachable", server: server.origin, sent: false, cause }));
  });
  try {
    return await connect(endpoint, protocols, abort.signal);
  } catch (cause) {
    if (signal?.aborted === true) throw signal.reason;
    throw toConnectionError(cause, server.origin, "connecting");
  } finally {
    timer.cancel();
    signal?.removeEventListener("abort", onAbort);
  }
}

/** Reads the TLS material first, so that a failure leaves no connection behind. */
async function connect(endpoint: Endpoint, protocols: readonly string[], signal: AbortSignal): Promise<Dialed> {
  if (endpoint.server.protocol !== "https:") return { socket: await reach(endpoint, signal), protocol: "http/1.1" };
  const options = await orAborted(tlsOptions(endpoint, protocols), signal);
  return secure(await reach(endpoint, signal), options, signal);
}

/** Host and port of a URL, without the brackets of IPv6 addresses. */
export function addressOf(url: URL, defaultPort: number): Address {
  const host = url.hostname.replace(/^\[(.*)\]$/u, "$1");
  return { host, port: url.port === "" ? defaultPort : Number(url.port) };
}

async function reach({ server, proxy }: Endpoint, signal: AbortSignal): Promise<Socket> {
  const target = addressOf(server, server.protocol === "https:" ? 443 : 80);
  if (proxy === undefined) return tcp(target, signal);
  switch (proxy.protocol) {
    case "http:":
      return httpTunnel(await tcp(addressOf(proxy, 80), signal), target, { proxy, signal });
    case "https:": {
      const { host, port } = addressOf(proxy, 443);
      const { socket } = await secure(await tcp({ host, port }, signal), { servername: nameOf(host), host }, signal);
      return httpTunnel(socket, target, { proxy, signal });
    }
    case "socks5:":
    case "socks5h:":
      return socks5Tunnel(await tcp(addressOf(proxy, 1080), signal), target, { proxy, signal });
    default:
      throw new Error(`a proxy with ${proxy.protocol} is not supported; use http, https or socks5`);
  }
}

function tcp({ host, port }: Address, signal: AbortSignal): Promise<Socket> {
  const socket = connectTcp({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 });
  return ready(socket, "connect", signal);
}

async function secure(socket: Socket, options: ConnectionOptions, signal: AbortSignal): Promise<Dialed> {
  const secured = wrap(socket, options);
  await ready(secured, "secureConnect", signal);
  return { socket: secured, protocol: secured.alpnProtocol === "h2" ? "h2" : "http/1.1" };
}

/** Invalid or mismatched certificates and keys fail here. */
function wrap(socket: Socket, options: ConnectionOptions): TLSSocket {
  try {
    return connectTls({ ...options, socket });
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** Waits for a socket event; destroys the socket on failure or abort. */
function ready<T extends Socket>(socket: T, event: "connect" | "secureConnect", signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown): void => {
      settle();
      socket.destroy();
      reject(cause as Error);
    };
    const onAbort = (): void => fail(signal.reason);
    const onClose = (): void => fail(new Error("the connection was closed while it was being made"));
    const onReady = (): void => {
      settle();
      resolve(socket);
    };
    const settle = (): void => {
      socket.off(event, onReady).off("error", fail).off("close", onClose);
      // An error before the next owner listens must not crash the process; that owner sees the close.
      socket.on("error", () => {});
      signal.removeEventListener("abort", onAbort);
    };
    socket.once(event, onReady).once("error", fail).once("close", onClose);
    signal.addEventListener("abort", onAbort, { once: true });
    // An abort before the listener was attached is handled here.
    if (signal.aborted) onAbort();
  });
}

async function tlsOptions(endpoint: Endpoint, protocols: readonly string[]): Promise<ConnectionOptions> {
  const material = await endpoint.tls();
  const { host } = addressOf(endpoint.server, 443);
  return {
    ...toOptions(material),
    servername: material.servername ?? nameOf(host),
    host,
    ALPNProtocols: [...protocols],
  };
}

function toOptions({ ca, cert, key, insecure }: TlsMaterial): ConnectionOptions {
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(insecure === true ? { rejectUnauthorized: false } : {}),
    minVersion: "TLSv1.2",
  };
}

/** SNI carries names only (RFC 6066, section 3); certificates for IP addresses are checked against `host`. */
function nameOf(host: string): string {
  return /^[\d.]+$|:/u.test(host) ? "" : host;
}
