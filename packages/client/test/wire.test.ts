import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import type { RequestListener } from "node:http";
import type { ServerHttp2Session } from "node:http2";
import { test } from "node:test";
import { ApiError, isApiError } from "../src/error/api-error.ts";
import { ConnectionError } from "../src/error/connection-error.ts";
import { createNetworkTransport } from "../src/network/network.ts";
import type { TransportRequest } from "../src/transport/transport.ts";
import { createClient } from "../src/client.ts";
import { certificate, endpointOf, http1Server, http2Server, relay } from "./server.ts";
import type { Http2Listener } from "./server.ts";

const pinged = (session: ServerHttp2Session | undefined): Promise<void> =>
  new Promise((resolve) => session?.ping(() => resolve()));

const get = (path = "/"): TransportRequest => ({ method: "GET", path, headers: {} });

test("requests share one HTTP/2 connection", async () => {
  await using running = await http2Server((request, response) => response.end(JSON.stringify({ path: request.url })));
  const transport = createNetworkTransport(running.endpoint);
  const answers = await Promise.all(
    Array.from({ length: 50 }, async (_, index) => (await transport.request(get(`/${index}`))).body.json()),
  );
  assert.deepEqual(answers[49], { path: "/49" });
  assert.equal(running.sessions.length, 1);
  await transport.close();
});

test("a full connection gets a second one, also in the first burst", async () => {
  const held: (() => void)[] = [];
  await using running = await http2Server(
    (_request, response) => {
      response.write("x");
      held.push(() => response.end());
    },
    { maxConcurrentStreams: 2 },
  );
  const transport = createNetworkTransport(running.endpoint);
  const answers = await Promise.all(Array.from({ length: 5 }, () => transport.request(get())));
  assert.equal(running.sessions.length, 3);
  for (const end of held) end();
  assert.deepEqual(await Promise.all(answers.map(({ body }) => body.text())), ["x", "x", "x", "x", "x"]);
  await transport.close();
});

test("requests wait while a server accepts no streams", async () => {
  const held: (() => void)[] = [];
  const came = new EventEmitter();
  await using running = await http2Server(
    (_request, response) => {
      held.push(() => response.end("done"));
      came.emit("request");
    },
    { maxConcurrentStreams: 0 },
  );
  const transport = createNetworkTransport(running.endpoint);
  const abort = new AbortController();
  const impatient = transport.request({ ...get(), signal: abort.signal });
  const first = transport.request(get());
  while (running.sessions.length === 0) await once(running.server, "session");
  // Answered PINGs: the client has processed the settings by then.
  for (let pings = 0; pings < 5; pings += 1) await pinged(running.sessions[0]);
  abort.abort(new Error("no time"));
  await assert.rejects(impatient, /no time/u);
  const requested = once(came, "request");
  running.sessions[0]?.settings({ maxConcurrentStreams: 1 });
  await requested;
  assert.equal(running.sessions.length, 1);

  // The first connection is full and the second is blocked: whichever has room first is used.
  const others = [transport.request(get()), transport.request(get())];
  while (running.sessions.length === 1) await once(running.server, "session");
  for (let pings = 0; pings < 5; pings += 1) await pinged(running.sessions[1]);
  came.on("request", () => held.pop()?.());
  held.pop()?.();
  for (const response of await Promise.all([first, ...others])) assert.equal(await response.body.text(), "done");
  assert.equal(running.sessions.length, 2);
  await transport.close();
});

