import assert from "node:assert/strict";
import { test } from "node:test";
import { administrator, startApiServer } from "@capstan/apiserver";
import type { Answer } from "@capstan/apiserver";
import { isApiError } from "@capstan/client";
import type { TransportRequest } from "@capstan/client";
import { inProcessTransport } from "./in-process-transport.ts";

const get: TransportRequest = { method: "GET", path: "/", headers: {} };
const reason = new Error("enough");

/** A body that writes one chunk and then nothing; `isStopped` reports whether the reader stopped it. */
function endless(): { readonly answer: Answer; isStopped(): boolean } {
  let stopped = false;
  const body = (sink: { write(chunk: string): void }): (() => void) => {
    sink.write("x");
    return () => (stopped = true);
  };
  return { answer: { status: 200, headers: {}, body }, isStopped: () => stopped };
}

test("an abort ends a call whose handler hangs, and a body that hangs", async () => {
  const hanging = (): Promise<Answer> => new Promise(() => {});
  for (const handle of [hanging, async () => endless().answer]) {
    const abort = new AbortController();
    const reading = inProcessTransport(handle, administrator)
      .request({ ...get, signal: abort.signal })
      .then(({ body }) => body.bytes());
    setImmediate(() => abort.abort(reason));
    await assert.rejects(reading, (error) => error === reason);
  }
});

test("a body stops when its reader stops, and when it is never read", async () => {
  const read = endless();
  const { body } = await inProcessTransport(async () => read.answer, administrator).request(get);
  for await (const chunk of body) {
    assert.equal(Buffer.from(chunk).toString(), "x");
    break;
  }
  assert.equal(read.isStopped(), true);
  const unread = endless();
  const answer = await inProcessTransport(async () => unread.answer, administrator).request(get);
  answer.body.cancel();
  assert.equal(unread.isStopped(), true);
});

test("a live body is read to its end, including chunks written before the first read", async () => {
  const answer: Answer = {
    status: 200,
    headers: {},
    body: (sink) => {
      sink.write("a");
      setImmediate(() => {
        sink.write("b");
        sink.end();
      });
      return () => {};
    },
  };
  const { body } = await inProcessTransport(async () => answer, administrator).request(get);
  assert.equal(await body.text(), "ab");
});

test("a chunk that is written at any step of a read is delivered without another one", async () => {
  for (let steps = 0; steps < 30; steps++) {
    let write = (_chunk: string): void => {};
    const body = (sink: { write(chunk: string): void }): (() => void) => {
      write = (chunk) => sink.write(chunk);
      return () => {};
    };
    const transport = inProcessTransport(async () => ({ status: 200, headers: {}, body }), administrator);
    const answer = await transport.request(get);
    const read = answer.body[Symbol.asyncIterator]().next();
    for (let step = 0; step < steps; step++) await Promise.resolve();
    write("x");
    // All promise reactions come before the next turn of the event loop.
    const turn = new Promise<"stuck">((resolve) => setImmediate(() => resolve("stuck")));
    const seen = await Promise.race([read, turn]);
    answer.body.cancel();
    assert.notEqual(seen, "stuck", `written after ${steps} steps`);
  }
});

test("a handler that throws counts as a lost connection", async () => {
  const transport = inProcessTransport(() => Promise.reject(new Error("bug")), administrator);
  await assert.rejects(transport.request(get), (error) => isApiError(error, "ConnectionLost"));
});

test("authentication and the body limit are the same as over HTTP", async () => {
  await using server = await startApiServer();
  const transport = inProcessTransport(server.handle, administrator);
  const ask = async (request: TransportRequest): Promise<readonly [number, unknown]> => {
    const { status, body } = await transport.request(request);
    return [status, await body.json()];
  };
  const byFetch = async ({ method, path, headers, body }: TransportRequest): Promise<readonly [number, unknown]> => {
    const sent = {
      method,
      headers: headers as { [name: string]: string },
      ...(body !== undefined && { body: String(body) }),
    };
    const response = await server.fetch(new Request(`http://server${path}`, sent));
    return [response.status, await response.json()];
  };
  const wrong = { ...get, path: "/api/v1/namespaces", headers: { authorization: "Bearer wrong" } };
  const long = {
    method: "POST",
    path: "/api/v1/namespaces",
    headers: { "content-type": "application/json" },
    body: " ".repeat(3 * 1024 * 1024 + 1),
  };
  for (const request of [wrong, long, { ...get, path: "/api/v1/namespaces/none" }, { ...long, body: "{" }])
    assert.deepEqual(await ask(request), await byFetch(request));
  assert.equal((await ask({ ...get, path: "/api/v1/namespaces" }))[0], 200);
  assert.equal((await ask(wrong))[0], 401);
});
