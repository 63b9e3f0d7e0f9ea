/** Commands in containers, over WebSocket, where every message begins with the number of its channel, or over SPDY, a stream each. */
import type { Duplex } from "node:stream";
import { channels } from "../linux/protocol.ts";
import { createFrameCutter, toFrame } from "../linux/frames.ts";
import type { Doors } from "../runtime/runtime.ts";
import { takenOver, type KubeletAnswer, type KubeletCall } from "./call.ts";
import { acceptSpdy, isSpdy } from "./spdy/accept.ts";
import { serveSpdy, type SpdyStream } from "./spdy/session.ts";
import { acceptSocket, bytesOf } from "./web-socket.ts";

/** What to connect to what. */
export interface StreamRequest {
  readonly id: string;
  readonly query: URLSearchParams;
  readonly call: KubeletCall;
  readonly doors: Doors;
}

/** Version 5 can also tell that a stream ends. */
const protocols = ["v5.channel.k8s.io", "v4.channel.k8s.io"];

/** Connects a client with a command, or with what a container says and hears. */
export async function serveStreams(verb: "exec" | "attach", request: StreamRequest): Promise<KubeletAnswer> {
  const { query, call, doors, id } = request;
  const asked = (name: string): boolean => query.get(name) === "1" || query.get(name) === "true";
  const stdin = asked("input");
  const openInner = (): Duplex =>
    verb === "exec" ? doors.openExec(id, query.getAll("command"), stdin, asked("tty")) : doors.openAttach(id, stdin);
  if (isSpdy(call)) {
    const wanted = ["error", ...(stdin ? ["stdin"] : []), ...(asked("output") ? ["stdout"] : [])];
    if (asked("error") && !asked("tty")) wanted.push("stderr");
    serveSpdyStreams(acceptSpdy(call, ["v5.channel.k8s.io", "v4.channel.k8s.io"]), wanted, openInner);
    return takenOver;
  }
  const { socket } = await acceptSocket(call, protocols);
  const inner = openInner();
  const send = (channel: number, bytes: Uint8Array): void => socket.send(Buffer.concat([Buffer.of(channel), bytes]));
  const cut = createFrameCutter();
  // The client waits for one message on each channel before it takes the streams for open.
  for (const channel of [channels.stdout, channels.stderr]) send(channel, Buffer.alloc(0));
  inner.on("data", (chunk: Buffer) => {
    for (const { channel, bytes } of cut(chunk)) send(channel, channel === channels.exit ? statusOf(bytes) : bytes);
  });
  inner.on("error", () => socket.close());
  inner.on("end", () => socket.close(1000));
  socket.on("message", (data) => {
    const message = bytesOf(data);
    const [channel] = message;
    if (channel === channels.stdin) inner.write(toFrame(channels.stdin, message.subarray(1)));
    if (channel === channels.closeStdin && message[1] === channels.stdin)
      inner.write(toFrame(channels.closeStdin, Buffer.alloc(0)));
  });
  socket.on("error", () => {});
  socket.on("close", () => inner.destroy());
  return takenOver;
}

/** Begins when the client has opened all the streams that it asked for. */
function serveSpdyStreams(connection: Duplex, wanted: readonly string[], openInner: () => Duplex): void {
  const streams = new Map<string, SpdyStream>();
  let hasBegun = false;
  serveSpdy(connection, (stream) => {
    streams.set(stream.headers.get("streamtype") ?? "", stream);
    if (hasBegun || !wanted.every((name) => streams.has(name))) return;
    hasBegun = true;
    joinStreams(connection, streams, openInner());
  });
}

function joinStreams(connection: Duplex, streams: ReadonlyMap<string, SpdyStream>, inner: Duplex): void {
  const cut = createFrameCutter();
  const names = new Map<number, string>([
    [channels.stdout, "stdout"],
    [channels.stderr, "stderr"],
    [channels.exit, "error"],
  ]);
  inner.on("data", (chunk: Buffer) => {
    for (const { channel, bytes } of cut(chunk))
      streams.get(names.get(channel) ?? "")?.write(channel === channels.exit ? statusOf(bytes) : bytes);
  });
  streams.get("stdin")?.listen((bytes) => {
    inner.write(bytes === undefined ? toFrame(channels.closeStdin, Buffer.alloc(0)) : toFrame(channels.stdin, bytes));
  });
  inner.on("error", () => {});
  inner.once("end", () => {
    for (const name of ["stdout", "stderr", "error"]) streams.get(name)?.end();
  });
  connection.once("close", () => inner.destroy());
}

/** How a command ended, as a Status: its code is among the causes. */
function statusOf(bytes: Buffer): Buffer {
  const { code, error } = JSON.parse(bytes.toString("utf8")) as {
    readonly code?: number | null;
    readonly error?: string;
  };
  if (code === 0) return toJson({ metadata: {}, status: "Success" });
  if (error !== undefined)
    return toJson({ metadata: {}, status: "Failure", reason: "InternalError", message: error, code: 500 });
  const exitCode = code ?? 137;
  return toJson({
    metadata: {},
    status: "Failure",
    message: `command terminated with non-zero exit code: exit status ${exitCode}`,
    reason: "NonZeroExitCode",
    details: { causes: [{ reason: "ExitCode", message: String(exitCode) }] },
  });
}

function toJson(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}
