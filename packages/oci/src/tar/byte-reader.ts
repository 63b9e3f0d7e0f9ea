/** Reads exact amounts of bytes from chunks of any size. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #current: Buffer = Buffer.alloc(0);
  #ended = false;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** As many bytes as requested; fewer only at the end. */
  async take(length: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let missing = length; missing > 0;) {
      const part = await this.takeSome(missing);
      if (part.length === 0) break;
      parts.push(part);
      missing -= part.length;
    }
    return parts.length === 1 ? (parts[0] ?? Buffer.alloc(0)) : Buffer.concat(parts);
  }

  /** The available bytes, up to the limit; empty only at the end. */
  async takeSome(limit: number): Promise<Buffer> {
    while (this.#current.length === 0 && !this.#ended) {
      const next = await this.#chunks.next();
      if (next.done === true) this.#ended = true;
      else this.#current = Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength);
    }
    const taken = this.#current.subarray(0, limit);
    this.#current = this.#current.subarray(taken.length);
    return taken;
  }
}
