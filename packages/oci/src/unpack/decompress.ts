/** The uncompressed bytes of a layer. */
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createZstdDecompress } from "node:zlib";
import { OciError } from "../errors.ts";
import type { Compression } from "../media-types.ts";

/** Decompresses a layer. The actual compression may differ from the declared one: the first bytes decide, as in containerd. */
export async function* decompress(
  chunks: AsyncIterable<Uint8Array>,
  named: Compression,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (named === "none") return yield* chunks;
  const source = chunks[Symbol.asyncIterator]();
  const head = await readHead(source);
  const whole = joined(head, source);
  const compression = compressionIn(head);
  if (compression === "none") return yield* whole;
  const inflate = compression === "gzip" ? createGunzip() : createZstdDecompress();
  const failed = pipeline(Readable.from(whole), inflate).catch((cause: unknown) => cause);
  try {
    yield* inflate as AsyncIterable<Uint8Array>;
  } catch (error) {
    // An error of the source comes first; a truncated layer is only detected by the end of the decompressor.
    const cause = (await failed) ?? error;
    if (cause instanceof OciError) throw cause;
    throw new OciError("BadArchive", `could not decompress the layer as ${compression}`, { cause });
  }
}

const magics: readonly (readonly [Exclude<Compression, "none">, Buffer])[] = [
  ["gzip", Buffer.from([0x1f, 0x8b, 0x08])],
  ["zstd", Buffer.from([0x28, 0xb5, 0x2f, 0xfd])],
];

function compressionIn(head: Buffer): Compression {
  return magics.find(([, magic]) => head.subarray(0, magic.length).equals(magic))?.[0] ?? "none";
}

async function readHead(source: AsyncIterator<Uint8Array>): Promise<Buffer> {
  let head: Buffer = Buffer.alloc(0);
  while (head.length < 4) {
    const next = await source.next();
    if (next.done === true) break;
    head = Buffer.concat([head, next.value]);
  }
  return head;
}

async function* joined(head: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield head;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}
