/**
 * A client-side HTTP/2 connection (RFC 9113). Node's implementation is built on streams; this client sends whole requests and reads whole
 * responses or lines, which takes a third of the time with direct access to frames.
 */
import type { Socket } from "node:net";
import {
  code,
  flag,
  FrameReader,
  frameType,
  maxFrameSize,
  ProtocolError,
  toFrame,
  toNumberFrame,
  toSettings,
  withoutPadding,
} from "./frame.ts";
import type { Frame } from "./frame.ts";
import { HpackDecoder, HpackError } from "./hpack-decoder.ts";
import { HpackEncoder } from "./hpack-encoder.ts";
import type { Headers } from "./hpack-encoder.ts";

const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "latin1");

/** The flow-control windows of a stream and of the connection: a slow reader must not block others. */
const STREAM_WINDOW = 4 * 1024 * 1024;
const SESSION_WINDOW = 256 * 1024 * 1024;
const FIRST_WINDOW = 65_535;

/** Larger header blocks are an attack or a bug. */
const MAX_HEADER_BYTES = 256 * 1024;

const setting = { tableSize: 1, enablePush: 2, maxStreams: 3, initialWindow: 4, maxFrameSize: 5 } as const;

/** Whether the server may have processed a request without response. */
export type SendState = "unsent" | "sent";

/** Receives the response of one request. */
export interface StreamListener {
  onHead(status: number, headers: Record<string, string>): void;
  onData(bytes: Buffer): void;
  onEnd(): void;
  onFailure(cause: Error, seen: SendState): void;
}

/** Receives the events of a session. */
export interface SessionListener {
  /** The server's settings have arrived. */
  onReady(): void;
  /** Another request may fit. */
  onRoom(): void;
  /** No new requests: the server sent GOAWAY, or the connection is gone. */
  onRetired(): void;
}

interface Stream {
  readonly id: number;
  readonly listener: StreamListener;
  sendWindow: number;
  /** The part of the body that is not sent yet. */
  unsent: Buffer | undefined;
  /** Consumed bytes that are not yet acknowledged with WINDOW_UPDATE. */
  taken: number;
  hasHead: boolean;
}

/** A connection on a socket that has agreed to HTTP/2. */
export class Session {
  readonly #socket: Socket;
  readonly #listener: SessionListener;
  readonly #reader = new FrameReader();
  readonly #decoder = new HpackDecoder();
  #encoder = new HpackEncoder();
  readonly #streams = new Map<number, Stream>();
  #nextId = 1;
  #sendWindow = FIRST_WINDOW;
  #streamSendWindow = FIRST_WINDOW;
  #frameSize = maxFrameSize;
  #received = 0;
  #out: Buffer[] = [];
  /** An incomplete header block. */
  #block: { readonly stream: number; readonly parts: Buffer[]; length: number; readonly ends: boolean } | undefined;
  readonly #pings: (() => void)[] = [];
  #isReady = false;
  #state: "open" | "retired" | "closed" = "open";
  maxStreams: number = Infinity;

