/** Port-forward over SPDY: for each connection the client opens two streams, one for data and one for errors. */
import type { Duplex } from "node:stream";
import { writeHolding } from "../linux/flow.ts";
import type { StreamingRuntime, Sandbox } from "../runtime/runtime.ts";
import { serveSpdy, type SpdyStream } from "./spdy/session.ts";

/** How many streams may wait for the other one of their pair: clients open both at once. */
const mostWaiting = 64;

/** Serves every connection that the client requests. */
export function forwardStreams(connection: Duplex, sandbox: Sandbox, streaming: StreamingRuntime): void {
  const waiting = new Map<string, SpdyStream>();
  const wait = (id: string, stream: SpdyStream): void => {
    waiting.set(id, stream);
    const [oldest] = waiting;
    if (waiting.size <= mostWaiting || oldest === undefined) return;
    waiting.delete(oldest[0]);
    oldest[1].reset();
  };
  serveSpdy(connection, (stream) => {
    const id = stream.headers.get("requestid") ?? stream.headers.get("port") ?? "";
    const other = waiting.get(id);
    if (other === undefined) return wait(id, stream);
    waiting.delete(id);
    const isData = stream.headers.get("streamtype") === "data";
    const [data, failure] = isData ? [stream, other] : [other, stream];
    void join({ data, failure, port: Number(stream.headers.get("port")), sandbox, streaming });
  });
}

interface Joining {
  readonly data: SpdyStream;
  readonly failure: SpdyStream;
  readonly port: number;
  readonly sandbox: Sandbox;
  readonly streaming: StreamingRuntime;
}

async function join({ data, failure, port, sandbox, streaming }: Joining): Promise<void> {
  data.expectListener();
  failure.listen(() => {});
  try {
    const connection = await streaming.openPort(sandbox, port);
    connection.on("data", (chunk: Buffer) => data.write(chunk, [connection]));
    connection.on("error", () => {});
    // A client that waits for the program's end does not close first, so this side closes.
    connection.once("end", () => connection.end());
    connection.once("close", () => {
      data.end();
      failure.end();
    });
    data.listen((bytes) => (bytes === undefined ? connection.end() : writeHolding(connection, bytes, [data])));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    failure.write(Buffer.from(`error forwarding port ${port} to pod, uid : ${why}`));
    failure.end();
    data.reset();
  }
}
