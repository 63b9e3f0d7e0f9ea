/** Outgoing calls of the server, over real connections. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { createAuthority, validFor } from "@capstan/pki";
import { openHttpCaller } from "../src/outgoing/http-caller.ts";

test("a body has a content-length for every method", async (t) => {
  const heard: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += String(chunk)));
    request.on("end", () => {
      heard.push(`${request.method} ${request.headers["content-length"] ?? "-"} ${body}`);
      response.end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const caller = openHttpCaller();
  t.after(() => (caller.close(), server.close(), server.closeAllConnections()));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/things`;
  for (const method of ["DELETE", "POST", "PATCH", "PUT"]) {
    const { status } = await caller.call({ method, url, headers: {}, body: '{"é":1}' });
    assert.equal(status, 200);
  }
  assert.equal((await caller.call({ method: "GET", url, headers: {} })).status, 200);
  assert.deepEqual(heard, ['DELETE 8 {"é":1}', 'POST 8 {"é":1}', 'PATCH 8 {"é":1}', 'PUT 8 {"é":1}', "GET - "]);
});

test("no connection header is sent, and the host header may differ from the address", async (t) => {
  const heard: string[][] = [];
  const server = createServer((request, response) => {
    heard.push(request.rawHeaders);
    response.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const caller = openHttpCaller();
  t.after(() => (caller.close(), server.close(), server.closeAllConnections()));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  for (let at = 0; at < 2; at++) await caller.call({ method: "GET", url, headers: {}, host: "10.1.1.1:443" });
  const expecting = { method: "POST", url, headers: { expect: "100-continue" }, body: "x" };
  assert.equal((await caller.call(expecting)).status, 200);
  assert.deepEqual(heard.slice(0, 2), [
    ["host", "10.1.1.1:443"],
    ["host", "10.1.1.1:443"],
  ]);
});

test("a refused connection is reported with the address that was dialed", async (t) => {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  const caller = openHttpCaller();
  t.after(() => caller.close());
  await assert.rejects(caller.call({ method: "GET", url: `https://localhost:${port}/`, headers: {} }), {
    message: new RegExp(String.raw`^dial tcp (127\.0\.0\.1|\[::1\]):${port}: connect: connection refused$`),
  });
});

test("a certificate for another host is rejected with the names it has", async (t) => {
  const now = new Date();
  const authority = createAuthority({ commonName: "authority", now, days: 1 });
  const cases = [
    [{ dnsNames: ["localhost", "a.b.svc"] }, "certificate is valid for localhost, a.b.svc, not other.ns.svc"],
    [{ ipAddresses: ["127.0.0.1"] }, "certificate is not valid for any names, but wanted to match other.ns.svc"],
  ] as const;
  for (const [names, expected] of cases) {
    const issued = authority.issue({ commonName: "x", usages: ["server"], ...names, ...validFor({ now, days: 1 }) });
    const server = createSecureServer({ cert: issued.certificate, key: issued.privateKey });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const caller = openHttpCaller();
    t.after(() => (caller.close(), server.close(), server.closeAllConnections()));
    const { port } = server.address() as AddressInfo;
    const call = {
      method: "GET",
      url: "https://other.ns.svc:443/",
      headers: {},
      authority: authority.certificate,
      connectTo: { host: "127.0.0.1", port },
    };
    await assert.rejects(caller.call(call), { message: `tls: failed to verify certificate: x509: ${expected}` });
  }
});

test("dot segments of a path are not resolved", async (t) => {
  const heard: unknown[] = [];
  const server = createServer((request, response) => {
    heard.push(request.url);
    response.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const caller = openHttpCaller();
  t.after(() => (caller.close(), server.close(), server.closeAllConnections()));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const paths = ["/apis/things.dev/v1/../../x", "/a/%2e%2e/%2E./b?c=/../d", "/a/./b/", "/"];
  for (const path of paths) await caller.call({ method: "GET", url: `${origin}${path}`, headers: {} });
  await caller.call({ method: "GET", url: origin, headers: {} });
  await caller.call({ method: "GET", url: `${origin}/ä#b`, headers: {} });
  assert.deepEqual(heard, [...paths, "/", "/%C3%A4"]);
});
