/** Slow, silent, half-closed, endless and non-reading clients: each is rejected or disconnected, no event is lost, memory stays bounded. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { request as http1Request } from "node:http";
import { connect as http2Connect, type ClientHttp2Session, type ClientHttp2Stream } from "node:http2";
import { connect, type Socket } from "node:net";
import type { Readable } from "node:stream";
import { test } from "node:test";
import { connect as tlsConnect } from "node:tls";
import { validFor } from "@capstan/pki";
import type { Call } from "../src/call.ts";
import { startApiServer, type ApiServer, type LiveBody, type Patience } from "../src/index.ts";
import { listen } from "../src/serve/listen.ts";
import { ask } from "./ask.ts";

const maps = "/api/v1/namespaces/default/configmaps";

function start(patience: Partial<Patience> = {}, tls = true): Promise<ApiServer> {
  return startApiServer({ listen: { port: 0, tls, patience } });
}

/** A raw connection, plain or TLS with HTTP/1.1. */
function dial({ port = 0, url = "" }: { port: number | undefined; url: string | undefined }): Socket {
  return url.startsWith("https:")
    ? tlsConnect({ port, host: "127.0.0.1", rejectUnauthorized: false, ALPNProtocols: ["http/1.1"] })
    : connect(port, "127.0.0.1");
}

/** Reads everything until the connection is closed. */
async function rest(stream: Readable): Promise<string> {
  let text = "";
  stream.on("data", (chunk: Buffer) => (text += chunk.toString("latin1")));
  stream.on("error", () => {});
  await new Promise((resolve) => stream.once("close", resolve));
  return text;
}

function opening(server: ApiServer, length: number | "chunked"): string {
  const size = length === "chunked" ? "transfer-encoding: chunked" : `content-length: ${length}`;
  return `POST ${maps} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${server.token}\r\ncontent-type: application/json\r\n${size}\r\n\r\n`;
}

const transports = [true, false] as const;

for (const tls of transports) {
  const over = tls ? "TLS" : "HTTP";

  test(`over ${over}, connections without complete headers are closed without a response`, async () => {
    await using server = await start({ headers: 500 }, tls);
    const silent = dial(server);
    const slow = dial(server);
    slow.write("GET /api HTTP/1.1\r\nhost: x\r\n");
    assert.deepEqual(await Promise.all([rest(silent), rest(slow)]), ["", ""]);
  });

  test(`over ${over}, an incomplete body times out with 504 and nothing is stored`, async () => {
    await using server = await start({ body: 500 }, tls);
    const socket = dial(server);
    socket.write(`${opening(server, 100)}{"metadata":{"name":"slow"}`);
    assert.match(await rest(socket), /^HTTP\/1.1 504 .*"reason":"Timeout".*"code":504/s);
    assert.equal((await ask(server, "GET", `${maps}/slow`)).status, 404);
  });

  test(`over ${over}, a half-close within a body has no effect`, async () => {
    await using server = await start({}, tls);
    const socket = dial(server);
    await once(socket, tls ? "secureConnect" : "connect");
    socket.end(`${opening(server, 100)}{"metadata":{"name":"half"}`);
    await rest(socket);
    assert.equal((await ask(server, "GET", `${maps}/half`)).status, 404);
  });

  test(`over ${over}, an endless body is rejected at the size limit`, async () => {
    await using server = await start({}, tls);
    const socket = dial(server);
    const chunk = `10000\r\n${" ".repeat(0x10000)}\r\n`;
    let isOpen = true;
    socket.once("close", () => (isOpen = false));
    const send = (): void => {
      if (isOpen) socket.write(chunk, () => setImmediate(send));
    };
    socket.write(opening(server, "chunked"), send);
    assert.match(await rest(socket), /^HTTP\/1.1 413 .*limit is 3145728.*"code":413/s);
  });
}

function session({ url = "" }: ApiServer): ClientHttp2Session {
  return http2Connect(url, { rejectUnauthorized: false }).on("error", () => {});
}

function post(client: ClientHttp2Session, { token }: ApiServer): ClientHttp2Stream {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return client.request({ ":method": "POST", ":path": maps, ...headers });
}

test("connections without a TLS handshake time out", { timeout: 120_000 }, async () => {
  await using server = await start({ headers: 500 });
  const silent = connect(server.port ?? 0, "127.0.0.1");
  const stammering = connect(server.port ?? 0, "127.0.0.1");
  stammering.write(Buffer.from([22, 3, 1]));
  assert.deepEqual(await Promise.all([rest(silent), rest(stammering)]), ["", ""]);
});

