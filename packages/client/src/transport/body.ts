/** Bodies from bytes or chunks. */
import type { Body } from "./transport.ts";

/** A body with its bytes at hand: the cheapest response of an in-process server. */
export function bodyOfBytes(content: Uint8Array | string): Body {
  const bytes = (): Uint8Array => (typeof content === "string" ? Buffer.from(content) : content);
  const text = (): string => (typeof content === "string" ? content : decode(content));
  return {
    bytes: async () => bytes(),
    text: async () => text(),
    json: async () => JSON.parse(text()) as unknown,
    cancel: () => {},
    async *[Symbol.asyncIterator]() {
      yield bytes();
    },
  };
}

/** A body from chunks; `cancel` is called when the reader stops early. */
export function bodyOfChunks(chunks: AsyncIterable<Uint8Array>, cancel: () => void): Body {
  const bytes = async (): Promise<Uint8Array> => concat(await Array.fromAsync(chunks));
  const text = async (): Promise<string> => decode(await bytes());
  return {
    bytes,
    text,
    json: async () => JSON.parse(await text()) as unknown,
    cancel,
    async *[Symbol.asyncIterator]() {
      try {
        yield* chunks;
      } finally {
        cancel();
      }
    },
  };
}

/** One array from several, without a copy when there is only one. */
export function concat(chunks: readonly Uint8Array[]): Uint8Array {
  const [first] = chunks;
  return chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
}

/** UTF-8 bytes as a string. */
export function decode(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}