  constructor(socket: Socket, listener: SessionListener) {
    this.#socket = socket;
    this.#listener = listener;
    socket.on("data", (chunk: Buffer) => this.#read(chunk));
    socket.on("error", (error) => this.#close(error));
    socket.on("close", () => this.#close(new Error("the server closed the connection")));
    const settings = toSettings([
      [setting.enablePush, 0],
      [setting.initialWindow, STREAM_WINDOW],
    ]);
    this.#send(PREFACE);
    this.#send(settings);
    this.#send(toNumberFrame(frameType.windowUpdate, 0, SESSION_WINDOW - FIRST_WINDOW));
  }

  /** Whether new requests are accepted. */
  get isOpen(): boolean {
    return this.#state === "open";
  }

  /** The number of running requests. */
  get running(): number {
    return this.#streams.size;
  }

  /** Sends a request and returns its stream id. */
  request(headers: Headers, body: string | Uint8Array | undefined, listener: StreamListener): number {
    const id = this.#nextId;
    this.#nextId += 2;
    const stream: Stream = {
      id,
      listener,
      sendWindow: this.#streamSendWindow,
      unsent: undefined,
      taken: 0,
      hasHead: false,
    };
    if (this.#streams.size === 0) this.#socket.ref();
    this.#streams.set(id, stream);
    this.#sendHeaders(id, this.#encoder.encode(headers), body === undefined);
    if (body !== undefined) {
      stream.unsent =
        typeof body === "string" ? Buffer.from(body) : Buffer.from(body.buffer, body.byteOffset, body.length);
      this.#sendBody(stream);
    }
    // Stream ids are exhausted after a billion requests: then a new connection takes over.
    if (this.#nextId > 0x7fffff00) this.#retire();
    return id;
  }

  /** The reader consumed bytes, so the server may send more. */
  consumed(id: number, bytes: number): void {
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    stream.taken += bytes;
    if (stream.taken < STREAM_WINDOW / 2) return;
    this.#send(toNumberFrame(frameType.windowUpdate, id, stream.taken));
    stream.taken = 0;
  }

  /** Cancels a stream. */
  cancel(id: number): void {
    if (!this.#streams.has(id)) return;
    this.#forget(id);
    this.#send(toNumberFrame(frameType.reset, id, code.cancel));
  }

  /** Sends a PING. */
  ping(onAnswer: () => void): void {
    this.#pings.push(onAnswer);
    this.#send(toFrame(frameType.ping, 0, 0, Buffer.alloc(8)));
  }

  /** Accepts no new requests and closes after the last one. */
  retire(): void {
    this.#retire();
    if (this.#streams.size === 0) this.#socket.end();
  }

  /** Closes at once. */
  destroy(cause: Error = new Error("the connection was closed here")): void {
    this.#close(cause);
    this.#socket.destroy();
  }

  #sendHeaders(id: number, block: Buffer, ends: boolean): void {
    const end = ends ? flag.endStream : 0;
    if (block.length <= this.#frameSize) {
      this.#send(toFrame(frameType.headers, flag.endHeaders | end, id, block));
      return;
    }
    this.#send(toFrame(frameType.headers, end, id, block.subarray(0, this.#frameSize)));
    for (let at = this.#frameSize; at < block.length; at += this.#frameSize) {
      const part = block.subarray(at, at + this.#frameSize);
      this.#send(toFrame(frameType.continuation, at + part.length === block.length ? flag.endHeaders : 0, id, part));
    }
  }

  /** Sends as much of a body as flow control allows. */
  #sendBody(stream: Stream): void {
    while (stream.unsent !== undefined) {
      const { unsent } = stream;
      const size = Math.min(unsent.length, this.#frameSize, this.#sendWindow, stream.sendWindow);
      if (size <= 0 && unsent.length > 0) return;
      const isLast = size === unsent.length;
      this.#send(toFrame(frameType.data, isLast ? flag.endStream : 0, stream.id, unsent.subarray(0, size)));
      this.#sendWindow -= size;
      stream.sendWindow -= size;
      stream.unsent = isLast ? undefined : unsent.subarray(size);
    }
  }

  /** Frames of one event loop turn are sent together: one write and one TLS record for many requests. */
  #send(bytes: Buffer): void {
    if (this.#state === "closed") return;
    this.#out.push(bytes);
    if (this.#out.length === 1) process.nextTick(() => this.#flush());
  }

  #flush(): void {
    const [first] = this.#out;
    if (first === undefined || this.#state === "closed") return;
    const bytes = this.#out.length === 1 ? first : Buffer.concat(this.#out);
    this.#out = [];
    this.#socket.write(bytes);
  }

  #read(chunk: Buffer): void {
    if (this.#state === "closed") return;
    try {
      this.#reader.push(chunk, (frame) => this.#handle(frame));
    } catch (error) {
      if (!(error instanceof ProtocolError || error instanceof HpackError)) throw error;
      this.#fail(error);
    }
  }

  #handle(frame: Frame): void {
    if (this.#block !== undefined && frame.type !== frameType.continuation) {
      throw new ProtocolError("another frame came amid a header block");
    }
    switch (frame.type) {
      case frameType.data:
        return this.#onData(frame);
      case frameType.headers:
        return this.#onHeaders(frame);
      case frameType.continuation:
        return this.#onContinuation(frame);
      case frameType.reset:
        return this.#onReset(frame);
      case frameType.settings:
        return this.#onSettings(frame);
      case frameType.ping:
        return this.#onPing(frame);
      case frameType.goaway:
        return this.#onGoaway(frame);
      case frameType.windowUpdate:
        return this.#onWindowUpdate(frame);
      case frameType.pushPromise:
        throw new ProtocolError("the server pushes although it was asked not to");
      default:
      // Priorities and unknown frames are ignored (section 5.5).
    }
  }

  #onData(frame: Frame): void {
    const { payload, stream: id } = frame;
    this.#received += payload.length;
    if (this.#received >= SESSION_WINDOW / 2) {
      this.#send(toNumberFrame(frameType.windowUpdate, 0, this.#received));
      this.#received = 0;
    }
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    const bytes = withoutPadding(frame, false);
    if (bytes.length < payload.length) this.consumed(id, payload.length - bytes.length);
    if (bytes.length > 0) stream.listener.onData(bytes);
    if ((frame.flags & flag.endStream) !== 0) this.#end(stream);
  }

  #onHeaders(frame: Frame): void {
    const payload = withoutPadding(frame, true);
    const ends = (frame.flags & flag.endStream) !== 0;
    if ((frame.flags & flag.endHeaders) !== 0) return this.#onBlock(frame.stream, payload, ends);
    this.#block = { stream: frame.stream, parts: [payload], length: payload.length, ends };
  }

  #onContinuation({ stream, flags, payload }: Frame): void {
    const block = this.#block;
    if (block === undefined || block.stream !== stream) throw new ProtocolError("headers go on that never began");
    block.parts.push(payload);
    block.length += payload.length;
    if (block.length > MAX_HEADER_BYTES) throw new ProtocolError("the headers are too large");
    if ((flags & flag.endHeaders) === 0) return;
    this.#block = undefined;
    this.#onBlock(stream, Buffer.concat(block.parts), block.ends);
  }

  /** Every block must be decoded, also for cancelled streams: later blocks refer to it. */
  #onBlock(id: number, block: Buffer, ends: boolean): void {
    const headers: Record<string, string> = {};
    let status = 0;
    this.#decoder.decode(block, (name, value) => {
      if (name === ":status") status = Number(value);
      else headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
    });
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    // Interim responses (1xx) precede the final one, trailers follow it.
    if (!stream.hasHead && status >= 200) {
      stream.hasHead = true;
      stream.listener.onHead(status, headers);
    }
    if (ends) this.#end(stream);
  }

  #end(stream: Stream): void {
    // The server responded before reading the whole request; the reset says that the rest will not come.
    if (stream.unsent !== undefined) this.#send(toNumberFrame(frameType.reset, stream.id, code.none));
    this.#forget(stream.id);
    if (stream.hasHead) stream.listener.onEnd();
    else stream.listener.onFailure(new Error("the server ended the stream without an answer"), "sent");
  }

