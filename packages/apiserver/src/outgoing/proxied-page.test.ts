/** Pages and redirections behind a proxy, compared with what the transport of Kubernetes' own proxy made of them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import { fromChunks } from "../answer.ts";
import { throughProxy } from "./proxied-page.ts";
import recorded from "./recorded/proxied-pages.json" with { type: "json" };

const from = { prefix: "/api/v1/namespaces/default/pods/p/proxy", host: "10.1.2.3:80", requestHost: "localhost:8001" };

for (const [index, { sent, seen }] of recorded.entries()) {
  test(`page ${index} looks as it does behind a real proxy`, async () => {
    const location = sent.location === undefined ? {} : { location: sent.location };
    const headers = { "content-type": "text/html; charset=utf-8", ...location };
    const answer = await throughProxy({ status: 200, headers, body: sent.body ?? "" }, from);
    const { location: shown = "" } = answer.headers;
    assert.deepEqual({ location: shown, body: Buffer.from(answer.body as Uint8Array).toString() }, seen);
  });
}

test("pages are rewritten though they come in pieces and compressed", async () => {
  const packed = gzipSync("<p>\u00e9<a href=/x>");
  async function* pieces(): AsyncGenerator<Uint8Array> {
    yield packed.subarray(0, 7);
    yield packed.subarray(7);
  }
  const headers = { "content-type": "text/html", "content-encoding": "gzip", "content-length": "9" };
  const answer = await throughProxy({ status: 200, headers, body: fromChunks(pieces()) }, from);
  assert.equal(gunzipSync(answer.body as Uint8Array).toString(), `<p>\u00e9<a href="${from.prefix}/x">`);
  assert.equal(answer.headers["content-length"], undefined);
});

test("what is no page passes as it is", async () => {
  const answer = { status: 200, headers: { "content-type": "text/plain" }, body: "<a href=/x>" };
  assert.equal(await throughProxy(answer, from), answer);
});

test("a page that never ends its tags takes no longer than others", async () => {
  const body = `<a ${'="='.repeat(200_000)}`;
  const answer = await throughProxy({ status: 200, headers: { "content-type": "text/html" }, body }, from);
  assert.equal(Buffer.from(answer.body as Uint8Array).toString(), body);
});
