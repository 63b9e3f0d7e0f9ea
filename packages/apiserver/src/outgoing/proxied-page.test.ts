/** Pages and redirects behind a proxy, compared with the recorded output of Kubernetes' proxy transport. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import { fromChunks, isLive, type AnswerBody } from "../answer.ts";
import { rewriteLinks } from "./html-links.ts";
import { largestPage, throughProxy } from "./proxied-page.ts";
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

test("pages are rewritten although they come in chunks and compressed", async () => {
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

test("a response that is not a page passes unchanged", async () => {
  const answer = { status: 200, headers: { "content-type": "text/plain" }, body: "<a href=/x>" };
  assert.equal(await throughProxy(answer, from), answer);
});

test("a page with unclosed tags takes no longer than others", async () => {
  const body = `<a ${'="='.repeat(200_000)}`;
  const answer = await throughProxy({ status: 200, headers: { "content-type": "text/html" }, body }, from);
  assert.equal(Buffer.from(answer.body as Uint8Array).toString(), body);
});

async function bytesOf(body: AnswerBody): Promise<Buffer> {
  if (!isLive(body)) return Buffer.from(body);
  const chunks: Buffer[] = [];
  await new Promise<void>((resolve) => {
    const write = (chunk: string | Uint8Array): void => void chunks.push(Buffer.from(chunk));
    body({ write, isFull: false, whenDrained: (callback) => callback(), end: resolve });
  });
  return Buffer.concat(chunks);
}

const packedPage = { "content-type": "text/html", "content-encoding": "gzip", "content-length": "9" };

for (const more of [0, 1]) {
  test(`a page of ${more} bytes over the bound is ${more === 0 ? "rewritten" : "passed as it is"}, packed or not`, async () => {
    const link = "<a href=/x>";
    const page = link + " ".repeat(largestPage - link.length + more);
    const packed = gzipSync(page);
    const seen = await throughProxy({ status: 200, headers: packedPage, body: packed }, from);
    assert.equal(seen.body instanceof Uint8Array && packed.equals(seen.body), more === 1);
    assert.equal(seen.headers["content-length"], more === 1 ? "9" : undefined);
    for (const body of [page, Buffer.from(page), fromChunks(pieces(page))]) {
      const plain = await throughProxy({ status: 200, headers: { "content-type": "text/html" }, body }, from);
      const start = (await bytesOf(plain.body)).subarray(0, 10).toString();
      assert.equal(start, more === 1 ? "<a href=/x" : '<a href="/');
    }
  });
}

async function* pieces(page: string): AsyncGenerator<string> {
  for (let at = 0; at < page.length; at += 65_536) yield page.slice(at, at + 65_536);
}

test("a small page that expands beyond the limit passes unchanged", async () => {
  const bomb = gzipSync(Buffer.alloc(16 * largestPage));
  const { body } = await throughProxy({ status: 200, headers: packedPage, body: bomb }, from);
  assert.ok(bomb.equals(await bytesOf(body)));
});

test("a body that is not compressed as declared passes unchanged", async () => {
  for (const text of ["", "<a href=/x>"]) {
    const { body } = await throughProxy({ status: 200, headers: packedPage, body: text }, from);
    assert.equal((await bytesOf(body)).toString(), text);
  }
});

test("an endless page stops with its client, and a long one waits for its reader", async () => {
  const gone = new AbortController();
  let stopped = 0;
  const endless = throughProxy(
    { status: 200, headers: { "content-type": "text/html" }, body: () => () => void stopped++ },
    { ...from, signal: gone.signal },
  );
  gone.abort();
  await endless;
  assert.equal(stopped, 1);
  let taken = 0;
  const body = fromChunks(
    (async function* () {
      for (; taken < 100; taken++) yield Buffer.alloc(1024 * 1024);
    })(),
  );
  const answer = await throughProxy({ status: 200, headers: { "content-type": "text/html" }, body }, from);
  assert.ok(taken <= largestPage / (1024 * 1024) + 1, `${taken} pieces were taken`);
  assert.equal((await bytesOf(answer.body)).length, 100 * 1024 * 1024);
});

const page = async (body: string): Promise<string> => {
  const answer = await throughProxy({ status: 200, headers: { "content-type": "text/html" }, body }, from);
  return (await bytesOf(answer.body)).toString();
};

/** Each of these pages took quadratic time, hours at this length, or failed with an error. */
test("hostile pages are rewritten in one pass", async () => {
  const many = 250_000;
  for (const body of [
    "<a ".repeat(many),
    `<a x=' ${'<b y=" '.repeat(many / 4)}`,
    "<!--".repeat(many),
    "</a".repeat(many),
  ]) {
    assert.equal(await page(body), body);
  }
  const climb = `/${"x".repeat(many)}${"/b/..".repeat(many / 2)}`;
  assert.equal(await page(`<a href=${climb}>`), `<a href="${from.prefix}/${"x".repeat(many)}">`);
});

test("names of Object.prototype are elements, and invalid references are replaced", async () => {
  assert.equal(await page("<constructor href=/x>"), '<constructor href="/x">');
  assert.equal(await page("<p a='&#8364;&#xe9;&#99999999999;&#0;&#xd800;'>"), '<p a="\u20ac\u00e9\ufffd\ufffd\ufffd">');
});

test("a long page yields, and a tag with endless attributes is not read to its end", () => {
  const turnsOf = (html: string): number => [...rewriteLinks(html, (address) => address)].length;
  assert.equal(turnsOf("<a href=/x>".repeat(10)), 0);
  for (const piece of ["<a href=/x>", "<", "<!-->", "</a>"]) {
    const length = 1024 * 1024;
    assert.ok(turnsOf(piece.repeat(length / piece.length)) >= 15, piece);
  }
  assert.doesNotMatch(rewritten(`<a ${"a=b ".repeat(1002)}>`), /"/);
  assert.match(rewritten(`<a ${"a=b ".repeat(1000)}>`), /a="b"/);
});

function rewritten(html: string): string {
  const rewriting = rewriteLinks(html, (address) => address);
  for (;;) {
    const { done, value } = rewriting.next();
    if (done === true) return value;
  }
}
