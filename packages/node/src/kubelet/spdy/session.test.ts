import assert from "node:assert/strict";
import { once } from "node:events";
import { duplexPair, type Duplex } from "node:stream";
import { test } from "node:test";
import { constants, createDeflate } from "node:zlib";
import { dictionary } from "./dictionary.ts";
import { LARGEST_CONTROL } from "./frames.ts";
import { LARGEST_BLOCK, MOST_FIELDS } from "./header-block.ts";
import { MOST_HEADERS, MOST_STREAMS, serveSpdy, type SpdyStream } from "./session.ts";
import { MOST_UNHEARD } from "./stream.ts";

const number = (value: number): Buffer => Buffer.from([value >>> 24, value >>> 16, value >>> 8, value]);
const text = (value: string): Buffer => Buffer.concat([number(value.length), Buffer.from(value)]);

/** The frames with which a client opens streams; the compression state carries over from one to the next. */
function clientFrames(): {
  open(id: number, headers: { [name: string]: string }): Promise<Buffer>;
  /** Opens a stream with a handwritten header block. */
  openWith(id: number, plain: Buffer): Promise<Buffer>;
  data(id: number, text: string, last: boolean): Buffer;
} {
  const deflate = createDeflate({ dictionary, flush: constants.Z_SYNC_FLUSH });
  const openWith = async (id: number, plain: Buffer): Promise<Buffer> => {
    const parts: Buffer[] = [];
    const take = (part: Buffer): void => void parts.push(part);
    deflate.on("data", take);
    deflate.write(plain);
    await new Promise<void>((resolve) => deflate.flush(constants.Z_SYNC_FLUSH, resolve));
    deflate.off("data", take);
    return control(1, Buffer.concat([number(id), number(0), Buffer.alloc(2), ...parts]));
  };
  return {
    openWith,
    open(id, headers) {
      const entries = Object.entries(headers).flatMap(([name, value]) => [text(name), text(value)]);
      return openWith(id, Buffer.concat([number(entries.length / 2), ...entries]));
    },
    data: (id, value, last) =>
      Buffer.concat([number(id), number((last ? 1 << 24 : 0) | value.length), Buffer.from(value)]),
  };
}

function control(type: number, payload: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x80, 3, 0, type]), number(payload.length), payload]);
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A server and the streams that it accepted; the client reads only when a test does. */
function served(): { client: Duplex; server: Duplex; opened: SpdyStream[] } {
  const [client, server] = duplexPair();
  const opened: SpdyStream[] = [];
  serveSpdy(server, (stream) => opened.push(stream));
  return { client, server, opened };
}