for (const [protocol, start] of [
  ["HTTP/2", http2Server],
  ["HTTP/1.1", (listener: Http2Listener & RequestListener) => http1Server(listener, "https")],
] as const) {
  test(`beforeSending can stop a request after connecting over ${protocol}`, async () => {
    const paths: (string | undefined)[] = [];
    const listener = (request: { readonly url?: string | undefined }, response: { end(): unknown }): void => {
      paths.push(request.url);
      response.end();
    };
    await using running = await start(listener);
    let isConnected = false;
    running.server.once("connection", () => (isConnected = true));
    const transport = createNetworkTransport(running.endpoint);
    const fenced = new Error("somebody else leads");
    const beforeSending = (): void => {
      assert.ok(isConnected, "it is asked when there is nothing left to wait for");
      throw fenced;
    };
    const body = "{}";
    for (const path of ["/new", "/kept"]) {
      const refused = transport.request({ ...get(`${path}/refused`), method: "POST", body, beforeSending });
      await assert.rejects(refused, (error) => error === fenced);
      const taken = await transport.request({ ...get(`${path}/taken`), method: "POST", body, beforeSending: () => {} });
      await taken.body.bytes();
    }
    assert.deepEqual(paths, ["/new/taken", "/kept/taken"]);
    await transport.close();
  });
}

test("a server that accepts no streams and leaves is an error without a dial loop", async () => {
  await using running = await http2Server((_request, response) => response.end(), { maxConcurrentStreams: 0 });
  running.server.on("session", (session) => session.once("localSettings", () => session.goaway(0)));
  const transport = createNetworkTransport(running.endpoint);
  await assert.rejects(transport.request(get()), (error) => error instanceof ConnectionError && !error.sent);
  assert.equal(running.sessions.length, 1);
  await transport.close();
});

test("headers are normalized for HTTP/2", async () => {
  await using running = await http2Server((request, response) => response.end(JSON.stringify(request.headers)));
  const transport = createNetworkTransport(running.endpoint);
  const headers = {
    accept: "b/b",
    Accept: "a/a",
    "Content-Type": "application/json",
    Connection: "close",
    "transfer-encoding": "chunked",
    Host: "another",
    "X-List": ["1", "2"],
  };
  const response = await transport.request({ ...get(), headers });
  const {
    ":method": _method,
    ":path": _path,
    ":scheme": _scheme,
    ...seen
  } = (await response.body.json()) as Record<string, unknown>;
  assert.deepEqual(seen, {
    ":authority": running.url.host,
    accept: "a/a",
    "content-type": "application/json",
    "x-list": "1, 2",
  });
  await transport.close();
});

test("a header with a line break is rejected without showing its value", async () => {
  await using running = await http2Server((_request, response) => response.end("{}"));
  const transport = createNetworkTransport(running.endpoint);
  for (const value of ["secret\r\nx-admin: yes", "secret\n", "secret\0", ["fine", "secret\r"]]) {
    await assert.rejects(transport.request({ ...get(), headers: { "x-note": value } }), (error) => {
      assert.ok(error instanceof ApiError && error.code === "BadRequest");
      return /"x-note" holds a line break/u.test(error.message) && !error.message.includes("secret");
    });
  }
  assert.equal(running.sessions.length, 0);
  await transport.close();
});

test("a body that is reset half-way is an error, not a short body", async () => {
  await using running = await http2Server((_request, response) => {
    response.write('{"kind":');
    setTimeout(() => response.stream.close(2), 20);
  });
  const transport = createNetworkTransport(running.endpoint);
  const whole = await transport.request(get());
  await assert.rejects(whole.body.bytes(), (error) => isApiError(error, "ConnectionLost"));
  const chunked = await transport.request(get());
  await assert.rejects(Array.fromAsync(chunked.body), (error) => isApiError(error, "ConnectionLost"));
  await transport.close();
});

test("a connection lost within a body is an error, and the next request reconnects", async () => {
  let cut = true;
  await using running = await http2Server((_request, response) => {
    response.write("half");
    if (cut) setTimeout(() => running.sessions.at(-1)?.destroy(), 20);
    else response.end();
  });
  const transport = createNetworkTransport(running.endpoint);
  const response = await transport.request(get());
  await assert.rejects(response.body.bytes(), (error) => error instanceof ConnectionError && error.sent);
  cut = false;
  assert.equal(await (await transport.request(get())).body.text(), "half");
  assert.equal(running.sessions.length, 2);
  await transport.close();
});

