/** A call whose time is over, as the member sees it: it ends the call without a word, maybe before our own clock does. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { constants, createServer } from "node:http2";
import type { Http2Session } from "node:http2";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { connectEtcd } from "../../src/etcd/index.ts";

/** A member that does the same with every call. */
async function serve(end: (close: (code: number) => void, session: Http2Session | undefined) => void) {
  const server = createServer();
  server.on("stream", (stream) => {
    stream.on("error", () => {});
    end((code) => stream.close(code), stream.session);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { endpoint: `http://127.0.0.1:${port}`, [Symbol.dispose]: () => void server.close() };
}

test("a call that the member cancels is one whose time is over, where it has a limit of time", async () => {
  using member = await serve((close) => close(constants.NGHTTP2_CANCEL));
  await using client = connectEtcd({ endpoint: member.endpoint });
  await assert.rejects(client.kv.get("a", { timeoutMs: 60_000 }), { code: "Deadline", maybeDone: true });
});

test("a connection that ends in the middle of a call is no end of its time", async () => {
  using member = await serve((_, session) => session?.destroy());
  await using client = connectEtcd({ endpoint: member.endpoint });
  await assert.rejects(client.kv.get("a", { timeoutMs: 60_000 }), { code: "Unreachable", maybeDone: true });
});
