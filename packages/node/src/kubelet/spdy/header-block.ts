/** Header blocks of SPDY/3.1: compressed with the earlier blocks as context, and bounded during inflation. */
import { constants, createDeflate, createInflate, type Deflate, type Inflate } from "node:zlib";
import { dictionary } from "./dictionary.ts";
import { SpdyError } from "./frames.ts";

/** The largest size of an inflated header block. */
export const LARGEST_BLOCK: number = 64 * 1024;

/** The most fields of a header block, as in Go's spdystream. */
export const MOST_FIELDS = 1000;

/** Reads and writes the header blocks of one connection, in order. */
export class HeaderBlocks {
  readonly #inflate: Inflate = createInflate({ dictionary, flush: constants.Z_SYNC_FLUSH });
  readonly #deflate: Deflate = createDeflate({ dictionary, flush: constants.Z_SYNC_FLUSH });

  constructor() {
    // An error event between two reads must not crash the process.
    for (const one of [this.#inflate, this.#deflate]) one.on("error", () => {});
  }

  async read(block: Buffer): Promise<ReadonlyMap<string, string>> {
    return parseFields(await pass(this.#inflate, block));
  }

  /** A block without fields. */
  writeEmpty(): Promise<Buffer> {
    return pass(this.#deflate, Buffer.alloc(4));
  }

  close(): void {
    this.#inflate.close();
    this.#deflate.close();
  }
}

/** Sends bytes through a stateful zlib stream and returns its output. It stops when the output exceeds the limit. */
function pass(through: Inflate | Deflate, bytes: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      if (size <= LARGEST_BLOCK) return void chunks.push(chunk);
      chunks.length = 0;
      through.off("data", take);
      through.destroy();
      reject(new SpdyError("TooLarge", `a header block has more than ${LARGEST_BLOCK} bytes`));
    };
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

/** A count, then names and values, each after its length. */
function parseFields(block: Buffer): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  let at = 0;
  const number = (): number => {
    if (at + 4 > block.length) throw new SpdyError("Malformed", "a header block ends in the middle of a field");
    at += 4;
    return block.readUInt32BE(at - 4);
  };
  const text = (): string => {
    const length = number();
    if (at + length > block.length) throw new SpdyError("Malformed", "a header field is longer than its block");
    at += length;
    return block.toString("utf8", at - length, at);
  };
  const count = number();
  if (count > MOST_FIELDS)
    throw new SpdyError("TooMany", `a header block has ${count} fields, more than ${MOST_FIELDS}`);
  for (let left = count; left > 0; left--) {
    const name = text().toLowerCase();
    fields.set(name, text());
  }
  return fields;
}