test("after GOAWAY running streams finish and new requests reconnect", async () => {
  const ends: (() => void)[] = [];
  await using running = await http2Server((request, response) => {
    response.write("begun,");
    if (request.url === "/slow") ends.push(() => response.end("done"));
    else response.end("quick");
  });
  const transport = createNetworkTransport(running.endpoint);
  const slow = await transport.request(get("/slow"));
  const reading = slow.body[Symbol.asyncIterator]();
  assert.equal(String(Buffer.from((await reading.next()).value ?? [])), "begun,");
  const [session] = running.sessions;
  await new Promise<void>((resolve) => {
    session?.goaway(0);
    session?.ping(() => resolve());
  });
  assert.equal(await (await transport.request(get("/quick"))).body.text(), "begun,quick");
  assert.equal(running.sessions.length, 2);
  for (const end of ends) end();
  assert.equal(String(Buffer.from((await reading.next()).value ?? [])), "done");
  await transport.close();
});

test("a refused stream counts as unsent", async () => {
  await using running = await http2Server((_request, response) => response.stream.close(7));
  const transport = createNetworkTransport(running.endpoint);
  await assert.rejects(transport.request(get()), (error) => error instanceof ConnectionError && !error.sent);
  await transport.close();
});

test("a server that does not answer PING loses its connection", async () => {
  await using running = await http2Server((_request, response) => response.write("x"));
  await using wire = await relay(running.url);
  // Idle for longer than a response takes on a slow machine, so that no PING precedes the cut.
  const limits = { pingAfterMs: 3_000, pingTimeoutMs: 30 };
  const transport = createNetworkTransport(endpointOf(wire.url, await running.endpoint.tls(), limits));
  const response = await transport.request(get());
  wire.cut();
  await assert.rejects(Array.fromAsync(response.body), (error) => {
    assert.ok(isApiError(error, "ConnectionLost"));
    assert.match(error.message, /PING/u);
    return true;
  });
  await transport.close();
});

test("an abort ends the exchange before and within the body", async () => {
  await using running = await http2Server((request, response) => {
    if (request.url === "/body") response.write("x");
  });
  const transport = createNetworkTransport(running.endpoint);
  for (const path of ["/head", "/body"]) {
    const abort = new AbortController();
    const reason = new Error("enough");
    const reading = transport.request({ ...get(path), signal: abort.signal }).then((response) => response.body.bytes());
    setTimeout(() => abort.abort(reason), 20);
    await assert.rejects(reading, (error) => error === reason);
  }
  await transport.close();
});

for (const scheme of ["http", "https"] as const) {
  test(`HTTP/1.1 over ${scheme} keeps its connection`, async () => {
    let connections = 0;
    await using running = await http1Server((request, response) => {
      request.resume().on("end", () => response.end(JSON.stringify({ path: request.url })));
    }, scheme);
    running.server.on(scheme === "http" ? "connection" : "secureConnection", () => (connections += 1));
    const transport = createNetworkTransport(running.endpoint);
    for (const path of ["/a", "/b", "/c"]) {
      const response = await transport.request({ ...get(path), method: "POST", body: "{}" });
      assert.deepEqual(await response.body.json(), { path });
    }
    assert.equal(connections, 1);
    await transport.close();
  });
}

test("the body of a DELETE over HTTP/1.1 arrives, and the connection stays usable", async () => {
  await using running = await http1Server((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () =>
      response.end(JSON.stringify({ method: request.method, got: Buffer.concat(chunks).toString() })),
    );
  });
  const transport = createNetworkTransport(running.endpoint);
  for (const method of ["DELETE", "GET"]) {
    const body = method === "DELETE" ? { body: '{"kind":"DeleteOptions"}' } : {};
    const response = await transport.request({ ...get("/a"), method, ...body });
    assert.deepEqual(await response.body.json(), { method, got: body.body ?? "" });
  }
  await transport.close();
});

test("a truncated HTTP/1.1 body is an error", async () => {
  await using running = await http1Server((_request, response) => {
    response.setHeader("content-length", "100");
    response.write("short");
    setTimeout(() => response.destroy(), 20);
  });
  const transport = createNetworkTransport(running.endpoint);
  const response = await transport.request(get());
  await assert.rejects(response.body.bytes(), (error) => isApiError(error, "ConnectionLost"));
  await transport.close();
});

