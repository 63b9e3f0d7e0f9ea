/** The server side of a SPDY/3.1 connection, limited to what Kubernetes clients use: streams with headers, data, ends and pings. */
import type { Duplex } from "node:stream";
import { writeHolding, type Holdable } from "../../linux/flow.ts";
import { createHolds } from "../holds.ts";
import { createFrameCutter, LAST, SpdyError, type Frame } from "./frames.ts";
import { HeaderBlocks } from "./header-block.ts";
import { createStream, type InnerStream, type SpdyStream } from "./stream.ts";

export type { SpdyStream } from "./stream.ts";

const types = { synStream: 1, synReply: 2, rstStream: 3, ping: 6, goAway: 7 } as const;
const statuses = { refusedStream: 3, cancel: 5 } as const;

/** How many streams a client may have open at once: a port-forward uses two for each connection. */
export const MOST_STREAMS = 1024;

/**
 * How many characters the headers of all open streams may have. Kubernetes clients send some hundred for each stream; compressed, a hundred
 * bytes can become 64 KiB.
 */
export const MOST_HEADERS: number = 1 << 20;

/** Serves a connection: every stream within the limits is accepted and passed to `opened`. */
export function serveSpdy(connection: Duplex, opened: (stream: SpdyStream) => void): void {
  const session = new Session(connection, opened);
  const cut = createFrameCutter();
  // Frames are processed in order, because the compression is stateful. The client is paused meanwhile.
  const busy = session.hold();
  let work = Promise.resolve();
  let chunks = 0;
  const takeAll = async (chunk: Buffer): Promise<void> => {
    for (const frame of cut(chunk)) if (!connection.destroyed) await session.take(frame);
    if (--chunks === 0) busy.resume();
  };
  connection.on("data", (chunk: Buffer) => {
    if (++chunks === 1) busy.pause();
    work = work.then(() => takeAll(chunk)).catch(() => void connection.destroy());
  });
  connection.on("error", () => {});
  connection.once("close", () => session.close());
}

class Session {
  /** Makes handles that pause the client. */
  readonly hold: () => Holdable;
  readonly #connection: Duplex;
  readonly #opened: (stream: SpdyStream) => void;
  readonly #streams = new Map<number, { readonly inner: InnerStream; readonly size: number }>();
  readonly #blocks = new HeaderBlocks();
  /** A client that does not read its replies is paused. */
  readonly #answers: Holdable;
  readonly #kept = { bytes: 0 };
  #lastId = 0;
  #headers = 0;

  constructor(connection: Duplex, opened: (stream: SpdyStream) => void) {
    this.#connection = connection;
    this.#opened = opened;
    this.hold = createHolds(connection);
    this.#answers = this.hold();
  }

  async take(frame: Frame): Promise<void> {
    if (frame.is === "data") return this.#data(frame.id, frame.bytes, frame.isLast);
    const { type, flags, payload } = frame;
    switch (type) {
      case types.synStream:
        return this.#open(payload, flags);
      case types.rstStream:
        return this.#drop(payload.readUInt32BE(0));
      case types.ping:
        return this.#send(types.ping, payload.subarray(0, 4));
      case types.goAway:
        return void this.#connection.end();
      default:
      // Other frames, such as SETTINGS and WINDOW_UPDATE, are ignored: they only serve peers with little memory.
    }
  }

  close(): void {
    for (const { inner } of this.#streams.values()) inner.deliver(undefined);
    this.#streams.clear();
    this.#blocks.close();
  }

  #data(id: number, bytes: Buffer, isLast: boolean): void {
    const inner = this.#streams.get(id)?.inner;
    if (inner === undefined) return;
    if (bytes.length > 0) inner.deliver(bytes);
    if (isLast) inner.deliver(undefined);
  }

  #drop(id: number): void {
    this.#streams.get(id)?.inner.deliver(undefined);
    this.#forget(id);
  }

  #forget(id: number): void {
    this.#headers -= this.#streams.get(id)?.size ?? 0;
    this.#streams.delete(id);
  }

  async #open(payload: Buffer, flags: number): Promise<void> {
    const id = payload.readUInt32BE(0) & 0x7fffffff;
    // Read even if the stream is refused: the next block is compressed with this one as context.
    const headers = await this.#blocks.read(payload.subarray(10));
    if (id <= this.#lastId) throw new SpdyError("Malformed", `stream ${id} was opened before`);
    this.#lastId = id;
    const size = sizeOf(headers);
    if (this.#streams.size >= MOST_STREAMS || this.#headers + size > MOST_HEADERS)
      return this.#refuse(id, statuses.refusedStream);
    const { stream, inner } = createStream(headers, {
      client: this.#connection,
      hold: this.hold(),
      kept: this.#kept,
      sendData: (bytes, isLast, sources) => this.#sendData(id, bytes, { flags: isLast ? LAST : 0, sources }),
      sendReset: () => this.#refuse(id, statuses.cancel),
      // Both sides must have ended: a client that only opens and ends streams must not fill the memory either.
      ended: () => this.#forget(id),
    });
    this.#streams.set(id, { inner, size });
    this.#headers += size;
    this.#send(types.synReply, Buffer.concat([numberBytes(id), await this.#blocks.writeEmpty()]));
    this.#opened(stream);
    if ((flags & LAST) !== 0) inner.deliver(undefined);
  }

  #refuse(id: number, status: number): void {
    this.#send(types.rstStream, Buffer.concat([numberBytes(id), numberBytes(status)]));
  }

  #sendData(
    id: number,
    bytes: Uint8Array,
    { flags, sources }: { readonly flags: number; readonly sources: readonly Holdable[] },
  ): void {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(id, 0);
    head[4] = flags;
    head.writeUIntBE(bytes.length, 5, 3);
    writeHolding(this.#connection, Buffer.concat([head, bytes]), sources);
  }

  #send(type: number, payload: Buffer): void {
    const head = Buffer.alloc(8);
    head.writeUInt16BE(0x8003, 0);
    head.writeUInt16BE(type, 2);
    head.writeUIntBE(payload.length, 5, 3);
    writeHolding(this.#connection, Buffer.concat([head, payload]), [this.#answers]);
  }
}

/** Every field counts, also an empty one. */
function sizeOf(headers: ReadonlyMap<string, string>): number {
  let size = 0;
  for (const [name, value] of headers) size += name.length + value.length + 64;
  return size;
}

function numberBytes(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
