/** Sockets that are abandoned by a deadline or an abort, at any point of their opening. */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { createClient } from "../src/client.ts";
import type { Client } from "../src/client.ts";
import { isApiError } from "../src/error/api-error.ts";
import { systemClock } from "../src/host/clock.ts";
import { createNetworkTransport } from "../src/network/network.ts";
import type { MessageSocket } from "../src/transport/transport.ts";
import { certificate, http1Server, silentServer } from "./server.ts";

const at = { namespace: "default", name: "p" };

function clientOf(server: string, timeoutMs?: number): Client {
  const cluster = { server, certificateAuthority: { data: certificate().cert } };
  return createClient({ name: "", namespace: "", cluster, user: { proof: { type: "none" } } }, { timeoutMs });
}

for (const scheme of ["http", "https"] as const) {
  test(`the client's time limit ends the opening over ${scheme} and its connection`, async () => {
    await using server = await silentServer(scheme);
    await using client = clientOf(server.url.origin, 50);
    const calls = [client.exec({ ...at, command: ["a"] }), client.attach(at), client.portForward({ ...at, port: 1 })];
    for (const outcome of await Promise.allSettled(calls)) {
      assert.ok(outcome.status === "rejected" && isApiError(outcome.reason, "DeadlineExceeded"));
      assert.match(outcome.reason.message, /^Cannot connect to Pod default\/p \((exec|attach|portforward)\)\./u);
    }
    await server.untilLeft();
  });
}

test("a call's time limit overrides the client's and ends after the opening", async () => {
  await using server = await silentServer("http");
  await using client = clientOf(server.url.origin);
  await assert.rejects(client.exec({ ...at, command: ["a"], timeoutMs: 50 }), (error) =>
    isApiError(error, "DeadlineExceeded"),
  );
});

/** Opens a socket until the server has noticed it, then aborts. */
async function abortWhen(
  heard: Promise<unknown>,
  open: (signal: AbortSignal) => Promise<MessageSocket>,
): Promise<void> {
  const abort = new AbortController();
  const reason = new Error("not wanted any more");
  const opening = open(abort.signal);
  opening.catch(() => {});
  await heard;
  abort.abort(reason);
  await assert.rejects(opening, (error) => error === reason);
  await assert.rejects(open(abort.signal), (error) => error === reason);
}

const socketRequest = { path: "/", headers: {}, protocols: ["v5.channel.k8s.io"] };

for (const scheme of ["http", "https"] as const) {
  test(`an abort ends the opening to a silent server over ${scheme} at once`, async () => {
    await using server = await silentServer(scheme);
    const transport = createNetworkTransport(server.endpoint);
    await abortWhen(server.nextConnection(), (signal) => transport.open({ ...socketRequest, signal }));
    await server.untilLeft();
  });
}

test("an abort ends the wait for a silent proxy", async () => {
  await using proxy = await silentServer("http");
  const server = new URL("https://api.test");
  const transport = createNetworkTransport({ server, tls: async () => ({}), clock: systemClock, proxy: proxy.url });
  await abortWhen(proxy.nextConnection(), (signal) => transport.open({ ...socketRequest, signal }));
  await proxy.untilLeft();
});

test("an abort ends the wait for TLS material", async () => {
  await using server = await silentServer("https");
  const asked = Promise.withResolvers<void>();
  const tls = (): Promise<never> => {
    asked.resolve();
    return new Promise(() => {});
  };
  const transport = createNetworkTransport({ ...server.endpoint, tls });
  await abortWhen(asked.promise, (signal) => transport.open({ ...socketRequest, signal }));
});

test("an abort ends the reading of an endless error response", async () => {
  const begun = Promise.withResolvers<void>();
  await using server = await http1Server(() => {});
  server.server.on("upgrade", (_request, socket) => {
    socket.on("error", () => {});
    socket.write("HTTP/1.1 403 Forbidden\r\ncontent-length: 1000\r\n\r\nhalf", () => begun.resolve());
  });
  const transport = createNetworkTransport(server.endpoint);
  await abortWhen(begun.promise, (signal) => transport.open({ ...socketRequest, signal }));
});

test("an abort works with any transport, and a late socket is closed", async () => {
  const opened = Promise.withResolvers<MessageSocket>();
  const closed = Promise.withResolvers<void>();
  const client = createClient({
    request: () => Promise.reject(new Error("not asked")),
    open: () => opened.promise,
  });
  const abort = new AbortController();
  const session = client.exec({ ...at, command: ["a"], signal: abort.signal });
  abort.abort(new Error("enough"));
  await assert.rejects(session, /enough/u);
  const socket = {
    protocol: "",
    send: async () => {},
    close: () => closed.resolve(),
    async *[Symbol.asyncIterator]() {},
  };
  opened.resolve(socket);
  await closed.promise;
});

test("without TLS material no connection remains", async () => {
  await using server = await silentServer("https");
  const unreadable = createNetworkTransport({
    ...server.endpoint,
    tls: () => Promise.reject(new Error("no such file")),
  });
  for (let tries = 0; tries < 3; tries += 1) {
    await assert.rejects(unreadable.request({ method: "GET", path: "/", headers: {} }), /no such file/u);
  }
  // Connections are accepted in order: earlier ones are counted before this one.
  const heard = server.nextConnection();
  const own = connect(Number(server.url.port), server.url.hostname);
  await heard;
  own.destroy();
  assert.equal(server.connections(), 1);

  const nonsense = createNetworkTransport({ ...server.endpoint, tls: async () => ({ cert: "x", key: "y" }) });
  const taken = server.nextConnection();
  await assert.rejects(nonsense.request({ method: "GET", path: "/", headers: {} }));
  await taken;
  await server.untilLeft();
});
