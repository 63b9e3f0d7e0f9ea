/** Reads a backup from a store: decrypts, decompresses, and compares it with its manifest. */
import { createHash } from "node:crypto";
import { BackupError, decompress, decrypt, readUpTo, StoreError } from "capstan/stateful";
import type { Store, StoreCall } from "capstan/stateful";
import {
  checkDigest,
  checkManifest,
  checkSeal,
  checkVersion,
  identityOf,
  LARGEST_MANIFEST,
  objectNames,
  parseManifest,
} from "./manifest.ts";
import type { Manifest, Trust } from "./manifest.ts";
import { spoolSnapshot } from "./snapshot/spool.ts";
import type { SnapshotFile } from "./snapshot/spool.ts";

export interface ReadContentOptions extends StoreCall, Trust {
  readonly store: Store;
  readonly manifest: Manifest;
}

/** The snapshot of a backup. Fails at its end at the latest if anything differs. */
export async function* readContent(options: ReadContentOptions): AsyncGenerator<Buffer, void, void> {
  const { store, manifest, key, signal } = options;
  checkSeal(manifest, manifest.name, options);
  const stored = new Measure(manifest.name, manifest.stored);
  const snapshot = new Measure(manifest.name, manifest.snapshot);
  const raw = stored.measure(await store.get(objectNames(manifest.name).content, signal ? { signal } : {}));
  const plain = manifest.encryption && key ? decrypt(raw, { key, identity: identityOf(manifest) }) : raw;
  yield* snapshot.measure(decompress(plain, manifest.compression));
}

/** Reads a manifest. Fails unless it is authentic and belongs to this name. */
export async function readManifest(store: Store, name: string, options: StoreCall & Trust = {}): Promise<Manifest> {
  const manifest = parseManifest(await readText(store, name, options));
  checkManifest(manifest, name, options);
  return manifest;
}

async function readText(store: Store, name: string, { signal }: StoreCall): Promise<string> {
  try {
    const bytes = await readUpTo(
      await store.get(objectNames(name).manifest, signal ? { signal } : {}),
      LARGEST_MANIFEST,
    );
    if (bytes !== undefined) return bytes.toString("utf8");
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== "NotFound") throw error;
    throw new BackupError("NotFound", `there is no backup ${name} in ${store.place}`, { cause: error });
  }
  const message = `the manifest of the backup ${name} has more than ${LARGEST_MANIFEST} bytes: name another backup`;
  throw new BackupError("Corrupt", message);
}

/** The backup to fetch, and the etcd version for it. */
export interface FetchOptions extends StoreCall, Trust {
  readonly store: Store;
  readonly name: string;
  /** Digest of the recorded manifest, if there is one. */
  readonly digest?: string | undefined;
  /** The file to write. */
  readonly path: string;
  /** The etcd version that will read the snapshot. */
  readonly version: string;
}

/** Downloads the snapshot of a backup into a file. */
export async function fetchBackup(
  options: FetchOptions,
): Promise<{ readonly manifest: Manifest; readonly file: SnapshotFile }> {
  const { store, name, path, version, signal } = options;
  const manifest = await readManifest(store, name, options);
  checkDigest(manifest, options.digest);
  checkVersion(manifest, version);
  const content = readContent({ ...options, manifest });
  const call = signal ? { signal } : {};
  const file = await spoolSnapshot(content, path, { size: manifest.snapshot.bytes, ...call });
  return { manifest, file };
}

/** Counts and hashes the stream, and compares at its end. */
class Measure {
  readonly #name: string;
  readonly #expected: { readonly bytes: number; readonly sha256: string };

  constructor(name: string, expected: { readonly bytes: number; readonly sha256: string }) {
    this.#name = name;
    this.#expected = expected;
  }

  async *measure(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, void> {
    const hash = createHash("sha256");
    let bytes = 0;
    for await (const part of content) {
      hash.update(part);
      bytes += part.length;
      if (bytes > this.#expected.bytes) break;
      yield part;
    }
    if (bytes < this.#expected.bytes) {
      const message = `the backup ${this.#name} breaks off after ${bytes} of ${this.#expected.bytes} bytes: name another backup`;
      throw new BackupError("Truncated", message);
    }
    if (hash.digest("hex") === this.#expected.sha256) return;
    throw new BackupError("Corrupt", `the backup ${this.#name} is not what was written: name another backup`);
  }
}
