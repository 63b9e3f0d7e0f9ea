import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer as createHttp } from "node:http";
import { createServer as createHttp2 } from "node:http2";
import { connect, type AddressInfo, type Server } from "node:net";
import { test } from "node:test";
import { systemClock } from "@capstan/client";
import type { CheckResult, NetworkCheck } from "../runtime/runtime.ts";
import { checkNetwork } from "./checks.ts";

async function portOf(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

function check(what: NetworkCheck, timeoutMs = 10_000): Promise<CheckResult> {
  const dial = async (host: string, port: number): Promise<ReturnType<typeof connect>> => {
    const socket = connect(port, host);
    await once(socket, "connect");
    return socket;
  };
  return checkNetwork(what, { clock: systemClock, timeoutMs, dial });
}

/** A health service: status 1 is SERVING, 2 is NOT_SERVING. */
function healthServer(status: number): Server {
  const server = createHttp2();
  server.on("stream", (stream, headers) => {
    assert.equal(headers[":path"], "/grpc.health.v1.Health/Check");
    stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
    stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
    stream.end(Buffer.from([0, 0, 0, 0, 2, 0x08, status]));
  });
  return server as unknown as Server;
}

test("a gRPC service is healthy when it reports SERVING", async () => {
  for (const [status, passed] of [
    [1, true],
    [2, false],
  ] as const) {
    const server = healthServer(status);
    const port = await portOf(server);
    const result = await check({ type: "grpc", host: "127.0.0.1", port, service: "" });
    assert.equal(result.passed, passed);
    assert.equal(result.output, passed ? "service healthy" : 'service unhealthy (responded with "NOT_SERVING")');
    server.close();
  }
});

test("gRPC failures have the messages of the kubelet", async () => {
  const server = createHttp2();
  const trailers = [
    { "grpc-status": "12", "grpc-message": "unknown service" },
    { "grpc-status": "5", "grpc-message": "no%20such" },
  ];
  server.on("stream", (stream) => stream.respond({ ":status": 200, ...trailers.shift() }, { endStream: true }));
  const port = await portOf(server as unknown as Server);
  const ask = async (): Promise<string> =>
    (await check({ type: "grpc", host: "127.0.0.1", port, service: "" }, 10_000)).output;
  const lacking = "this server does not implement the grpc health protocol (grpc.health.v1.Health)";
  assert.equal(await ask(), `error: ${lacking}: unknown service`);
  assert.equal(await ask(), "error: health rpc probe failed: rpc error: code = NotFound desc = no such");
  server.close();
  await once(server, "close");
  const why = "context deadline exceeded";
  assert.equal(await ask(), `timeout: failed to connect service "127.0.0.1:${port}" within 10s: ${why}`);
});

test("an HTTP server is healthy when it responds with 200 to 399", async () => {
  const server = createHttp((request, response) => {
    response.statusCode = Number(request.url?.slice(1));
    response.end(request.headers["x-test"]);
  });
  const port = await portOf(server);
  const ask = (path: string): Promise<CheckResult> =>
    check({ type: "http", scheme: "HTTP", host: "127.0.0.1", port, path, headers: [["X-Test", "yes"]] });
  assert.deepEqual(await ask("/200"), { passed: true, output: "yes" });
  assert.equal((await ask("/302")).passed, true);
  assert.deepEqual(await ask("/404"), { passed: false, output: "HTTP probe failed with statuscode: 404" });
  server.close();
});

test("timeouts and refused connections have the messages of Go", async () => {
  const server = createHttp(() => {});
  const port = await portOf(server);
  const late = await check({ type: "http", scheme: "HTTP", host: "127.0.0.1", port, path: "/", headers: [] }, 50);
  assert.match(late.output, /^Get "http:\/\/127\.0\.0\.1:\d+\/": context deadline exceeded/);
  server.closeAllConnections();
  server.close();
  await once(server, "close");
  const refused = await check({ type: "tcp", host: "127.0.0.1", port });
  assert.deepEqual(refused, { passed: false, output: `dial tcp 127.0.0.1:${port}: connect: connection refused` });
});

test("a redirect on the same host is followed, one to another host is not", async (t) => {
  const server = createHttp((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://x");
    const to = pathname === "/round" ? pathname : searchParams.get("to");
    if (to !== null) return void response.writeHead(302, { location: to }).end();
    response.writeHead(pathname === "/broken" ? 500 : 200).end("well");
  });
  const port = await portOf(server);
  t.after(() => (server.close(), server.closeAllConnections()));
  const ask = (path: string): Promise<CheckResult> =>
    check({ type: "http", scheme: "HTTP", host: "127.0.0.1", port, path, headers: [] });
  assert.deepEqual(await ask("/?to=/fine"), { passed: true, output: "well" });
  assert.deepEqual(await ask("/?to=/broken"), { passed: false, output: "HTTP probe failed with statuscode: 500" });
  assert.equal((await ask("/?to=http://elsewhere.example/broken")).passed, true);
  assert.equal((await ask("/?to=")).passed, true, "a missing target is answered");
  assert.deepEqual(await ask("/round"), {
    passed: false,
    output: `Get "http://127.0.0.1:${port}/round": stopped after 10 redirects`,
  });
});

test("an endless response counts, and no response crashes the node", async (t) => {
  const streaming = createHttp((_request, response) => {
    const more = (): void => void response.write("x".repeat(1024), () => setImmediate(more));
    more();
  });
  const port = await portOf(streaming);
  t.after(() => (streaming.close(), streaming.closeAllConnections()));
  const result = await check({ type: "http", scheme: "HTTP", host: "127.0.0.1", port, path: "/", headers: [] });
  assert.equal(result.passed, true);
  assert.equal(result.output.length, 10 * 1024);

  const names: string[] = [];
  const rpc = createHttp2();
  rpc.on("stream", (stream) => {
    stream.on("data", (chunk: Buffer) => names.push(chunk.subarray(8).toString()));
    stream.on("end", () =>
      stream.respond({ ":status": 200, "grpc-status": "5", "grpc-message": "100%" }, { endStream: true }),
    );
  });
  const rpcPort = await portOf(rpc as unknown as Server);
  t.after(() => rpc.close());
  const service = "s".repeat(200);
  const { output } = await check({ type: "grpc", host: "127.0.0.1", port: rpcPort, service });
  assert.equal(output, "error: health rpc probe failed: rpc error: code = NotFound desc = 100%");
  assert.deepEqual(names, [service]);
});

test("a connection that opens after the timeout is closed", async (t) => {
  const server = createHttp();
  const port = await portOf(server);
  t.after(() => server.close());
  const dialed = Promise.withResolvers<void>();
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  const late = async (): Promise<typeof socket> => (await dialed.promise, socket);
  const what = { type: "tcp", host: "127.0.0.1", port } as const;
  const { passed } = await checkNetwork(what, { clock: systemClock, timeoutMs: 1, dial: late });
  assert.equal(passed, false);
  const closed = once(socket, "close");
  dialed.resolve();
  await closed;
});
