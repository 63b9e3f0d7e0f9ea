/** Commands in containers, over WebSocket, where every message begins with the number of its channel, or over SPDY, a stream each. */
import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import { createFrameCutter, toFrame } from "../linux/frames.ts";
import { channels } from "../linux/protocol.ts";
import type { Doors } from "../runtime/runtime.ts";
import { takenOver, type KubeletAnswer, type KubeletCall } from "./call.ts";
import { channelProtocols, fromMessage, toMessage, type ChannelProtocol } from "./channels.ts";
import { toStatus, toWords } from "./ending.ts";
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
    if (asked("tty")) wanted.push("resize");
    serveSpdyStreams(acceptSpdy(call, ["v5.channel.k8s.io", "v4.channel.k8s.io"]), wanted, openInner);
    return takenOver;
  }
  const { socket, protocol } = await acceptSocket(call, [...channelProtocols.keys()]);
  joinSocket(socket, channelProtocols.get(protocol) ?? { encoding: "bytes", ending: "status" }, openInner());
  return takenOver;
}

function joinSocket(socket: WebSocket, protocol: ChannelProtocol, inner: Duplex): void {
  const send = (channel: number, bytes: Uint8Array): void => socket.send(toMessage(channel, bytes, protocol));
  const cut = createFrameCutter();
  // The client waits for one message on each channel before it takes the streams for open.
  for (const channel of [channels.stdout, channels.stderr]) send(channel, Buffer.alloc(0));
  const tellEnding = protocol.ending === "status" ? toStatus : toWords;
  inner.on("data", (chunk: Buffer) => {
    for (const { channel, bytes } of cut(chunk)) send(channel, channel === channels.exit ? tellEnding(bytes) : bytes);
  });
  inner.on("error", () => socket.close());
  inner.on("end", () => socket.close(1000));
  socket.on("message", (data) => {
    const { channel, bytes } = fromMessage(bytesOf(data), protocol);
    if (channel === channels.stdin || channel === channels.resize) inner.write(toFrame(channel, bytes));
    if (channel === channels.closeStdin && bytes[0] === channels.stdin)
      inner.write(toFrame(channels.closeStdin, Buffer.alloc(0)));
  });
  socket.on("error", () => {});
  socket.on("close", () => inner.destroy());
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
      streams.get(names.get(channel) ?? "")?.write(channel === channels.exit ? toStatus(bytes) : bytes);
  });
  streams.get("stdin")?.listen((bytes) => {
    inner.write(bytes === undefined ? toFrame(channels.closeStdin, Buffer.alloc(0)) : toFrame(channels.stdin, bytes));
  });
  streams.get("resize")?.listen((bytes) => {
    if (bytes !== undefined) inner.write(toFrame(channels.resize, bytes));
  });
  inner.on("error", () => {});
  inner.once("end", () => {
    for (const name of ["stdout", "stderr", "error"]) streams.get(name)?.end();
  });
  connection.once("close", () => inner.destroy());
}