test("streams open with their headers, get a reply, and carry data both ways", async () => {
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

const hostile: { readonly [what: string]: () => Promise<Buffer> } = {
  "a header block that inflates to ten megabytes": () => clientFrames().openWith(1, Buffer.alloc(10 * 2 ** 20)),
  "a header block just over the bound": () => clientFrames().openWith(1, Buffer.alloc(LARGEST_BLOCK + 1)),
  "the announcement of a control frame of 16 MiB": async () => Buffer.from([0x80, 3, 0, 1, 0, 0xff, 0xff, 0xff]),
  "a control frame just over the bound": async () => control(4, Buffer.alloc(LARGEST_CONTROL + 1)).subarray(0, 8),
  "too many header fields": () => {
    const fields = Array.from({ length: MOST_FIELDS + 1 }, (_, index) => [text(`${index}`), text("")]).flat();
    return clientFrames().openWith(1, Buffer.concat([number(MOST_FIELDS + 1), ...fields]));
  },
  "more header fields than there are bytes": () => clientFrames().openWith(1, number(1)),
  "a header field that is longer than its block": () =>
    clientFrames().openWith(1, Buffer.concat([number(1), text("a"), number(0xffffffff)])),
  "a block that is not compressed": async () => control(1, Buffer.alloc(100, 0xff)),
  "a stream without a number": async () => control(1, Buffer.alloc(2)),
  "a reset without a stream": async () => control(3, Buffer.alloc(0)),
  "a number of a stream that was used": async () => {
    const frames = clientFrames();
    return Buffer.concat([await frames.open(3, {}), await frames.open(3, {})]);
  },
};

for (const [what, bytes] of Object.entries(hostile))
  test(`the connection ends after ${what}`, async () => {
    const { client, server, opened } = served();
    client.resume();
    const isClosed = once(server, "close");
    client.write(await bytes());
    await isClosed;
    assert.ok(opened.length <= 1);
    assert.equal(opened[0]?.headers.size ?? 0, 0);
  });

test("a header block within the bounds is read, and so is the next one", async () => {
  const { client, opened } = served();
  const frames = clientFrames();
  client.write(await frames.open(1, { long: "a".repeat(LARGEST_BLOCK - 1000) }));
  client.write(await frames.open(3, { streamtype: "data" }));
  while (opened.length < 2) await turn();
  assert.equal(opened[1]?.headers.get("streamtype"), "data");
});

test("streams over the limit are refused until others end on both sides", async () => {
  const { client, opened } = served();
  const replies: Buffer[] = [];
  client.on("data", (chunk: Buffer) => replies.push(chunk));
  const frames = clientFrames();
  const isRefused = (id: number): boolean =>
    Buffer.concat(replies).includes(Buffer.concat([Buffer.from([0x80, 3, 0, 3]), number(8), number(id), number(3)]));
  for (let index = 0; index < MOST_STREAMS; index++) {
    client.write(await frames.open(2 * index + 1, {}));
    // The client's end of a stream frees nothing: the server may still write.
    client.write(frames.data(2 * index + 1, "", true));
  }
  const next = 2 * MOST_STREAMS + 1;
  client.write(await frames.open(next, {}));
  while (!isRefused(next)) await turn();
  assert.equal(opened.length, MOST_STREAMS);
  opened[0]?.end();
  client.write(await frames.open(next + 2, {}));
  while (opened.length === MOST_STREAMS) await turn();
  assert.equal(isRefused(next + 2), false);
});

test("the headers of all open streams are bounded, and ended streams do not count", async () => {
  const { client, opened } = served();
  client.resume();
  const frames = clientFrames();
  const long = { long: "a".repeat(LARGEST_BLOCK - 1000) };
  for (let index = 0; index < 100; index++) client.write(await frames.open(2 * index + 1, long));
  client.write(await frames.open(301, { streamtype: "data" }));
  while (opened.at(-1)?.headers.get("streamtype") !== "data") await turn();
  const kept = opened.length - 1;
  assert.equal(kept, Math.floor(MOST_HEADERS / (LARGEST_BLOCK - 1000 + 68)));
  opened[0]?.reset();
  client.write(await frames.open(303, long));
  while (opened.length < kept + 2) await turn();
});

test("data passes as it arrives, whatever length its frame announces", async () => {
  const { client, opened } = served();
  client.write(await clientFrames().open(1, {}));
  while (opened.length === 0) await turn();
  const heard: (string | undefined)[] = [];
  opened[0]?.listen((bytes) => heard.push(bytes?.toString()));
  client.write(Buffer.concat([number(1), Buffer.from([1, 0xff, 0xff, 0xff]), Buffer.from("first")]));
  while (heard.length === 0) await turn();
  assert.deepEqual(heard, ["first"], "the end of the stream comes with the end of the frame");
});

test("a client that floods a stream without a reader is disconnected", async () => {
  const { client, server, opened } = served();
  client.resume();
  client.write(await clientFrames().open(1, {}));
  while (opened.length === 0) await turn();
  const isClosed = once(server, "close");
  client.write(clientFrames().data(1, "x".repeat(MOST_UNHEARD + 1), false));
  await isClosed;
});

test("a client waits for a stream that will be read, and nothing is lost", async () => {
  const { client, server, opened } = served();
  client.write(await clientFrames().open(1, {}));
  while (opened.length === 0) await turn();
  const [stream] = opened;
  stream?.expectListener();
  const part = clientFrames().data(1, "x".repeat(MOST_UNHEARD), false);
  for (let index = 0; index < 4; index++) client.write(part);
  while (!server.isPaused()) await turn();
  for (let turns = 0; turns < 20; turns++) await turn();
  assert.ok(client.writableLength > 0, "the client is held");
  const heard: Buffer[] = [];
  stream?.listen((bytes) => void (bytes && heard.push(bytes)));
  while (Buffer.concat(heard).length < 4 * MOST_UNHEARD) await turn();
  assert.equal(server.isPaused(), false);
});

test("a client is paused while any of its streams is paused", async () => {
  const { client, server, opened } = served();
  const frames = clientFrames();
  client.write(await frames.open(1, {}));
  client.write(await frames.open(3, {}));
  while (opened.length < 2 || server.isPaused()) await turn();
  const [first, second] = opened;
  for (const stream of [first, second, second]) stream?.pause();
  second?.resume();
  assert.equal(server.isPaused(), true);
  first?.resume();
  assert.equal(server.isPaused(), false);
});

test("a client that pings and does not read the replies is paused", async () => {
  const { client, server } = served();
  const pings = Buffer.concat(Array.from({ length: 1000 }, () => control(6, number(1))));
  for (let index = 0; index < 100; index++) client.write(pings);
  for (let turns = 0; turns < 200; turns++) await turn();
  assert.equal(server.isPaused(), true);
  assert.ok(server.writableLength < 20 * pings.length, `${server.writableLength} bytes of answers wait`);
  client.resume();
  while (client.writableLength > 0) await turn();
});
