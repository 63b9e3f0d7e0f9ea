/** Connections through the API server to an aggregated server: upgrades and watches. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { test } from "node:test";
import { createAuthority, validFor } from "@capstan/pki";
import { startApiServer, type ApiServer } from "../src/index.ts";
import { ask } from "./ask.ts";

const path = "/apis/things.dev/v1/namespaces/default/things";

/** A server that echoes data of upgraded connections, rejects upgrades of /refused, and serves endless watches. */
async function startThings(): Promise<{ port: number; asked: IncomingMessage[] } & AsyncDisposable> {
  const asked: IncomingMessage[] = [];
  const now = new Date();
  const authority = createAuthority({ commonName: "things", now, days: 1 });
  const { certificate, privateKey } = authority.issue({
    commonName: "things",
    usages: ["server"],
    dnsNames: ["localhost"],
    ...validFor({ now, days: 1 }),
  });
  const server = createServer({ cert: certificate, key: privateKey }, (incoming, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    if (incoming.url?.includes("watch=true") === true) response.write('{"type":"ADDED"}\n');
    else response.end('{"kind":"APIResourceList","resources":[]}');
  });
  server.on("upgrade", (incoming: IncomingMessage, socket: Duplex) => {
    asked.push(incoming);
    if (incoming.url?.endsWith("/refused") === true) {
      return socket.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 4\r\nconnection: close\r\n\r\nno!\n");
    }
    const { upgrade = "" } = incoming.headers;
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: ${upgrade}\r\nx-things: 1\r\n\r\n`,
    );
    socket.write("hello ");
    return socket.pipe(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
  };
  return { port: (server.address() as AddressInfo).port, asked, [Symbol.asyncDispose]: close };
}

async function register(server: ApiServer): Promise<void> {
  const service = { metadata: { name: "things" }, spec: { type: "ExternalName", externalName: "localhost" } };
  assert.equal((await ask(server, "POST", "/api/v1/namespaces/default/services", service)).status, 201);
  const services = "/apis/apiregistration.k8s.io/v1/apiservices";
  const spec = {
    group: "things.dev",
    version: "v1",
    service: { namespace: "default", name: "things" },
    groupPriorityMinimum: 1000,
    versionPriority: 10,
    insecureSkipTLSVerify: true,
  };
  assert.equal((await ask(server, "POST", services, { metadata: { name: "v1.things.dev" }, spec })).status, 201);
  const isThere = async (): Promise<boolean> => (await ask(server, "GET", path)).status === 200;
  while (!(await isThere())) await new Promise((resolve) => setImmediate(resolve));
}

function connect(server: ApiServer, url: string): ReturnType<typeof request> {
  const headers = {
    authorization: `Bearer ${server.token}`,
    connection: "Upgrade",
    upgrade: "SPDY/3.1",
    "x-stream-protocol-version": "v4.channel.k8s.io",
  };
  return request(`${server.url}${url}`, { method: "POST", headers }).end();
}

test("an upgraded connection is piped to the aggregated server", { timeout: 300_000 }, async () => {
  await using things = await startThings();
  await using server = await startApiServer({
    listen: { port: 0, tls: false },
    resolveService: () => ({ host: "127.0.0.1", port: things.port }),
  });
  await register(server);
  const [response, socket, head] = (await once(connect(server, `${path}/a/exec?command=x`), "upgrade")) as [
    IncomingMessage,
    Duplex,
    Buffer,
  ];
  assert.equal(response.statusCode, 101);
  assert.equal(response.headers["upgrade"], "SPDY/3.1");
  assert.equal(response.headers["x-things"], "1");
  const [seen] = things.asked;
  assert.equal(seen?.method, "POST");
  assert.equal(seen?.url, `${path}/a/exec?command=x`);
  assert.equal(seen?.headers["x-remote-user"], "kubernetes-admin");
  assert.equal(seen?.headers["authorization"], undefined);
  assert.equal(seen?.headers["x-forwarded-for"], "127.0.0.1");
  assert.match(String(seen?.headers["audit-id"]), /^[0-9a-f-]{36}$/);
  assert.equal(seen?.headers["x-stream-protocol-version"], "v4.channel.k8s.io");
  socket.end("world");
  let text = head.toString();
  for await (const chunk of socket) text += String(chunk);
  assert.equal(text, "hello world");
});

test("a rejected upgrade is passed back to the client", { timeout: 300_000 }, async () => {
  await using things = await startThings();
  await using server = await startApiServer({
    listen: { port: 0, tls: false },
    resolveService: () => ({ host: "127.0.0.1", port: things.port }),
  });
  await register(server);
  const [response] = (await once(connect(server, `${path}/a/refused`), "response")) as [IncomingMessage];
  assert.equal(response.statusCode, 403);
  let text = "";
  for await (const chunk of response) text += String(chunk);
  assert.equal(text, "no!\n");
});

test("a watch of an aggregated server is streamed", { timeout: 300_000 }, async () => {
  await using things = await startThings();
  await using server = await startApiServer({
    resolveService: () => ({ host: "127.0.0.1", port: things.port }),
  });
  await register(server);
  const stop = new AbortController();
  const init = { signal: stop.signal };
  const response = await server.fetch(new Request(`http://in-process${path}?watch=true`, init));
  const reader = response.body?.getReader();
  const first = await reader?.read();
  assert.equal(Buffer.from(first?.value ?? []).toString(), '{"type":"ADDED"}\n');
  stop.abort();
});
