/** Writes a backup: content first, then read back, then the manifest. What has a manifest can be restored. */
import { callOf, readBackup } from "./catalog.ts";
import type { Catalog } from "./catalog.ts";
import { writeContent } from "./content.ts";
import type { ContentFacts } from "./content.ts";
import { formatManifest, objectNames } from "./manifest-format.ts";
import type { StoredManifest } from "./manifest-format.ts";
import { seal } from "./seal.ts";

/**
 * What is written, and what its manifest says.
 *
 * @example
 * const nameOf = <M extends StoredManifest>({ name }: WriteBackupOptions<M>) => name;
 */
export interface WriteBackupOptions<M extends StoredManifest> extends Pick<
  ContentFacts,
  "name" | "identity" | "compression"
> {
  /** 32 random bytes. */
  readonly salt: Buffer;
  /** The manifest without the proof. If it fails, nothing stays in the store. */
  readonly describe: (parts: Pick<ContentFacts, "content" | "stored">) => Omit<M, "encryption">;
}

/**
 * Writes a backup and returns its manifest, with the proof of the key if there is one. Content without a manifest is removed again.
 *
 * @example
 * const write = async <M extends StoredManifest>(catalog: Catalog<M>, source: AsyncIterable<Buffer>, draft: M) =>
 *   await writeBackup(catalog, source, {
 *     name: draft.name,
 *     identity: draft.name,
 *     compression: draft.compression,
 *     salt: Buffer.alloc(32),
 *     describe: ({ stored }) => ({ ...draft, stored }),
 *   });
 */
export async function writeBackup<M extends StoredManifest>(
  catalog: Catalog<M>,
  source: AsyncIterable<Buffer>,
  { name, salt, describe, ...facts }: WriteBackupOptions<M>,
): Promise<M> {
  const { store, format, key } = catalog;
  const object = objectNames(format, name);
  const place = { store, ...(key ? { key } : {}), ...callOf(catalog) };
  const parts = await writeContent(source, { ...facts, object: object.content }, { ...place, salt });
  try {
    // The draft and the proof are all fields.
    const manifest = seal({ ...describe(parts), name }, key) as unknown as M;
    // Content that cannot be read back is not a backup.
    for await (const part of readBackup(catalog, manifest)) void part;
    await store.put(object.manifest, once(Buffer.from(formatManifest(manifest))), callOf(catalog));
    return manifest;
  } catch (error) {
    await store.remove(object.content).catch(() => {});
    throw error;
  }
}

async function* once(content: Buffer): AsyncGenerator<Buffer, void, void> {
  yield content;
}