  #onReset({ stream: id, payload }: Frame): void {
    const stream = this.#streams.get(id);
    if (stream === undefined || payload.length !== 4) return;
    this.#forget(id);
    const reason = payload.readUInt32BE(0);
    // REFUSED_STREAM guarantees that the request was not processed (section 8.7).
    const seen = reason === code.refused ? "unsent" : "sent";
    stream.listener.onFailure(new Error(`the server reset the stream with code ${reason}`), seen);
  }

  #onSettings({ flags, payload }: Frame): void {
    if ((flags & flag.ack) !== 0) return;
    if (payload.length % 6 !== 0) throw new ProtocolError("settings are cut off", code.frameSize);
    for (let at = 0; at < payload.length; at += 6) this.#set(payload.readUInt16BE(at), payload.readUInt32BE(at + 2));
    this.#send(toFrame(frameType.settings, flag.ack, 0, Buffer.alloc(0)));
    if (this.#isReady) return;
    this.#isReady = true;
    this.#listener.onReady();
  }

  #set(id: number, value: number): void {
    switch (id) {
      case setting.tableSize:
        if (!this.#isReady) this.#encoder = new HpackEncoder(value);
        else this.#encoder.reset();
        return;
      case setting.maxStreams:
        this.maxStreams = value;
        this.#listener.onRoom();
        return;
      case setting.initialWindow: {
        if (value > 0x7fffffff) throw new ProtocolError("a window is too large", code.flowControl);
        const change = value - this.#streamSendWindow;
        this.#streamSendWindow = value;
        for (const stream of this.#streams.values()) {
          stream.sendWindow += change;
          this.#sendBody(stream);
        }
        return;
      }
      case setting.maxFrameSize:
        this.#frameSize = Math.min(Math.max(value, maxFrameSize), 1024 * 1024);
        return;
      default:
    }
  }

  #onPing({ flags, payload }: Frame): void {
    if ((flags & flag.ack) === 0) this.#send(toFrame(frameType.ping, flag.ack, 0, payload));
    else this.#pings.shift()?.();
  }

  /** Section 6.8: requests with higher stream ids were not processed and may be retried. */
  #onGoaway({ payload }: Frame): void {
    const last = payload.length >= 8 ? payload.readUInt32BE(0) & 0x7fffffff : 0;
    const reason = payload.length >= 8 ? payload.readUInt32BE(4) : 0;
    this.#retire();
    for (const [id, stream] of this.#streams) {
      if (id <= last) continue;
      this.#forget(id);
      stream.listener.onFailure(new Error(`the server said goodbye with code ${reason}`), "unsent");
    }
    if (this.#streams.size === 0) this.#socket.end();
  }

  #onWindowUpdate({ stream: id, payload }: Frame): void {
    if (payload.length !== 4) throw new ProtocolError("a window update is cut off", code.frameSize);
    const more = payload.readUInt32BE(0) & 0x7fffffff;
    if (id === 0) {
      this.#sendWindow += more;
      for (const stream of this.#streams.values()) this.#sendBody(stream);
      return;
    }
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    stream.sendWindow += more;
    this.#sendBody(stream);
  }

  #forget(id: number): void {
    this.#streams.delete(id);
    this.#listener.onRoom();
    if (this.#streams.size > 0) return;
    // An idle connection does not keep the process alive.
    this.#socket.unref();
    if (this.#state === "retired") this.#socket.end();
  }

  #retire(): void {
    if (this.#state !== "open") return;
    this.#state = "retired";
    this.#listener.onRetired();
  }

  #fail(error: ProtocolError | HpackError): void {
    const reason = error instanceof ProtocolError ? error.code : code.compression;
    const payload = Buffer.alloc(8);
    payload.writeUInt32BE(reason, 4);
    this.#send(toFrame(frameType.goaway, 0, 0, payload));
    this.#flush();
    this.destroy(error);
  }

  #close(cause: Error): void {
    if (this.#state === "closed") return;
    this.#retire();
    this.#state = "closed";
    const streams = [...this.#streams.values()];
    this.#streams.clear();
    for (const { listener } of streams) listener.onFailure(cause, "sent");
  }
}
