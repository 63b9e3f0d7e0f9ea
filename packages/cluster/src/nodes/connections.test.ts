/** Connections from the API server: to the machine itself without a node, elsewhere through the nodes. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { test } from "node:test";
import { createNodeConnections } from "./connections.ts";

test("a server on the machine of the API server is reached without nodes", async () => {
  const server = createServer((socket) => socket.end("hello"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { dial } = createNodeConnections();
  const socket = await dial({ host: "127.0.0.1", port: (server.address() as AddressInfo).port });
  const [data] = (await once(socket, "data")) as readonly unknown[];
  assert.equal(String(data), "hello");
  socket.destroy();
  server.close();
});

test("without nodes the network of the cluster is unreachable", async () => {
  const { dial } = createNodeConnections();
  for (const host of ["10.96.0.1", "127.example.com", "localhost.example.com"])
    await assert.rejects(Promise.resolve(dial({ host, port: 443 })), { code: "ENETUNREACH" });
});
