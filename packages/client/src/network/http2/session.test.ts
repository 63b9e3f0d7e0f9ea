import assert from "node:assert/strict";
import { once } from "node:events";
import { constants, createServer } from "node:http2";
import type { Http2Server, ServerHttp2Session, ServerHttp2Stream } from "node:http2";
import { connect, createServer as createTcpServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { test } from "node:test";
import { ConnectionError } from "../../error/connection-error.ts";
import { systemClock } from "../../host/clock.ts";
import type { TransportRequest } from "../../transport/transport.ts";
import type { Connection } from "../connection.ts";
import { openHttp2Connection } from "../http2.ts";
import { flag, frameType, toFrame, toNumberFrame, toSettings } from "./frame.ts";

type Answer = (stream: ServerHttp2Stream, headers: Record<string, unknown>) => void;

const get = (path: string, more: Partial<TransportRequest> = {}): TransportRequest => ({
  method: "GET",
  path,
  headers: { accept: "application/json" },
  ...more,
});

async function connected(port: number): Promise<Connection> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  const server = new URL(`http://127.0.0.1:${port}`);
  return openHttp2Connection(socket, { server, tls: async () => ({}), clock: systemClock }, () => {});
}

/** Node's HTTP/2 server (nghttp2), an independent implementation of the specification. */
async function serving(
  answer: Answer,
  run: (connection: Connection, server: Http2Server) => Promise<void>,
): Promise<void> {
  const server = createServer({ settings: { maxConcurrentStreams: 50 } });
  const sessions = new Set<ServerHttp2Session>();
  server.on("session", (session) => sessions.add(session));
  server.on("stream", (stream, headers) => {
    stream.on("error", () => {});
    answer(stream, headers);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const connection = await connected((server.address() as AddressInfo).port);
  try {
    await run(connection, server);
  } finally {
    connection.destroy();
    for (const session of sessions) session.destroy();
    server.close();
  }
}

test("concurrent requests each get their own response", async () => {
  await serving(
    (stream, headers) => {
      stream.respond({ ":status": 200, "x-path": String(headers[":path"]) });
      stream.end(JSON.stringify({ path: headers[":path"], agent: headers["user-agent"] }));
    },
    async (connection) => {
      const ask = async (at: number): Promise<void> => {
        const request = get(`/object/${at}`, {
          headers: { accept: "application/json", "user-agent": `agent ${at % 3}` },
        });
        const { status, headers, body } = await connection.request(request);
        assert.equal(status, 200);
        assert.equal(headers["x-path"], `/object/${at}`);
        assert.deepEqual(await body.json(), { path: `/object/${at}`, agent: `agent ${at % 3}` });
      };
      for (let round = 0; round < 20; round += 1) await Promise.all(Array.from({ length: 40 }, (_, at) => ask(at)));
    },
  );
});

test("bodies larger than every window pass unchanged in both directions", async () => {
  const large = Buffer.alloc(9 * 1024 * 1024, "0123456789abcdef");
  await serving(
    (stream) => {
      stream.respond({ ":status": 200 });
      stream.pipe(stream);
    },
    async (connection) => {
      const [one, two] = await Promise.all(
        [large, large.subarray(0, 5_000_001)].map(async (body) => {
          const answer = await connection.request(get("/echo", { method: "POST", body }));
          return answer.body.bytes();
        }),
      );
      assert.ok(large.equals(one ?? Buffer.alloc(0)));
      assert.ok(large.subarray(0, 5_000_001).equals(two ?? Buffer.alloc(0)));
    },
  );
});

test("a stream is read as it arrives, and a slow or cancelled one blocks no other", async () => {
  const closed = Promise.withResolvers<number>();
  await serving(
    (stream, headers) => {
      stream.respond({ ":status": 200 });
      if (headers[":path"] === "/small") return void stream.end("done");
      stream.on("close", () => closed.resolve(stream.rstCode ?? -1));
      const block = Buffer.alloc(256 * 1024, "x");
      const more = (): void => {
        while (!stream.destroyed && stream.write(block));
      };
      stream.on("drain", more);
      more();
    },
    async (connection) => {
      const endless = await connection.request(get("/endless"));
      let seen = 0;
      for await (const chunk of endless.body) {
        seen += chunk.length;
        if (seen > 12 * 1024 * 1024) break;
      }
      assert.equal(await closed.promise, constants.NGHTTP2_CANCEL);
      const unread = await connection.request(get("/endless"));
      const small = await connection.request(get("/small"));
      assert.equal(await small.body.text(), "done");
      unread.body.cancel();
    },
  );
});

test("interim responses and trailers are skipped, and long headers arrive", async () => {
  const long = "y".repeat(40_000);
  await serving(
    (stream, headers) => {
      assert.equal(headers["x-long"], long);
      stream.additionalHeaders({ ":status": 103, link: "</a>" });
      stream.respond({ ":status": 201, "x-long": long, warning: '299 - "one"' }, { waitForTrailers: true });
      stream.on("wantTrailers", () => stream.sendTrailers({ "x-sum": "1" }));
      stream.end("text");
    },
    async (connection) => {
      const answer = await connection.request(get("/", { headers: { "x-long": long } }));
      assert.equal(answer.status, 201);
      assert.equal(answer.headers["x-long"], long);
      assert.equal(answer.headers["link"], undefined);
      assert.equal(await answer.body.text(), "text");
    },
  );
});

test("a reset says whether to retry, and an abort ends with its reason", async () => {
  await serving(
    (stream, headers) => {
      if (headers[":path"] === "/refused") stream.close(constants.NGHTTP2_REFUSED_STREAM);
      if (headers[":path"] === "/broken") stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    },
    async (connection) => {
      const failure = (path: string): Promise<unknown> =>
        connection.request(get(path)).catch((error: unknown) => error);
      const [refused, broken] = await Promise.all([failure("/refused"), failure("/broken")]);
      assert.ok(refused instanceof ConnectionError && !refused.sent);
      assert.ok(broken instanceof ConnectionError && broken.sent);
      const abort = new AbortController();
      const waiting = connection.request(get("/never", { signal: abort.signal }));
      abort.abort(new Error("enough"));
      await assert.rejects(waiting, /enough/);
    },
  );
});

test("GOAWAY lets running requests finish, and a lost connection fails them", async () => {
  const held: ServerHttp2Stream[] = [];
  await serving(
    (stream) => {
      held.push(stream);
      stream.respond({ ":status": 200 });
      stream.write("first ");
    },
    async (connection) => {
      const [one, two] = await Promise.all([connection.request(get("/one")), connection.request(get("/two"))]);
      held[0]?.session?.goaway();
      held[0]?.end("last");
      assert.equal(await one.body.text(), "first last");
      assert.equal(connection.isUsable(), false);
      await assert.rejects(
        connection.request(get("/three")),
        (error) => error instanceof ConnectionError && !error.sent,
      );
      held[1]?.session?.destroy();
      await assert.rejects(two.body.text(), (error) => error instanceof ConnectionError && error.sent);
    },
  );
});

/** A scripted server, to test reactions. */
async function speaking(
  speak: (socket: Socket) => void,
  run: (connection: Connection) => Promise<void>,
): Promise<void> {
  const server = createTcpServer((socket) => {
    socket.on("error", () => {});
    socket.resume();
    socket.write(toSettings([]));
    speak(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const connection = await connected((server.address() as AddressInfo).port);
  try {
    await run(connection);
  } finally {
    connection.destroy();
    server.close();
  }
}

test("a protocol violation closes the connection and fails its requests", async () => {
  const wrongs = [
    toFrame(frameType.headers, flag.endHeaders, 1, Buffer.from("ff", "hex")),
    toFrame(frameType.continuation, flag.endHeaders, 1, Buffer.alloc(1)),
    Buffer.concat([
      toFrame(frameType.headers, 0, 1, Buffer.from("88", "hex")),
      toNumberFrame(frameType.windowUpdate, 0, 1),
    ]),
    toFrame(frameType.pushPromise, flag.endHeaders, 1, Buffer.alloc(8)),
    toFrame(frameType.settings, 0, 0, Buffer.alloc(5)),
    toFrame(frameType.data, flag.padded, 1, Buffer.from([9, 1])),
    Buffer.from("ffffff000000000001", "hex"),
  ];
  for (const wrong of wrongs) {
    await speaking(
      (socket) => socket.on("data", () => socket.write(wrong)),
      async (connection) => {
        await assert.rejects(connection.request(get("/")), ConnectionError, wrong.toString("hex"));
        assert.equal(connection.isUsable(), false);
      },
    );
  }
});

test("a truncated response is an error", async () => {
  const half = Buffer.concat([
    toFrame(frameType.headers, flag.endHeaders, 1, Buffer.from("88", "hex")),
    toFrame(frameType.data, 0, 1, Buffer.from("half")),
    toNumberFrame(frameType.reset, 1, constants.NGHTTP2_INTERNAL_ERROR),
  ]);
  await speaking(
    (socket) => socket.on("data", () => socket.write(half)),
    async (connection) => {
      const { body } = await connection.request(get("/"));
      await assert.rejects(body.bytes(), (error) => error instanceof ConnectionError && error.sent);
    },
  );
});
