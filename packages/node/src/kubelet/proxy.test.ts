import assert from "node:assert/strict";
import { duplexPair } from "node:stream";
import { test } from "node:test";
import { proxyTo } from "./proxy.ts";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The pod's end of a connection, and the response of the proxy. */
function ask({ path = "/" }: { readonly path?: string } = {}) {
  const [pod, connection] = duplexPair();
  const abort = new AbortController();
  const call = { method: "GET", headers: {}, body: async () => new Uint8Array(), signal: abort.signal };
  const answer = proxyTo({ connect: async () => connection, isSecure: false, path, call });
  return { pod, connection, abort, answer };
}

test("the connection to a pod ends when its client leaves before the response", async () => {
  const { pod, connection, abort, answer } = ask();
  pod.resume();
  for (let turns = 0; turns < 10; turns++) await turn();
  abort.abort();
  await assert.rejects(answer);
  assert.equal(connection.destroyed, true);
});

test("a path that cannot be sent leaves no connection open", async () => {
  const { connection, answer } = ask({ path: "/a b" });
  await assert.rejects(answer, /unescaped/);
  assert.equal(connection.destroyed, true);
});

test("a pod waits while the client does not read", async () => {
  const { pod, connection, answer } = ask();
  pod.resume();
  pod.write("HTTP/1.1 200 OK\r\ncontent-length: 100000000\r\n\r\n");
  const { body } = await answer;
  assert.ok(typeof body === "function");
  let isFull = false;
  const taken = { bytes: 0 };
  const drained: (() => void)[] = [];
  const stop = body({
    write: (chunk) => {
      taken.bytes += chunk.length;
      isFull = taken.bytes >= 1 << 20;
    },
    get isFull() {
      return isFull;
    },
    whenDrained: (callback) => void drained.push(callback),
    end: () => {},
  });
  const part = Buffer.alloc(64 * 1024);
  for (let index = 0; index < 100; index++) {
    pod.write(part);
    await turn();
  }
  assert.ok(taken.bytes < 2 << 20, `${taken.bytes} bytes were taken`);
  isFull = false;
  taken.bytes = 0;
  drained.shift()?.();
  while (taken.bytes < 1 << 20) await turn();
  stop();
  assert.equal(connection.destroyed, true);
});
