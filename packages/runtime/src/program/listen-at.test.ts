import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { test } from "node:test";
import { listenAt } from "./listen-at.ts";
import { endpointAt } from "../webhook/where.ts";

async function takenPort(): Promise<AsyncDisposable & { readonly port: number }> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { port, [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())) };
}

test("the error for a port in use names the flag that selects another", async () => {
  await using taken = await takenPort();
  const address = `127.0.0.1:${taken.port}`;
  await assert.rejects(listenAt(createServer(), { address, what: "metrics", flag: "metrics-bind-address" }), {
    code: "CannotListen",
    message: `Cannot serve metrics at ${address}: another program listens there. Choose another address with --metrics-bind-address, or 0 for none.`,
  });
});

test("the error for a webhook port in use names its flag", async () => {
  await using taken = await takenPort();
  const listen = `127.0.0.1:${taken.port}`;
  const endpoint = endpointAt({ listen, reach: () => ({ by: "url", url: "https://here" }), failurePolicy: "Fail" });
  await assert.rejects(
    endpoint(async () => new Response()),
    {
      code: "CannotListen",
      message: /^Cannot serve webhooks at .* another program listens there\. .*--webhook-bind-address/u,
    },
  );
});

test("the error for an address that this machine does not have says so", async () => {
  // TEST-NET-1, reserved for documentation: no machine has it.
  const where = { address: "192.0.2.1:8081", what: "health", flag: "health-probe-bind-address" };
  await assert.rejects(listenAt(createServer(), where), { message: /: this machine has no such address\. /u });
});

test("brackets are not part of a host", async () => {
  const server = createServer();
  await listenAt(server, { address: "[127.0.0.1]:0", what: "health", flag: "health-probe-bind-address" });
  assert.equal((server.address() as AddressInfo).address, "127.0.0.1");
  server.close();
});

test("without a host the server listens on all addresses, IPv6 included", async () => {
  const server = createServer((socket) => socket.end());
  await listenAt(server, { address: ":0", what: "health", flag: "health-probe-bind-address" });
  const { port } = server.address() as AddressInfo;
  const has6 = Object.values(networkInterfaces()).some((each) => each?.some(({ address }) => address === "::1"));
  for (const host of has6 ? ["127.0.0.1", "::1"] : ["127.0.0.1"]) {
    const socket = connect(port, host);
    await once(socket, "connect");
    socket.destroy();
  }
  server.close();
});
