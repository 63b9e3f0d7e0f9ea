/** Compression of backups as streams. */
import { pipeline, Readable } from "node:stream";
import type { Transform } from "node:stream";
import { createGunzip, createGzip, createZstdCompress, createZstdDecompress } from "node:zlib";
import { BackupError } from "./errors.ts";

/**
 * How a backup is compressed.
 *
 * @example
 * const suffixes: { readonly [How in Compression]: string } = { none: "", gzip: ".gz", zstd: ".zst" };
 */
export type Compression = "none" | "gzip" | "zstd";

/**
 * Compresses a stream.
 *
 * @example
 * const packed = async (content: AsyncIterable<Buffer>) => await readWhole(compress(content, "zstd"));
 */
export function compress(content: AsyncIterable<Uint8Array>, how: Compression): AsyncIterable<Buffer> {
  switch (how) {
    case "none":
      return toBuffers(content);
    case "gzip":
      return through(content, createGzip());
    case "zstd":
      return through(content, createZstdCompress());
  }
}

/**
 * Decompresses a stream. Fails if the content is corrupt or truncated.
 *
 * @example
 * async function* unpacked(content: AsyncIterable<Buffer>) {
 *   yield* decompress(content, "gzip");
 * }
 */
export async function* decompress(
  content: AsyncIterable<Uint8Array>,
  how: Compression,
): AsyncGenerator<Buffer, void, void> {
  try {
    if (how === "none") yield* toBuffers(content);
    else yield* through(content, how === "gzip" ? createGunzip() : createZstdDecompress());
  } catch (error) {
    throw toBackupError(error);
  }
}

function through(content: AsyncIterable<Uint8Array>, transform: Transform): AsyncIterable<Buffer> {
  // The pipeline destroys the transform with an error of the source, so the reader receives it.
  pipeline(Readable.from(content), transform, () => {});
  return transform as AsyncIterable<Buffer>;
}

async function* toBuffers(content: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void, void> {
  for await (const part of content) yield Buffer.isBuffer(part) ? part : Buffer.from(part);
}

/** Converts errors of zlib. Other errors come from the source and are passed on. */
function toBackupError(error: unknown): unknown {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "Z_BUF_ERROR")
    return new BackupError("Truncated", "the compressed backup breaks off: name another backup", { cause: error });
  if (!/^(Z_|ZSTD_|ERR_ZSTD|ERR_ZLIB)/.test(code)) return error;
  return new BackupError("Corrupt", "the compressed backup cannot be read: name another backup", { cause: error });
}
