/** gRPC framing: one byte for compression, four bytes of length, then the message. */
import { WireError } from "./wire/bytes.ts";

const HEAD = 5;

export function toFrame(message: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(HEAD + message.length);
  frame[0] = 0;
  frame.writeUInt32BE(message.length, 1);
  message.copy(frame, HEAD);
  return frame;
}

/** Splits a stream of chunks into messages. */
export class FrameReader {
  #chunks: Buffer[] = [];
  #length = 0;

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
  }

  /** The next complete message, or undefined until more data arrives. */
  next(): Buffer | undefined {
    if (this.#length < HEAD) return undefined;
    const head = this.#joined(HEAD);
    if (head[0] !== 0) throw new WireError("the answer is compressed, which was not requested");
    const end = HEAD + head.readUInt32BE(1);
    if (this.#length < end) return undefined;
    const all = this.#joined(end);
    const rest = all.subarray(end);
    this.#chunks = rest.length > 0 ? [rest, ...this.#chunks.slice(1)] : this.#chunks.slice(1);
    this.#length -= end;
    return all.subarray(HEAD, end);
  }

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** The first chunk, joined with as many others as needed for the length. */
  #joined(needed: number): Buffer {
    const first = this.#chunks[0];
    if (first !== undefined && first.length >= needed) return first;
    let count = 0;
    let length = 0;
    while (length < needed) length += this.#chunks[count++]?.length ?? 0;
    const joined = Buffer.concat(this.#chunks.slice(0, count), length);
    this.#chunks.splice(0, count, joined);
    return joined;
  }
}
