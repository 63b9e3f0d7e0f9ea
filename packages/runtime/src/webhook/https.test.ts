import assert from "node:assert/strict";
import { once } from "node:events";
import { get, request } from "node:https";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { connect } from "node:tls";
import { createAuthority, validFor } from "@capstan/pki";
import type { WebhookHandler } from "./handler.ts";
import { httpsEndpoint } from "./https.ts";
import type { Endpoint } from "./webhooks.ts";

/** Starts a server on a free port. */
async function startEndpoint(handler: WebhookHandler): Promise<{ endpoint: Endpoint; port: number }> {
  const now = new Date();
  const authority = createAuthority({ commonName: "test", now, days: 1 });
  const serving = authority.issue({
    ...validFor({ now, days: 1 }),
    commonName: "test",
    dnsNames: ["localhost"],
    usages: ["server"],
  });
  let port = 0;
  const open = httpsEndpoint(async (server) => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    ({ port } = server.address() as AddressInfo);
    return { by: "url", url: "https://localhost" };
  });
  const endpoint = await open(handler);
  endpoint.use(serving);
  return { endpoint, port };
}

for (const [path, mebibytes, expected] of [
  ["/validate-example-com-v1-disk", 6, 200],
  ["/validate-example-com-v1-disk", 8, 413],
  ["/nowhere", 8, 413],
  ["/convert", 8, 200],
] as const) {
  test(`a body of ${mebibytes} MiB at ${path} gets status ${expected}`, async () => {
    const { endpoint, port } = await startEndpoint(async () => new Response("ok"));
    await using _closed = endpoint;
    const bytes = mebibytes * 1024 * 1024;
    const headers = { "content-length": bytes };
    const options = { port, host: "127.0.0.1", path, method: "POST", headers, rejectUnauthorized: false };
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const sent = request(options, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.on("error", reject);
      // A body that is too large is rejected by its length alone, before any of it arrives.
      if (expected === 413) sent.flushHeaders();
      else sent.end(Buffer.alloc(bytes));
    });
    assert.equal(status, expected);
  });
}

test("a closing server waits for pending responses, and for no other connection", async () => {
  const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<Response>()];
  const { endpoint, port } = await startEndpoint(() => {
    asked.resolve();
    return answer.promise;
  });

  // A connection without a request: Go's client keeps such connections when it dialled two and needed one.
  const silent = connect({ port, host: "127.0.0.1", rejectUnauthorized: false });
  silent.on("error", () => undefined);
  await once(silent, "secureConnect");
  const waiting = new Promise<number | undefined>((resolve, reject) => {
    get(`https://127.0.0.1:${port}/`, { rejectUnauthorized: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on("error", reject);
  });
  await asked.promise;

  const closed = endpoint[Symbol.asyncDispose]();
  silent.resume();
  await once(silent, "close");
  answer.resolve(new Response("at last", { status: 202 }));
  assert.equal(await waiting, 202);
  await closed;
});

test("a call is aborted when its caller disconnects", async () => {
  const begun = Promise.withResolvers<void>();
  const hungUp = Promise.withResolvers<void>();
  const { endpoint, port } = await startEndpoint(async ({ signal }) => {
    signal.addEventListener("abort", () => hungUp.resolve());
    begun.resolve();
    await hungUp.promise;
    return new Response("nobody hears it");
  });
  await using _closed = endpoint;
  const call = request({ port, host: "127.0.0.1", path: "/x", method: "POST", rejectUnauthorized: false });
  call.on("error", () => undefined);
  call.end("{}");
  await begun.promise;
  call.destroy();
  await hungUp.promise;
});
