/** Watches over WebSockets, as browsers use them. The expected values come from a real kube-apiserver. */
import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { startApiServer, type ApiServer } from "../src/index.ts";
import { ask } from "./ask.ts";

const maps = "/api/v1/namespaces/default/configmaps";

function start(): Promise<ApiServer> {
  return startApiServer({ listen: { port: 0, tls: false } });
}

function dial({ port = 0, token }: ApiServer, path: string, headers: { readonly [name: string]: string }): Socket {
  const all = {
    host: "127.0.0.1",
    authorization: `Bearer ${token}`,
    upgrade: "websocket",
    connection: "Upgrade",
    "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    origin: "http://localhost",
    ...headers,
  };
  const lines = Object.entries(all).flatMap(([name, value]) => (value === "" ? [] : [`${name}: ${value}\r\n`]));
  const socket = connect(port, "127.0.0.1");
  socket.write(`GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`);
  return socket;
}

async function wholeAnswer(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("latin1");
}

interface Told {
  readonly type: string;
  readonly object: { readonly metadata: { readonly name: string } };
}

test("a WebSocket watch sends one message per event and ends when the client closes", async () => {
  await using server = await start();
  await ask(server, "POST", maps, { metadata: { name: "a" } });
  const bearer = `base64url.bearer.authorization.k8s.io.${Buffer.from(server.token).toString("base64url")}`;
  // The type does not include the headers of node's WebSocket.
  const options: object = { protocols: [bearer, "plain"], headers: { origin: "http://localhost" } };
  const url = `ws://127.0.0.1:${server.port}${maps}?watch=1`;
  const socket = new WebSocket(url, options as unknown as string[]);
  const told: string[] = [];
  const { promise: both, resolve } = Promise.withResolvers<void>();
  socket.addEventListener("message", ({ data }) => {
    const { type, object } = JSON.parse(String(data)) as Told;
    told.push(`${type} ${object.metadata.name.length}`);
    if (told.length === 1)
      void ask(server, "POST", maps, { metadata: { name: "b".repeat(200) }, data: { x: "y".repeat(70_000) } });
    else resolve();
  });
  await both;
  assert.equal(socket.protocol, "plain");
  const closed = new Promise<number>((done) => socket.addEventListener("close", ({ code }) => done(code)));
  socket.close();
  assert.equal(await closed, 1000);
  assert.deepEqual(told, ["ADDED 1", "ADDED 200"]);
});

test("a WebSocket watch ends at its timeout; protobuf uses binary messages", async () => {
  await using server = await start();
  await ask(server, "POST", maps, { metadata: { name: "a" } });
  const accept = "application/vnd.kubernetes.protobuf;stream=watch";
  const text = await wholeAnswer(dial(server, `${maps}?watch=1&timeoutSeconds=1`, { accept }));
  const end = text.indexOf("\r\n\r\n");
  const [head, rest] = [text.slice(0, end), text.slice(end + 4)];
  assert.match(head, /^HTTP\/1.1 101 Switching Protocols\r\n.*Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK\+xOo=/s);
  assert.equal(rest.charCodeAt(0), 0x82);
  assert.match(rest.slice(2), /^\n\u0005ADDED\u0012/);
  assert.ok(rest.endsWith("\u0088\u0002\u0003\u00e8"));
});

const refusals: readonly (readonly [string, { readonly [name: string]: string }, string])[] = [
  ["without a key", { "sec-websocket-key": "" }, "HTTP/1.1 400 Bad Request\r\n\r\nmismatch challenge/response"],
  [
    "of another version",
    { "sec-websocket-version": "8" },
    "HTTP/1.1 400 Bad Request\r\nSec-WebSocket-Version: 13\r\n\r\nmissing or bad WebSocket Version",
  ],
  ["without an origin", { origin: "" }, "HTTP/1.1 403 Forbidden\r\n\r\n"],
  ["with a choice of protocols", { "sec-websocket-protocol": "a, b" }, "HTTP/1.1 400 Bad Request\r\n\r\n"],
];

for (const [what, headers, expected] of refusals) {
  test(`a WebSocket ${what} is rejected`, async () => {
    await using server = await start();
    assert.equal(await wholeAnswer(dial(server, `${maps}?watch=1`, headers)), expected);
  });
}

test("an invalid watch fails before the WebSocket upgrade", async () => {
  await using server = await start();
  assert.match(await wholeAnswer(dial(server, `${maps}?watch=1&resourceVersion=x`, {})), /^HTTP\/1.1 500 .*strconv/s);
  assert.match(await wholeAnswer(dial(server, `${maps}?watch=1`, { authorization: "" })), /^HTTP\/1.1 403 /);
});