test("a missing server is unreachable, with a clear message", async () => {
  const transport = createNetworkTransport(endpointOf(new URL("https://127.0.0.1:1")));
  await assert.rejects(transport.request(get()), (error) => {
    assert.ok(isApiError(error, "Unreachable"));
    assert.match(error.message, /^Cannot reach the API server at https:\/\/127.0.0.1:1: connect ECONNREFUSED/u);
    return true;
  });
});

test("an untrusted certificate is rejected, with a clear message", async () => {
  await using running = await http2Server((_request, response) => response.end());
  const transport = createNetworkTransport(endpointOf(running.url));
  await assert.rejects(transport.request(get()), (error) => {
    assert.ok(isApiError(error, "TlsFailed"));
    assert.match(error.message, /self-signed certificate.* Check certificate-authority/u);
    return true;
  });
});

test("the certificate is checked against tls-server-name", async () => {
  await using running = await http2Server((_request, response) => response.end("ok"));
  const { ca } = await running.endpoint.tls();
  const right = createNetworkTransport(endpointOf(running.url, { ca, servername: "api.test" }));
  assert.equal(await (await right.request(get())).body.text(), "ok");
  await right.close();
  const wrong = createNetworkTransport(endpointOf(running.url, { ca, servername: "other.test" }));
  await assert.rejects(wrong.request(get()), (error) => isApiError(error, "TlsFailed"));
});

test("the path of the server's address precedes every request path", async () => {
  await using running = await http2Server((request, response) => response.end(request.url));
  const endpoint = { ...running.endpoint, server: new URL("/k8s/clusters/one/", running.url) };
  const transport = createNetworkTransport(endpoint);
  assert.equal(await (await transport.request(get("/api"))).body.text(), "/k8s/clusters/one/api");
  await transport.close();
});

test("a cut at any byte is an error and never a short response", async () => {
  const body = "x".repeat(20_000);
  await using running = await http2Server((_request, response) => response.end(body));
  const tls = await running.endpoint.tls();
  const read = async (limit: number): Promise<number> => {
    await using wire = await relay(running.url, limit);
    const transport = createNetworkTransport(endpointOf(wire.url, tls));
    try {
      return (await (await transport.request(get())).body.bytes()).length;
    } catch (error) {
      assert.ok(isApiError(error, "Unreachable", "ConnectionLost", "TlsFailed"), String(error));
      return -1;
    } finally {
      await transport.close();
    }
  };
  assert.equal(await read(Infinity), body.length);
  for (let limit = 1; limit < 20_000; limit += 397) assert.equal(await read(limit), -1, `cut after ${limit} bytes`);
});

test("a body slower than the deadline is ended by it", async () => {
  await using running = await http2Server((_request, response) => {
    const timer = setInterval(() => response.write(" "), 5);
    response.on("close", () => clearInterval(timer));
  });
  const certificateAuthority = { data: certificate().cert };
  const cluster = { server: running.url.origin, certificateAuthority };
  await using client = createClient({ name: "", namespace: "", cluster, user: { proof: { type: "none" } } });
  await assert.rejects(client.serverVersion({ timeoutMs: 60 }), (error) => isApiError(error, "DeadlineExceeded"));
});

test("a busy server is retried after its delay over the same connection", async () => {
  let answers = 0;
  await using running = await http2Server((_request, response) => {
    answers += 1;
    if (answers === 1) response.writeHead(429, { "retry-after": "1" });
    response.end('{"major":"1","minor":"30"}');
  });
  const cluster = { server: running.url.origin, certificateAuthority: { data: certificate().cert } };
  const user = { proof: { type: "none" } } as const;
  await using client = createClient({ name: "", namespace: "", cluster, user });
  assert.equal((await client.serverVersion()).minor, 30);
  assert.equal(answers, 2);
  assert.equal(running.sessions.length, 1);
});
