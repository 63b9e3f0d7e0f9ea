/**
 * Many watches on one HTTP/2 connection that cost the client next to nothing: bytes are counted as they arrive, nothing is decoded,
 * copied or kept, and the records are plain numbers, which the garbage collector does not have to move. Any delay comes from the server.
 */
import { once } from "node:events";
import { connect, type TLSSocket } from "node:tls";
import { crc32 } from "node:zlib";

/** What one watch saw: the bytes over time, a checksum, and whether the server ended it. */
export interface Seen {
  /** Times, and the number of bytes up to then. */
  readonly arrivals: { readonly at: number[]; readonly bytes: number[] };
  bytes: number;
  sum: number;
  hasEnded: boolean;
}

/** The address and the credentials of a watch. */
export interface WatchTarget {
  readonly url: URL;
  readonly authority: string | undefined;
  readonly token: string | undefined;
  readonly certificate: string | undefined;
  readonly privateKey: string | undefined;
}

/** The number of watches of a path, and the signal by which they must have begun. */
export interface Wanted {
  readonly path: string;
  readonly watches: number;
  readonly signal: AbortSignal;
}

const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "latin1");
const frame = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, goaway: 7, windowUpdate: 8 } as const;
const endStream = 1;
const acknowledged = 1;
const endHeaders = 4;
const initialWindow = 4;
const largestWindow = 0x7fffffff;
const headLength = 9;
const nothing = Buffer.alloc(0);

/** One connection with several watches of a path. */
export class WatchingConnection {
  readonly seen: readonly Seen[];
  readonly #socket: TLSSocket;
  /** The header of the current frame, and how much of it has arrived. */
  readonly #head = Buffer.alloc(headLength);
  #headCame = 0;
  /** The missing bytes of its payload, and the bytes so far, unless it is data. */
  #left = 0;
  #payload: Buffer = nothing;
  #opened = 0;
  #wake: () => void = () => {};
  /** Called with the reason why watches do not begin. */
  #refuse: (why: string) => void = () => {};