for (const tls of transports) {
  test(`over ${tls ? "TLS" : "plain HTTP"}, of too many connections that ask for nothing the oldest are left`, async () => {
    await using origin = await start();
    const { certificate, privateKey } = origin.authority.issue({
      commonName: "wire",
      usages: ["server"],
      ipAddresses: ["127.0.0.1"],
      ...validFor({ now: new Date(), days: 1 }),
    });
    const handler = async () => ({ status: 200, headers: {}, body: "here" });
    const options = { host: "127.0.0.1", port: 0, mostSilent: 3, ...(tls ? { tls: { certificate, privateKey } } : {}) };
    const server = await listen(handler, options);
    const known = dial(server);
    known.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
    await once(known, "data");
    const silent: Socket[] = [];
    for (let at = 0; at < 5; at++) {
      const socket = connect(server.port, "127.0.0.1");
      await once(socket, "connect");
      silent.push(socket);
    }
    assert.deepEqual(await Promise.all(silent.slice(0, 2).map(rest)), ["", ""]);
    known.write("GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    assert.match(await rest(known), /^HTTP\/1.1 200 /);
    assert.deepEqual(
      silent.slice(2).map(({ closed }) => closed),
      [false, false, false],
    );
    for (const socket of silent) socket.destroy();
    await server.close();
  });
}

test("over HTTP/2, an incomplete body times out with 504 and nothing is stored", async () => {
  await using server = await start({ body: 500 });
  const client = session(server);
  const stream = post(client, server);
  stream.write('{"metadata":{"name":"slow"}');
  const status = once(stream, "response").then(([headers]) => (headers as { ":status": number })[":status"]);
  const text = await rest(stream);
  assert.equal(await status, 504);
  assert.match(text, /"reason":"Timeout"/);
  assert.equal((await ask(server, "GET", `${maps}/slow`)).status, 404);
  client.destroy();
});

test("over HTTP/2, a body above the size limit is rejected", async () => {
  await using server = await start();
  const client = session(server);
  const stream = post(client, server);
  const status = once(stream, "response").then(([headers]) => (headers as { ":status": number })[":status"]);
  stream.end(`{"metadata":{"name":"long"},"data":{"a":"${"x".repeat(3 * 1024 * 1024)}"}}`);
  assert.match(await rest(stream), /Request entity too large: limit is 3145728/);
  assert.equal(await status, 413);
  client.destroy();
});

test("an idle HTTP/2 connection is closed in time, one with a watch is not", async () => {
  await using server = await start({ idle: 3000 });
  const busy = session(server);
  const headers = { authorization: `Bearer ${server.token}` };
  const watch = busy.request({ ":path": `${maps}?watch=true`, ...headers });
  await once(watch, "response");
  const idle = session(server);
  await once(idle, "close");
  const event = once(watch, "data");
  assert.equal((await ask(server, "POST", maps, { metadata: { name: "seen" } })).status, 201);
  assert.match(String((await event)[0]), /"ADDED".*"seen"/);
  busy.destroy();
});

/** Fills its sink while it accepts data, and reports how much it wrote when it was stopped. */
function endless(): { body: LiveBody; stopped: Promise<number> } {
  const { promise, resolve } = Promise.withResolvers<number>();
  const chunk = Buffer.alloc(64 * 1024);
  const body: LiveBody = (sink) => {
    let written = 0;
    const fill = (): void => {
      for (; !sink.isFull; written += chunk.length) sink.write(chunk);
      sink.whenDrained(fill);
    };
    fill();
    return () => resolve(written);
  };
  return { body, stopped: promise };
}

/** More than the socket buffers between two local processes hold. */
const bound = 64 * 1024 * 1024;

test("a client that does not read is disconnected before much is written", async () => {
  const { body, stopped } = endless();
  const handler = async () => ({ status: 200, headers: {}, body });
  const server = await listen(handler, { host: "127.0.0.1", port: 0, patience: { reading: 500 } });
  const deaf = connect(server.port, "127.0.0.1");
  deaf.on("error", () => {});
  deaf.pause();
  deaf.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
  assert.ok((await stopped) < bound);
  deaf.destroy();
  await server.close();
});

test("an unread HTTP/2 stream is reset, and other streams of its connection continue", async () => {
  const { body, stopped } = endless();
  await using origin = await start();
  const handler = async ({ url }: Call) => ({ status: 200, headers: {}, body: url === "/endless" ? body : "here" });
  const { certificate, privateKey } = origin.authority.issue({
    commonName: "wire",
    usages: ["server"],
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + 3_600_000),
  });
  const tls = { certificate, privateKey };
  const server = await listen(handler, { host: "127.0.0.1", port: 0, tls, patience: { reading: 500 } });
  const client = http2Connect(server.url, { rejectUnauthorized: false });
  const deaf = client.request({ ":path": "/endless" });
  deaf.on("error", () => {});
  assert.ok((await stopped) < bound);
  assert.equal(await rest(client.request({ ":path": "/other" })), "here");
  client.destroy();
  await server.close();
});

