/** The server's end of a SPDY/3.1 connection, as much of it as Kubernetes' clients use: streams with headers, data, ends and pings. */
import type { Duplex } from "node:stream";
import { constants, createDeflate, createInflate, type Deflate, type Inflate } from "node:zlib";
import { writeHolding, type Holdable } from "../../linux/flow.ts";
import { dictionary } from "./dictionary.ts";

/** A stream that the client opened. */
export interface SpdyStream {
  readonly headers: ReadonlyMap<string, string>;
  /** Told what comes; `undefined` is the end. Nothing is lost before somebody listens. */
  listen(hear: (bytes: Buffer | undefined) => void): void;
  /** Writes; the sources of what comes next wait while the client does not read. */
  write(bytes: Uint8Array, sources?: readonly Holdable[]): void;
  /** Nothing more will be written. */
  end(): void;
  /** Ends both directions at once. */
  reset(): void;
}

const types = { synStream: 1, synReply: 2, rstStream: 3, ping: 6, goAway: 7 } as const;
const headerLength = 8;
const isLast = 0x01;
const cancel = 5;

/** Serves a connection: every stream that is opened is accepted and handed over. */
export function serveSpdy(connection: Duplex, opened: (stream: SpdyStream) => void): void {
  const session = new Session(connection, opened);
  let rest: Buffer = Buffer.alloc(0);
  // Frames are worked on one after the other: compression remembers what came before.
  let work = Promise.resolve();
  connection.on("data", (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= headerLength) {
      const end = headerLength + rest.readUIntBE(5, 3);
      if (rest.length < end) return;
      const frame = rest.subarray(0, end);
      rest = rest.subarray(end);
      work = work.then(() => session.take(frame)).catch(() => void connection.destroy());
    }
  });
  connection.on("error", () => {});
  connection.once("close", () => session.close());
}

interface OpenStream {
  deliver(bytes: Buffer | undefined): void;
}

class Session {
  readonly #connection: Duplex;
  readonly #opened: (stream: SpdyStream) => void;
  readonly #streams = new Map<number, OpenStream>();
  readonly #inflate: Inflate = createInflate({ dictionary, flush: constants.Z_SYNC_FLUSH });
  readonly #deflate: Deflate = createDeflate({ dictionary, flush: constants.Z_SYNC_FLUSH });

  constructor(connection: Duplex, opened: (stream: SpdyStream) => void) {
    this.#connection = connection;
    this.#opened = opened;
  }

  async take(frame: Buffer): Promise<void> {
    const isControl = ((frame[0] ?? 0) & 0x80) !== 0;
    const flags = frame[4] ?? 0;
    const payload = frame.subarray(headerLength);
    if (!isControl) return this.#data(frame.readUInt32BE(0), payload, flags);
    switch (frame.readUInt16BE(2)) {
      case types.synStream:
        return this.#open(payload, flags);
      case types.rstStream:
        return this.#data(payload.readUInt32BE(0), Buffer.alloc(0), isLast);
      case types.ping:
        return this.#send(types.ping, payload);
      case types.goAway:
        return void this.#connection.end();
      default:
      // Settings and windows are for those who are short of memory.
    }
  }

  close(): void {
    for (const stream of this.#streams.values()) stream.deliver(undefined);
    this.#streams.clear();
    this.#inflate.close();
    this.#deflate.close();
  }

  #data(id: number, bytes: Buffer, flags: number): void {
    const stream = this.#streams.get(id);
    if (bytes.length > 0) stream?.deliver(bytes);
    if ((flags & isLast) === 0) return;
    stream?.deliver(undefined);
    this.#streams.delete(id);
  }

  async #open(payload: Buffer, flags: number): Promise<void> {
    const id = payload.readUInt32BE(0) & 0x7fffffff;
    const headers = parseHeaders(await pass(this.#inflate, payload.subarray(10)));
    const { stream, inner } = this.#makeStream(id, headers);
    this.#streams.set(id, inner);
    const noHeaders = await pass(this.#deflate, Buffer.alloc(4));
    this.#send(types.synReply, Buffer.concat([numberBytes(id), noHeaders]));
    this.#opened(stream);
    if ((flags & isLast) !== 0) this.#data(id, Buffer.alloc(0), isLast);
  }

  #makeStream(
    id: number,
    headers: ReadonlyMap<string, string>,
  ): { readonly stream: SpdyStream; readonly inner: OpenStream } {
    const waiting: (Buffer | undefined)[] = [];
    let hear: ((bytes: Buffer | undefined) => void) | undefined;
    const inner = {
      deliver: (bytes: Buffer | undefined) => void (hear === undefined ? waiting.push(bytes) : hear(bytes)),
    };
    const stream: SpdyStream = {
      headers,
      listen(listener) {
        hear = listener;
        for (const bytes of waiting.splice(0)) listener(bytes);
      },
      write: (bytes, sources = []) => this.#sendData(id, bytes, { flags: 0, sources }),
      end: () => this.#sendData(id, Buffer.alloc(0), { flags: isLast, sources: [] }),
      reset: () => this.#send(types.rstStream, Buffer.concat([numberBytes(id), numberBytes(cancel)])),
    };
    return { stream, inner };
  }

  #sendData(
    id: number,
    bytes: Uint8Array,
    { flags, sources }: { readonly flags: number; readonly sources: readonly Holdable[] },
  ): void {
    const head = Buffer.alloc(headerLength);
    head.writeUInt32BE(id, 0);
    head[4] = flags;
    head.writeUIntBE(bytes.length, 5, 3);
    writeHolding(this.#connection, Buffer.concat([head, bytes]), sources);
  }

  #send(type: number, payload: Buffer): void {
    const head = Buffer.alloc(headerLength);
    head.writeUInt16BE(0x8003, 0);
    head.writeUInt16BE(type, 2);
    head.writeUIntBE(payload.length, 5, 3);
    this.#write(Buffer.concat([head, payload]));
  }

  #write(bytes: Buffer): void {
    if (this.#connection.writable) this.#connection.write(bytes);
  }
}

function numberBytes(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Puts bytes through a stream that remembers, and gives what comes out for them. */
function pass(through: Inflate | Deflate, bytes: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const take = (chunk: Buffer): void => void chunks.push(chunk);
    through.on("data", take);
    through.once("error", reject);
    through.write(bytes);
    through.flush(constants.Z_SYNC_FLUSH, () => {
      through.off("data", take);
      through.off("error", reject);
      resolve(Buffer.concat(chunks));
    });
  });
}

/** A count, then names and values, each with its length before it. */
function parseHeaders(block: Buffer): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  let at = 4;
  const text = (): string => {
    const end = at + 4 + block.readUInt32BE(at);
    const found = block.toString("utf8", at + 4, end);
    at = end;
    return found;
  };
  for (let left = block.readUInt32BE(0); left > 0; left--) {
    const name = text().toLowerCase();
    headers.set(name, text());
  }
  return headers;
}