  private constructor(socket: TLSSocket, watches: number) {
    this.#socket = socket;
    this.seen = Array.from({ length: watches }, toSeen);
    socket.on("data", (chunk: Buffer) => this.#read(chunk));
    socket.on("error", ({ message }) => this.#endAll(message));
    socket.on("close", () => this.#endAll("the server closed the connection"));
  }

  /** Connects, starts all watches, and resolves when each has a response. */
  static async open(target: WatchTarget, { path, watches, signal }: Wanted): Promise<WatchingConnection> {
    const { url, authority, certificate, privateKey } = target;
    const socket = connect({
      host: url.hostname,
      port: Number(url.port),
      ALPNProtocols: ["h2"],
      ...(authority === undefined ? {} : { ca: authority }),
      ...(certificate === undefined ? {} : { cert: certificate }),
      ...(privateKey === undefined ? {} : { key: privateKey }),
    });
    const giveUp = (): void => void socket.destroy(new RangeError(`not all of ${watches} watches began in time`));
    signal.addEventListener("abort", giveUp, { once: true });
    await once(socket, "secureConnect");
    const connection = new WatchingConnection(socket, watches);
    await connection.#begin(target, path);
    signal.removeEventListener("abort", giveUp);
    return connection;
  }

  close(): void {
    this.#socket.destroy();
  }

  async #begin({ url, token }: WatchTarget, path: string): Promise<void> {
    const window = Buffer.alloc(6);
    window.writeUInt16BE(initialWindow);
    window.writeUInt32BE(largestWindow, 2);
    const more = Buffer.alloc(4);
    more.writeUInt32BE(largestWindow - 65_535);
    const headers = Buffer.concat(
      Object.entries({
        ":method": "GET",
        ":scheme": "https",
        ":authority": url.host,
        ":path": path,
        accept: "application/json",
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      }).map(([name, value]) => literal(name, value)),
    );
    const asks = this.seen.map((_, at) => toFrame(frame.headers, endHeaders | endStream, 2 * at + 1, headers));
    const settings = toFrame(frame.settings, 0, 0, window);
    this.#socket.write(Buffer.concat([preface, settings, toFrame(frame.windowUpdate, 0, 0, more), ...asks]));
    await new Promise<void>((resolve, reject) => {
      this.#wake = () => this.#opened === this.seen.length && resolve();
      this.#refuse = (why) => reject(new RangeError(why));
    });
    this.#refuse = () => {};
  }

  #read(chunk: Buffer): void {
    const now = performance.now();
    let at = 0;
    while (at < chunk.length) {
      at = this.#headCame < headLength ? this.#readHead(chunk, at) : this.#readPayload(chunk, at, now);
      if (this.#headCame === headLength && this.#left === 0) this.#endFrame();
    }
  }

  #readHead(chunk: Buffer, at: number): number {
    const end = Math.min(chunk.length, at + headLength - this.#headCame);
    this.#headCame += chunk.copy(this.#head, this.#headCame, at, end);
    if (this.#headCame === headLength) this.#left = this.#head.readUIntBE(0, 3);
    return end;
  }

  #readPayload(chunk: Buffer, at: number, now: number): number {
    const end = Math.min(chunk.length, at + this.#left);
    const part = chunk.subarray(at, end);
    const watch = this.#watch;
    this.#left -= part.length;
    if (this.#head[3] !== frame.data) this.#payload = Buffer.concat([this.#payload, part]);
    else if (watch !== undefined) {
      watch.bytes += part.length;
      watch.sum = crc32(part, watch.sum);
      watch.arrivals.at.push(now);
      watch.arrivals.bytes.push(watch.bytes);
    }
    return end;
  }

  /** The watch of the current frame. */
  get #watch(): Seen | undefined {
    return this.seen[(this.#head.readUInt32BE(5) - 1) / 2];
  }

  #endFrame(): void {
    const type = this.#head[3];
    const flags = this.#head[4] ?? 0;
    const payload = this.#payload;
    this.#headCame = 0;
    this.#payload = nothing;
    if (type === frame.headers) {
      this.#opened++;
      this.#wake();
    } else if (type === frame.settings && (flags & acknowledged) === 0) {
      this.#socket.write(toFrame(frame.settings, acknowledged, 0, nothing));
    } else if (type === frame.ping && (flags & acknowledged) === 0) {
      this.#socket.write(toFrame(frame.ping, acknowledged, 0, payload));
    }
    this.#noteEnd(type, flags, payload);
  }

  #noteEnd(type: number | undefined, flags: number, payload: Buffer): void {
    const watch = this.#watch;
    if (type === frame.goaway) this.#refuse(`the server said goodbye: ${payload.subarray(8).toString("latin1")}`);
    if (type === frame.reset) this.#refuse("the server reset a watch before it began");
    const isLast = (type === frame.data || type === frame.headers) && (flags & endStream) !== 0;
    if (watch !== undefined && (type === frame.reset || isLast)) watch.hasEnded = true;
  }

  #endAll(why: string): void {
    this.#refuse(why);
    for (const watch of this.seen) watch.hasEnded = true;
  }
}

function toSeen(): Seen {
  return { arrivals: { at: [], bytes: [] }, bytes: 0, sum: 0, hasEnded: false };
}

function toFrame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(headLength);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** A header without indexing, as plain text (RFC 7541, 6.2.2). */
function literal(name: string, value: string): Buffer {
  return Buffer.concat([Buffer.of(0), text(name), text(value)]);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value, "latin1");
  if (bytes.length < 127) return Buffer.concat([Buffer.of(bytes.length), bytes]);
  const length: number[] = [127];
  let left = bytes.length - 127;
  for (; left >= 128; left >>= 7) length.push((left & 127) | 128);
  return Buffer.concat([Buffer.from([...length, left]), bytes]);
}
