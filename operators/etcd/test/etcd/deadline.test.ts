/** A call past its deadline, as the member sees it: the member ends the call without a status, maybe before the client's timer. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { constants, createServer } from "node:http2";
import type { Http2Session } from "node:http2";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { connectEtcd } from "../../src/etcd/index.ts";

/** A member that handles every call in the same way. */
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

test("a call with a deadline that the member cancels fails as timed out", async () => {
  using member = await serve((close) => close(constants.NGHTTP2_CANCEL));
  await using client = connectEtcd({ endpoint: member.endpoint });
  await assert.rejects(client.kv.get("a", { timeoutMs: 60_000 }), { code: "Deadline", maybeDone: true });
});

test("a connection that ends during a call is not a timeout", async () => {
  using member = await serve((_, session) => session?.destroy());
  await using client = connectEtcd({ endpoint: member.endpoint });
  await assert.rejects(client.kv.get("a", { timeoutMs: 60_000 }), { code: "Unreachable", maybeDone: true });
});
