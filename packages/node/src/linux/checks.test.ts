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

/** A health service: 1 is serving, 2 is not. */
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

test("a gRPC service is well when it says that it serves", async () => {
  for (const [status, passed] of [
    [1, true],
    [2, false],
  ] as const) {
    const server = healthServer(status);
    const port = await portOf(server);
    const result = await check({ type: "grpc", host: "127.0.0.1", port, service: "" });
    assert.equal(result.passed, passed);
    server.close();
  }
});

test("an HTTP server is well when it answers from 200 to 399", async () => {
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

test("whoever does not answer in time, or not at all, is told as Go tells it", async () => {
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
