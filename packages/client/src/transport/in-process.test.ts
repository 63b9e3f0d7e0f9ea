import assert from "node:assert/strict";
import { test } from "node:test";
import { isApiError } from "../error/api-error.ts";
import { inProcess } from "./in-process.ts";
import type { TransportRequest } from "./transport.ts";

const get: TransportRequest = { method: "GET", path: "/", headers: {} };
const reason = new Error("enough");

/** A body that sends one chunk and then nothing. */
const endless = (): Response =>
  new Response(new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from("x")) }));

test("an abort ends a request whose handler hangs, and a body that hangs", async () => {
  for (const handler of [() => new Promise<Response>(() => {}), endless]) {
    const abort = new AbortController();
    const reading = inProcess(handler)
      .request({ ...get, signal: abort.signal })
      .then(({ body }) => body.bytes());
    setImmediate(() => abort.abort(reason));
    await assert.rejects(reading, (error) => error === reason);
  }
});

test("the handler's signal aborts when the reader stops early", async () => {
  const signals: AbortSignal[] = [];
  const transport = inProcess((request) => {
    signals.push(request.signal);
    return endless();
  });
  const { body } = await transport.request(get);
  for await (const _chunk of body) break;
  assert.equal(signals[0]?.aborted, true);
});

test("a handler that throws counts as a lost connection", async () => {
  const transport = inProcess(() => {
    throw new Error("bug");
  });
  await assert.rejects(transport.request(get), (error) => isApiError(error, "ConnectionLost"));
});

test("a truncated body is an error", async () => {
  const transport = inProcess(() => {
    let first = true;
    return new Response(
      new ReadableStream({
        pull(controller) {
          if (first) controller.enqueue(Buffer.from("x"));
          else controller.error(new Error("cut"));
          first = false;
        },
      }),
    );
  });
  const { body } = await transport.request(get);
  await assert.rejects(body.bytes(), (error) => isApiError(error, "ConnectionLost"));
});
