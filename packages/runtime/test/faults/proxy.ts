/** A proxy with faults, between a client and one or more API servers: over real sockets, byte by byte. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { connect, createServer as createSocketServer } from "node:net";
import type { AddressInfo, Server, Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { chooseContext, parseKubeconfig } from "@capstan/client";
import type { ClusterConfig, Transport } from "@capstan/client";

/** The fault of one request. */
export type WireFault =
  /** The proxy responds itself, like an overloaded server. */
  | { readonly fault: "status"; readonly status: number; readonly reason: string; readonly retryAfter?: number }
  /** The response ends after so many bytes: as a broken connection, or as if it were complete. */
  | { readonly fault: "cut"; readonly after: number; readonly how: "break" | "end" }
  /** The response is sent in tiny pieces with pauses between them. */
  | { readonly fault: "slow"; readonly piece: number; readonly pause: number }
  /** After so many bytes nothing is sent any more, without an error. */
  | { readonly fault: "silence"; readonly after: number };

/** A request as the proxy sees it. */
export interface Passing {
  readonly method: string;
  readonly url: URL;
  readonly isWatch: boolean;
  readonly isWrite: boolean;
}

/** A running proxy. */
export interface Proxy extends AsyncDisposable {
  /** The address for a client; the path selects the fault, for tests that run many at once. */
  config(path?: string): Promise<ClusterConfig>;
  /** Decides on the fault of each request. Default: none. */
  decide: (passing: Passing) => WireFault | undefined;
  /** The server for a request. */
  choose: (passing: Passing) => number;
  /** Breaks every connection, so that watches must reconnect. */
  breakAll(): void;
  /** Forwarded requests, by method and path. */
  readonly seen: string[];
}

/** Starts a proxy in front of some servers. */
export async function startProxy(...upstreams: readonly Transport[]): Promise<Proxy> {
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  const seen: string[] = [];
  const proxy: Proxy = {
    seen,
    decide: () => undefined,
    breakAll: () => server.closeAllConnections(),
    choose: () => 0,
    config: async (path = "") => {
      const { port } = server.address() as AddressInfo;
      const cluster = { server: `http://127.0.0.1:${port}${path}` };
      const contexts = [{ name: "c", context: { cluster: "c", user: "u" } }];
      const text = JSON.stringify({
        clusters: [{ name: "c", cluster }],
        users: [{ name: "u", user: {} }],
        contexts,
        "current-context": "c",
      });
      return chooseContext(await parseKubeconfig(text, "proxy"), {});
    },
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const passing = passingOf(request);
    seen.push(`${passing.method} ${request.url}`);
    const fault = proxy.decide(passing);
    if (fault?.fault === "status") return refuse(response, fault);
    const upstream = upstreams[proxy.choose(passing)] ?? upstreams[0];
    if (upstream === undefined) return void response.destroy();
    await pass(upstream, request, response, fault);
  }
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return proxy;
}

function passingOf({ method = "GET", url = "/" }: IncomingMessage): Passing {
  const parsed = new URL(url, "http://proxy");
  const isWatch = parsed.searchParams.get("watch") === "true" || parsed.searchParams.get("watch") === "1";
  return { method, url: parsed, isWatch, isWrite: method !== "GET" };
}

function refuse(response: ServerResponse, fault: Extract<WireFault, { readonly fault: "status" }>): void {
  const { status, reason, retryAfter } = fault;
  const body = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: reason,
    reason,
    code: status,
  };
  response
    .writeHead(status, {
      "content-type": "application/json",
      ...(retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }),
    })
    .end(JSON.stringify(body));
}

/** Headers that belong to a connection and not to a message. */
const HOP: ReadonlySet<string> = new Set(["connection", "host", "transfer-encoding", "keep-alive", "content-length"]);

async function pass(
  upstream: Transport,
  request: IncomingMessage,
  response: ServerResponse,
  fault: WireFault | undefined,
): Promise<void> {
  const chunks = await Array.fromAsync(request as AsyncIterable<Uint8Array>);
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) if (!HOP.has(name)) headers[name] = String(value);
  const ending = new AbortController();
  response.once("close", () => ending.abort());
  const path = (request.url ?? "/").replace(/^\/cut\/\d+/u, "");
  const answer = await upstream.request({
    method: request.method ?? "GET",
    path,
    headers,
    signal: ending.signal,
    ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
  });
  const type = String(answer.headers["content-type"] ?? "application/json");
  response.writeHead(answer.status, { "content-type": type });
  response.flushHeaders();
  let sent = 0;
  for await (const chunk of answer.body) {
    const end = await send(response, chunk, { fault, sent });
    if (end) return;
    sent += chunk.length;
  }
  if (fault?.fault === "silence") return;
  response.end();
}

/** Sends a piece of a response, or as much of it as the fault allows; returns whether the response is over. */
async function send(
  response: ServerResponse,
  chunk: Uint8Array,
  { fault, sent }: { readonly fault: WireFault | undefined; readonly sent: number },
): Promise<boolean> {
  if (fault?.fault === "slow") {
    for (let at = 0; at < chunk.length; at += fault.piece) {
      response.write(chunk.subarray(at, at + fault.piece));
      await delay(fault.pause);
    }
    return false;
  }
  if (fault === undefined || fault.fault === "status" || sent + chunk.length < fault.after) {
    response.write(chunk);
    return false;
  }
  const written = new Promise((resolve) => response.write(chunk.subarray(0, Math.max(0, fault.after - sent)), resolve));
  if (fault.fault === "silence") return true;
  await written;
  if (fault.how === "end") response.end();
  else response.destroy();
  return true;
}

/** A proxy below TLS: forwards raw bytes to a port, and cuts each connection after so many from the server. */
export async function startBreakingWire(
  port: number,
  cutAfter: () => number,
): Promise<AsyncDisposable & { readonly port: number }> {
  const sockets = new Set<Socket>();
  const server: Server = createSocketServer((near) => {
    const far = connect(port, "127.0.0.1");
    let left = cutAfter();
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.on("data", (bytes: Uint8Array) => void far.write(bytes));
    far.on("data", (bytes: Uint8Array) => {
      near.write(bytes.subarray(0, left), () => {
        if (left <= 0) near.destroy();
      });
      left -= bytes.length;
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
  };
}
