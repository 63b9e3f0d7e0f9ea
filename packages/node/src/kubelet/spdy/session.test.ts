import assert from "node:assert/strict";
import { once } from "node:events";
import { duplexPair } from "node:stream";
import { test } from "node:test";
import { constants, createDeflate } from "node:zlib";
import { dictionary } from "./dictionary.ts";
import { serveSpdy, type SpdyStream } from "./session.ts";

/** What a client sends to open streams: compression goes on from one to the next. */
function clientFrames(): {
  open(id: number, headers: { [name: string]: string }): Promise<Buffer>;
  data(id: number, text: string, last: boolean): Buffer;
} {
  const deflate = createDeflate({ dictionary, flush: constants.Z_SYNC_FLUSH });
  const number = (value: number): Buffer => Buffer.from([value >>> 24, value >>> 16, value >>> 8, value]);
  const text = (value: string): Buffer => Buffer.concat([number(value.length), Buffer.from(value)]);
  return {
    async open(id, headers) {
      const entries = Object.entries(headers);
      deflate.write(
        Buffer.concat([number(entries.length), ...entries.flatMap(([name, value]) => [text(name), text(value)])]),
      );
      deflate.flush(constants.Z_SYNC_FLUSH);
      const [block] = (await once(deflate, "data")) as [Buffer];
      const payload = Buffer.concat([number(id), number(0), Buffer.alloc(2), block]);
      return Buffer.concat([Buffer.from([0x80, 3, 0, 1]), number(payload.length), payload]);
    },
    data: (id, value, last) =>
      Buffer.concat([number(id), number((last ? 1 << 24 : 0) | value.length), Buffer.from(value)]),
  };
}

test("streams are opened with their headers, answered, and carry data both ways", async () => {
  const [client, server] = duplexPair();
  const opened: SpdyStream[] = [];
  serveSpdy(server, (stream) => opened.push(stream));
  const replies: Buffer[] = [];
  client.on("data", (chunk: Buffer) => replies.push(chunk));
  const frames = clientFrames();
  client.write(await frames.open(1, { streamtype: "error", port: "80" }));
  client.write(
    Buffer.concat([await frames.open(3, { streamtype: "data", port: "80" }), frames.data(3, "hello", true)]),
  );
  while (opened.length < 2) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(
    opened.map(({ headers }) => headers.get("streamtype")),
    ["error", "data"],
  );
  const heard: (string | undefined)[] = [];
  opened[1]?.listen((bytes) => heard.push(bytes?.toString()));
  while (heard.length < 2) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(heard, ["hello", undefined]);
  opened[1]?.write(Buffer.from("back"));
  while (!Buffer.concat(replies).toString("latin1").endsWith("back"))
    await new Promise((resolve) => setImmediate(resolve));
  const [first] = replies;
  assert.deepEqual([...(first?.subarray(0, 4) ?? [])], [0x80, 3, 0, 2]);
});
