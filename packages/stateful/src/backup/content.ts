/** The content of a backup in a store: compressed, encrypted, read back, and compared with its manifest when it is read. */
import { createHash } from "node:crypto";
import type { Store, StoreCall } from "../store/store.ts";
import { compress, decompress } from "./compression.ts";
import type { Compression } from "./compression.ts";
import { decrypt, encrypt } from "./encryption.ts";
import { BackupError } from "./errors.ts";

/**
 * Size and sha256 of a stream.
 *
 * @example
 * const sizeOf = ({ bytes }: StreamSize) => bytes;
 */
export interface Part {
  readonly bytes: number;
  readonly sha256: string;
}

/** What a manifest says about its content. */
export interface ContentFacts {
  /** The name of the backup, for messages. */
  readonly name: string;
  /** The name of the object in the store. */
  readonly object: string;
  /** As the application wrote it, and as it is in the store. */
  readonly content: Part;
  readonly stored: Part;
  readonly compression: Compression;
  readonly isEncrypted: boolean;
  /** The content does not decrypt under another identity. */
  readonly identity: string;
}

/** Where content is and how it is opened. */
export interface ContentPlace extends StoreCall {
  readonly store: Store;
  readonly key?: Buffer;
}

/** Writes a stream, and returns what its manifest has to say about it. The object is removed if that fails. */
export async function writeContent(
  source: AsyncIterable<Buffer>,
  { object, identity, compression }: Pick<ContentFacts, "object" | "identity" | "compression">,
  { store, key, signal, salt }: ContentPlace & { readonly salt: Buffer },
): Promise<Pick<ContentFacts, "content" | "stored">> {
  const [content, stored] = [new Gauge(), new Gauge()];
  let failure: unknown;
  const checked = watched(source, (error) => (failure = error));
  const packed = compress(content.pass(checked), compression);
  const sealed = key === undefined ? packed : encrypt(packed, { key, identity, salt });
  try {
    await store.put(object, stored.pass(sealed), signal ? { signal } : {});
    return { content: content.part(), stored: stored.part() };
  } catch (error) {
    await store.remove(object).catch(() => {});
    throw failure ?? error;
  }
}

/** The content of a backup as the application wrote it. Fails at its end at the latest if anything differs. */
export async function* readContent(
  facts: ContentFacts,
  { store, key, signal }: ContentPlace,
): AsyncGenerator<Buffer, void, void> {
  const raw = measured(facts.name, facts.stored, await store.get(facts.object, signal ? { signal } : {}));
  const plain = facts.isEncrypted && key ? decrypt(raw, { key, identity: facts.identity }) : raw;
  yield* measured(facts.name, facts.content, decompress(plain, facts.compression));
}

/** Keeps the error of a source: a store reports only that the write failed. */
async function* watched(
  source: AsyncIterable<Buffer>,
  keep: (error: unknown) => void,
): AsyncGenerator<Buffer, void, void> {
  try {
    yield* source;
  } catch (error) {
    keep(error);
    throw error;
  }
}

/** Counts and hashes what passes. */
class Gauge {
  readonly #hash = createHash("sha256");
  #bytes = 0;

  async *pass(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, void> {
    for await (const part of content) {
      this.#hash.update(part);
      this.#bytes += part.length;
      yield part;
    }
  }

  part(): Part {
    return { bytes: this.#bytes, sha256: this.#hash.digest("hex") };
  }
}

/** Passes a stream on, and compares it with what was written at its end. */
async function* measured(
  name: string,
  expected: Part,
  content: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer, void, void> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const part of content) {
    hash.update(part);
    bytes += part.length;
    if (bytes > expected.bytes) break;
    yield part;
  }
  if (bytes < expected.bytes) {
    const message = `the backup ${name} breaks off after ${bytes} of ${expected.bytes} bytes: name another backup`;
    throw new BackupError("Truncated", message);
  }
  if (hash.digest("hex") === expected.sha256) return;
  throw new BackupError("Corrupt", `the backup ${name} is not what was written: name another backup`);
}
