/** Downloads the snapshot of a backup from a store. */
import { checkDigest, readBackup, readManifest } from "capstan/stateful/parts";
import type { Catalog } from "capstan/stateful/parts";
import { checkVersion, format } from "./manifest.ts";
import type { Manifest } from "./manifest.ts";
import { spoolSnapshot } from "./snapshot/spool.ts";
import type { SnapshotFile } from "./snapshot/spool.ts";

/** The backup to fetch, and the etcd version for it. */
export interface FetchOptions extends Omit<Catalog<Manifest>, "format"> {
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
  const { name, digest, path, version, signal } = options;
  const catalog = { ...options, format };
  const manifest = await readManifest(catalog, name);
  checkDigest(manifest, digest);
  checkVersion(manifest, version);
  const call = signal ? { signal } : {};
  const file = await spoolSnapshot(readBackup(catalog, manifest), path, { size: manifest.snapshot.bytes, ...call });
  return { manifest, file };
}
