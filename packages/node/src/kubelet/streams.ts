/** Commands in containers over WebSocket: every message begins with the number of its channel. */
import { channels } from "../linux/protocol.ts";
import { createFrameCutter, toFrame } from "../linux/frames.ts";
import type { Doors } from "../runtime/runtime.ts";
import { takenOver, type KubeletAnswer, type KubeletCall } from "./call.ts";
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
  const { socket } = await acceptSocket(call, protocols);
  const inner =
    verb === "exec" ? doors.openExec(id, query.getAll("command"), stdin, asked("tty")) : doors.openAttach(id, stdin);
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
