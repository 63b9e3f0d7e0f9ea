/** Exec and attach over WebSocket, where every message begins with its channel number, or over SPDY, with one stream for each channel. */
import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import { sendHolding, writeHolding } from "../linux/flow.ts";
import { toFrame } from "../linux/frames.ts";
import { channels } from "../linux/protocol.ts";
import type { StreamingRuntime } from "../runtime/runtime.ts";
import { takenOver, type KubeletAnswer, type KubeletCall } from "./call.ts";
import { channelProtocols, fromMessage, toMessage, type ChannelProtocol } from "./channels.ts";
import { hearCommand, openCommand } from "./command-stream.ts";
import { toStatus, toWords } from "./ending.ts";
import { acceptSpdy, isSpdy } from "./spdy/accept.ts";
import { serveSpdy, type SpdyStream } from "./spdy/session.ts";
import { acceptSocket, bytesOf } from "./web-socket.ts";

/** The container and the client to connect. */
export interface StreamRequest {
  readonly id: string;
  readonly query: URLSearchParams;
  readonly call: KubeletCall;
  readonly streaming: StreamingRuntime;
}

/** Connects a client with a command, or with the streams of a container. */
export async function serveStreams(verb: "exec" | "attach", request: StreamRequest): Promise<KubeletAnswer> {
  const { query, call, streaming, id } = request;
  const asked = (name: string): boolean => query.get(name) === "1" || query.get(name) === "true";
  const stdin = asked("input");
  const command = query.getAll("command");
  const openInner = (): Duplex =>
    openCommand(() =>
      verb === "exec" ? streaming.openExec(id, command, stdin, asked("tty")) : streaming.openAttach(id, stdin),
    );
  if (isSpdy(call)) {
    const wanted = ["error", ...(stdin ? ["stdin"] : []), ...(asked("output") ? ["stdout"] : [])];
    if (asked("error") && !asked("tty")) wanted.push("stderr");
    if (asked("tty")) wanted.push("resize");
    const connection = acceptSpdy(call, ["v5.channel.k8s.io", "v4.channel.k8s.io"]);
    serveSpdyStreams(connection, { wanted, command }, openInner);
    return takenOver;
  }
  const { socket, protocol } = await acceptSocket(call, [...channelProtocols.keys()]);
  const known = channelProtocols.get(protocol) ?? { encoding: "bytes", ending: "status" };
  // With a terminal, all output goes over one channel.
  const opened = asked("tty") ? [channels.stdout] : [channels.stdout, channels.stderr];
  joinSocket(socket, { protocol: known, opened, command }, openInner());
  return takenOver;
}

interface Joining {
  readonly protocol: ChannelProtocol;
  readonly opened: readonly number[];
  readonly command: readonly string[];
}

function joinSocket(socket: WebSocket, { protocol, opened, command }: Joining, inner: Duplex): void {
  const sendBytes = sendHolding((bytes, sent) => {
    const [channel = 0] = bytes;
    socket.send(toMessage(channel, bytes.subarray(1), protocol), sent);
  }, inner);
  const send = (channel: number, bytes: Uint8Array): void => sendBytes(Buffer.concat([Buffer.of(channel), bytes]));
  // The client waits for one message on each channel before it considers the streams open.
  for (const channel of opened) send(channel, Buffer.alloc(0));
  const tellEnding = protocol.ending === "status" ? toStatus : toWords;
  const leave = hearCommand(inner, {
    take: (channel, bytes) => send(channel, channel === channels.exit ? tellEnding(bytes, command) : bytes),
    ended: () => socket.close(1000),
  });
  socket.on("message", (data) => {
    const { channel, bytes } = fromMessage(bytesOf(data), protocol);
    if (channel === channels.stdin || channel === channels.resize)
      writeHolding(inner, toFrame(channel, bytes), [socket]);
    if (channel === channels.closeStdin && bytes[0] === channels.stdin)
      writeHolding(inner, toFrame(channels.closeStdin, Buffer.alloc(0)), [socket]);
  });
  socket.on("close", leave);
}

/** The streams that the client writes to. */
const isRead: ReadonlySet<string> = new Set(["stdin", "resize"]);

/** Starts when the client has opened all streams that it requested. */
function serveSpdyStreams(
  connection: Duplex,
  { wanted, command }: { readonly wanted: readonly string[]; readonly command: readonly string[] },
  openInner: () => Duplex,
): void {
  const streams = new Map<string, SpdyStream>();
  let hasBegun = false;
  serveSpdy(connection, (stream) => {
    const name = stream.headers.get("streamtype") ?? "";
    if (streams.has(name)) return stream.reset();
    // Data on a stream without a reader is dropped.
    if (!wanted.includes(name) || !isRead.has(name)) stream.listen(() => {});
    if (!wanted.includes(name)) return;
    streams.set(name, stream);
    if (hasBegun || !wanted.every((name) => streams.has(name))) return;
    hasBegun = true;
    joinStreams(connection, { streams, command }, openInner());
  });
}

interface OpenStreams {
  readonly streams: ReadonlyMap<string, SpdyStream>;
  readonly command: readonly string[];
}

function joinStreams(connection: Duplex, { streams, command }: OpenStreams, inner: Duplex): void {
  const names = new Map<number, string>([
    [channels.stdout, "stdout"],
    [channels.stderr, "stderr"],
    [channels.exit, "error"],
  ]);
  const leave = hearCommand(inner, {
    take: (channel, bytes) =>
      streams
        .get(names.get(channel) ?? "")
        ?.write(channel === channels.exit ? toStatus(bytes, command) : bytes, [inner]),
    ended() {
      for (const name of ["stdout", "stderr", "error"]) streams.get(name)?.end();
    },
  });
  const [stdin, resize] = [streams.get("stdin"), streams.get("resize")];
  stdin?.listen((bytes) => {
    const frame = bytes === undefined ? toFrame(channels.closeStdin, Buffer.alloc(0)) : toFrame(channels.stdin, bytes);
    writeHolding(inner, frame, [stdin]);
  });
  resize?.listen((bytes) => {
    if (bytes !== undefined) writeHolding(inner, toFrame(channels.resize, bytes), [resize]);
  });
  connection.once("close", leave);
}
