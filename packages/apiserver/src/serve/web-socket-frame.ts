/** Writes and reads WebSocket frames (RFC 6455, 5.2). */
import type { Messages } from "../answer.ts";

/** The types of frames. */
export const opcodes = { text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** A received frame. */
export interface SocketFrame {
  readonly opcode: number;
  readonly payload: Buffer;
}

/** The values that announce a length of two or of eight bytes. */
const [twoBytes, eightBytes] = [126, 127];
const final = 0x80;
/** Protobuf events have a length prefix, which messages do not need. */
const lengthPrefix = 4;

/** A whole message in one frame. */
export function messageFrame(chunk: string | Uint8Array, messages: Messages): Buffer {
  const bytes =
    typeof chunk === "string" ? Buffer.from(chunk) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
  return messages === "text" ? frame(opcodes.text, bytes) : frame(opcodes.binary, bytes.subarray(lengthPrefix));
}

/** A control frame. */
export function controlFrame(opcode: number, payload: Buffer): Buffer {
  return frame(opcode, payload);
}

function frame(opcode: number, payload: Buffer): Buffer {
  const { length } = payload;
  if (length < twoBytes) return Buffer.concat([Buffer.from([final | opcode, length]), payload]);
  const isShort = length < 2 ** 16;
  const head = Buffer.alloc(isShort ? 4 : 10);
  head[0] = final | opcode;
  head[1] = isShort ? twoBytes : eightBytes;
  if (isShort) head.writeUInt16BE(length, 2);
  else head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, payload]);
}

/** A client that sends longer frames is disconnected. */
const longest = 64 * 1024;

/** Splits received bytes into frames. */
export class FrameReader {
  #rest: Buffer = Buffer.alloc(0);
  /** The chunks after the rest. They are joined when a frame may be complete: a frame may come byte by byte. */
  #chunks: Buffer[] = [];
  #length = 0;
  /** The number of bytes with which more of the next frame is known. */
  #needed = 0;
  #isLost = false;

  /** Whether the client sent a frame that is too long; the connection is then closed. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** The frames that are complete now. */
  read(chunk: Buffer): SocketFrame[] {
    const frames: SocketFrame[] = [];
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#length < this.#needed) return frames;
    this.#rest = Buffer.concat([this.#rest, ...this.#chunks]);
    this.#chunks = [];
    for (let next = this.#next(); next !== undefined; next = this.#next()) frames.push(next);
    this.#length = this.#rest.length;
    return frames;
  }

  #next(): SocketFrame | undefined {
    const rest = this.#rest;
    const [first = 0, second = 0] = rest;
    const isLong = (second & 0x7f) === twoBytes;
    const start = (isLong ? 4 : 2) + (second >= final ? 4 : 0);
    this.#needed = start;
    if (this.#isLost || rest.length < this.#needed) return undefined;
    const length = isLong ? rest.readUInt16BE(2) : second & 0x7f;
    this.#isLost = length > longest || (second & 0x7f) === eightBytes;
    this.#needed = start + length;
    if (this.#isLost || rest.length < this.#needed) return undefined;
    const payload = unmasked(
      rest.subarray(start, start + length),
      second >= final ? rest.subarray(start - 4, start) : noMask,
    );
    this.#rest = rest.subarray(start + length);
    return { opcode: first & 0x0f, payload };
  }
}

const noMask = Buffer.alloc(4);

function unmasked(payload: Buffer, mask: Buffer): Buffer {
  return Buffer.from(payload.map((byte, at) => byte ^ (mask[at % 4] ?? 0)));
}
