import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough, type Duplex } from "node:stream";
import { test, type TestContext } from "node:test";
import { WebSocket } from "ws";
import { NodeError } from "../errors.ts";
import type { StreamingRuntime } from "../runtime/runtime.ts";
import { serveStreams } from "./streams.ts";
import { bytesOf, LARGEST_MESSAGE } from "./web-socket.ts";

/** Connects a client of `exec` to a command that is opened with `openExec`. */
async function connect(t: TestContext, openExec: () => Duplex): Promise<WebSocket> {
  const unused = (): never => assert.fail("nobody asks for this");
  const streaming: StreamingRuntime = {
    openExec,
    openAttach: unused,
    openPort: unused,
    logFile: unused,
    usage: unused,
  };
  const server = createServer().on("upgrade", ({ method = "GET", headers }, connection) => {
    const body = (): Promise<Uint8Array> => Promise.resolve(new Uint8Array());
    const { signal } = new AbortController();
    const call = { method, headers, body, signal, upgrade: () => connection };
    const query = new URLSearchParams({ command: "true", output: "1" });
    serveStreams("exec", { id: "one", query, call, streaming }).catch(() => connection.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  return new WebSocket(`ws://127.0.0.1:${port}/`, ["v5.channel.k8s.io"]);
}

/** The Status that a client of `exec` receives over the error channel. */
async function statusOf(t: TestContext, openExec: () => Duplex): Promise<{ readonly [key: string]: unknown }> {
  const socket = await connect(t, openExec);
  const errors: Buffer[] = [];
  socket.on("message", (data) => {
    const [channel, ...rest] = bytesOf(data);
    if (channel === 3) errors.push(Buffer.from(rest));
  });
  await once(socket, "close");
  return JSON.parse(Buffer.concat(errors).toString("utf8")) as { readonly [key: string]: unknown };
}

test("a command that is gone after the upgrade ends with a framed Status", async (t) => {
  const status = await statusOf(t, () => {
    throw new NodeError("NotFound", "container one is not running");
  });
  assert.equal(status["status"], "Failure");
  assert.equal(status["message"], "Internal error occurred: container one is not running");
});

test("a connection that ends without an exit status counts as a failure", async (t) => {
  const lost = "Internal error occurred: the connection to the command was lost before its end";
  const silent = await statusOf(t, () => new PassThrough().end());
  assert.deepEqual([silent["status"], silent["message"]], ["Failure", lost]);
  const broken = await statusOf(t, () => new PassThrough().destroy(new Error("broken")));
  assert.deepEqual([broken["status"], broken["message"]], ["Failure", lost]);
});

test("oversized or overly fragmented messages end the connection", async (t) => {
  const closedWith = async (send: (socket: WebSocket) => void): Promise<unknown> => {
    const socket = await connect(t, () => new PassThrough());
    socket.on("error", () => {});
    await once(socket, "open");
    const closed = once(socket, "close");
    send(socket);
    const [code] = await closed;
    return code;
  };
  const tooLarge = Buffer.alloc(LARGEST_MESSAGE + 1);
  assert.equal(await closedWith((socket) => socket.send(tooLarge)), 1009);
  const fragments = (socket: WebSocket): void => {
    for (let index = 0; index < 5000; index++) socket.send(Buffer.of(0), { fin: false });
  };
  assert.equal(await closedWith(fragments), 1008);
});
