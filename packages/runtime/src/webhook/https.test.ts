import assert from "node:assert/strict";
import { once } from "node:events";
import { get } from "node:https";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { connect } from "node:tls";
import { createAuthority, validFor } from "@capstan/pki";
import { httpsDoor } from "./https.ts";

test("a closing door waits for answers that are on their way, and for nobody else", async () => {
  const now = new Date();
  const authority = createAuthority({ commonName: "test", now, days: 1 });
  const serving = authority.issue({
    ...validFor({ now, days: 1 }),
    commonName: "test",
    dnsNames: ["localhost"],
    usages: ["server"],
  });
  const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<Response>()];
  let port = 0;
  const open = httpsDoor(async (server) => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    ({ port } = server.address() as AddressInfo);
    return { by: "url", url: "https://localhost" };
  });
  const door = await open(() => {
    asked.resolve();
    return answer.promise;
  });
  door.use(serving);

  // One that never asks anything: Go's client keeps such connections when it dialled two and needed one.
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

  const closed = door[Symbol.asyncDispose]();
  silent.resume();
  await once(silent, "close");
  answer.resolve(new Response("at last", { status: 202 }));
  assert.equal(await waiting, 202);
  await closed;
});