/** A watch over plain HTTP; its client does not read until the stream is resumed. */
async function pausedWatch(server: ApiServer): Promise<Readable> {
  const headers = { authorization: `Bearer ${server.token}` };
  const asked = http1Request(new URL(`${maps}?watch=true`, server.url), { headers, agent: false });
  asked.end();
  const [answer] = (await once(asked, "response")) as [Readable];
  answer.pause();
  return answer;
}

async function write(server: ApiServer, count: number): Promise<void> {
  const data = { text: "x".repeat(100_000) };
  for (let at = 0; at < count; at++) {
    const made = await ask(server, "POST", maps, { metadata: { name: `m${at}` }, data });
    assert.equal(made.status, 201, made.text);
  }
}

/** The names in the events of a watch, until there are enough or it ends. */
async function namesOf(watch: Readable, enough: number): Promise<string[]> {
  const names: string[] = [];
  let text = "";
  for await (const chunk of watch) {
    text += String(chunk);
    const lines = text.split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) names.push(/"name":"(m\d+)"/.exec(line)?.[1] ?? line);
    if (names.length >= enough) break;
  }
  return names;
}

const inOrder = (count: number): string[] => Array.from({ length: count }, (_, at) => `m${at}`);

test("a slow watch gets all events in order when its client reads again", async () => {
  await using server = await start({ reading: 600_000 }, false);
  const watch = await pausedWatch(server);
  await write(server, 300);
  assert.deepEqual(await namesOf(watch, 300), inOrder(300));
});

test("a watch that falls behind the history ends without skipping an event", async () => {
  await using server = await startApiServer({
    listen: { port: 0, tls: false, patience: { reading: 600_000 } },
    history: { age: Number.MAX_SAFE_INTEGER, count: 1 },
  });
  const watch = await pausedWatch(server);
  await write(server, 600);
  const names = await namesOf(watch, Infinity);
  assert.ok(names.length < 600);
  assert.deepEqual(names, inOrder(names.length));
});

const unwritable = [
  { what: "a status that is no number", status: "x" as unknown as number, headers: {} },
  { what: "a status that there is not", status: 7, headers: {} },
  { what: "a header with a control character", status: 200, headers: { warning: '299 - "\u0001"' } },
] as const;

for (const { what, status, headers } of unwritable) {
  for (const length of [10, 1024 * 1024]) {
    test(`a response of ${length} bytes with ${what} closes its connection and is reported`, async () => {
      const reported: string[] = [];
      const good = { status: 200, headers: {}, body: "good" };
      const bad = { status, headers, body: "x".repeat(length) };
      const handler = async ({ url }: Call) => (url === "/bad" ? { ...bad, headers: { ...bad.headers } } : good);
      const report = (_error: unknown, { url }: Call): void => void reported.push(url);
      const server = await listen(handler, { host: "127.0.0.1", port: 0, report });
      await assert.rejects(fetch(`${server.url}/bad`));
      assert.equal(await (await fetch(`${server.url}/good`)).text(), "good");
      assert.deepEqual(reported, ["/bad"]);
      await server.close();
    });
  }
}

/** Sends the raw path: URL parsing would resolve dots and slashes. */
async function getRaw(server: ApiServer, path: string): Promise<string> {
  const socket = dial(server);
  socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${server.token}\r\nconnection: close\r\n\r\n`);
  return rest(socket);
}

test("paths that begin with two slashes are not found", async () => {
  await using server = await start({}, false);
  for (const path of ["//api/v1/namespaces/default", "//version", "//healthz", "//apis"]) {
    assert.match(await getRaw(server, path), /^HTTP\/1.1 404 .*404 page not found/s, path);
  }
});

test("the names . and .. are rejected before any lookup", async () => {
  await using server = await start({}, false);
  for (const [path, name] of [
    [`${maps}/..`, ".."],
    [`${maps}/%2E`, "."],
    ["/api/v1/nodes/%2e%2E", ".."],
    ["/apis/apps/v1/namespaces/default/deployments/../scale", ".."],
  ]) {
    const answer = await getRaw(server, path ?? "");
    assert.match(answer, /^HTTP\/1.1 400 /, path);
    assert.ok(answer.includes(`Name parameter invalid: \\"${name}\\": may not be '${name}'`), answer);
  }
});

test("a watch with a negative timeout ends without events", async () => {
  await using server = await start({}, false);
  assert.equal((await ask(server, "POST", maps, { metadata: { name: "a" } })).status, 201);
  const { status, text } = await ask(server, "GET", `${maps}?watch=1&timeoutSeconds=-1`);
  assert.deepEqual([status, text], [200, ""]);
});
