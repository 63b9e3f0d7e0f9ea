/** Port-forward over WebSocket: two channels for each port, one for data and one for errors. */
import type { Duplex } from "node:stream";
import { createWebSocketStream, type WebSocket } from "ws";
import { NodeError } from "../errors.ts";
import { sendHolding, writeHolding } from "../linux/flow.ts";
import type { StreamingRuntime, Sandbox } from "../runtime/runtime.ts";
import { takenOver, type KubeletAnswer, type KubeletCall } from "./call.ts";
import { createHolds } from "./holds.ts";
import { forwardStreams } from "./port-streams.ts";
import { acceptSpdy, isSpdy } from "./spdy/accept.ts";
import { acceptSocket, bytesOf, offeredProtocols } from "./web-socket.ts";

/** Which ports of which pod, and the client's request. */
export interface ForwardRequest {
  readonly query: URLSearchParams;
  readonly call: KubeletCall;
  readonly streaming: StreamingRuntime;
}

/** The first one carries SPDY in its messages, and names the ports in there. */
const tunnel = "SPDY/3.1+portforward.k8s.io";
const protocols = [tunnel, "v4.channel.k8s.io"];

/** A channel is one byte, and a port has two. */
const mostPorts = 128;

/** Connects a client with ports of a pod, over whichever protocol it asks for. */
export async function forwardPorts(
  sandbox: Sandbox,
  { query, call, streaming }: ForwardRequest,
): Promise<KubeletAnswer> {
  if (isSpdy(call)) {
    forwardStreams(acceptSpdy(call, ["portforward.k8s.io"]), sandbox, streaming);
    return takenOver;
  }
  const isTunnel = offeredProtocols(call).includes(tunnel);
  // Before the upgrade: an error can still be a response.
  const ports = isTunnel ? [] : portsOf(query);
  const { socket, protocol } = await acceptSocket(call, protocols);
  if (protocol === tunnel) forwardStreams(createWebSocketStream(socket), sandbox, streaming);
  else forwardChannels(socket, ports, async (port) => streaming.openPort(sandbox, port));
  return takenOver;
}

/** As the kubelet parses them: each value is a list with commas. */
function portsOf(query: URLSearchParams): readonly number[] {
  const values = query.getAll("port");
  if (values.length === 0) throw new NodeError("BadRequest", 'query parameter "port" is required');
  const ports = values.flatMap((value) => {
    if (value === "") throw new NodeError("BadRequest", 'query parameter "port" cannot be empty');
    return value.split(",").map((text) => portOf(text, value));
  });
  if (ports.length <= mostPorts) return ports;
  throw new NodeError("BadRequest", `${ports.length} ports are more than one connection can carry, ${mostPorts}`);
}

function portOf(text: string, value: string): number {
  const port = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (port >= 1 && port <= 65_535) return port;
  if (port === 0) throw new NodeError("BadRequest", `port "${value}" must be > 0`);
  const why = Number.isNaN(port) ? "invalid syntax" : "value out of range";
  throw new NodeError(
    "BadRequest",
    `unable to parse ${JSON.stringify(value)} as a port: strconv.ParseUint: parsing ${JSON.stringify(text)}: ${why}`,
  );
}

function forwardChannels(socket: WebSocket, ports: readonly number[], open: (port: number) => Promise<Duplex>): void {
  const send = (channel: number, bytes: Uint8Array): void => socket.send(Buffer.concat([Buffer.of(channel), bytes]));
  const inner = new Map<number, Promise<Duplex | undefined>>();
  const hold = createHolds(socket);
  for (const [index, port] of ports.entries()) {
    const [data, failure] = [index * 2, index * 2 + 1];
    for (const channel of [data, failure]) send(channel, portBytes(port));
    const opened = open(port).then(
      (connection) => {
        const pass = sendHolding(
          (bytes, sent) => socket.send(Buffer.concat([Buffer.of(data), bytes]), sent),
          connection,
        );
        connection.on("data", pass);
        connection.on("error", () => {});
        connection.once("end", () => connection.end());
        connection.on("close", () => socket.close(1000));
        return connection;
      },
      (error: unknown) => {
        const why = error instanceof Error ? error.message : String(error);
        send(failure, Buffer.from(`error forwarding port ${port} to pod: ${why}`));
        return undefined;
      },
    );
    inner.set(data, opened);
    // Data that the client sends before the port is open would accumulate in memory.
    const opening = hold();
    opening.pause();
    void opened.finally(() => opening.resume());
  }
  const full = new Map(Array.from(inner.keys(), (channel) => [channel, hold()]));
  socket.on("message", (message) => {
    const bytes = bytesOf(message);
    const [channel = 0] = bytes;
    const sources = [full.get(channel)].filter((one) => one !== undefined);
    void inner.get(channel)?.then((connection) => connection && writeHolding(connection, bytes.subarray(1), sources));
  });
  socket.on("close", () => {
    for (const opened of inner.values()) void opened.then((connection) => connection?.destroy());
  });
}

/** Each channel begins with its port number, little-endian. */
function portBytes(port: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(port);
  return bytes;
}
