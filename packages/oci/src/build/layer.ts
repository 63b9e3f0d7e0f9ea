/** Builds layers: the same files always give the same bytes, wherever and whenever they are packed. */
import { lstat, readdir, readFile, readlink } from "node:fs/promises";
import { join, posix } from "node:path";
import { gzipSync } from "node:zlib";
import { digestOf } from "../digest.ts";
import { mediaTypes } from "../media-types.ts";
import { padding } from "../tar/entry.ts";
import { endOfArchive, formatHeader, type NewEntry } from "../tar/write.ts";

/** One file, folder or link of a layer. */
export type LayerEntry = Pick<NewEntry, "path" | "type" | "mode" | "target" | "uid" | "gid"> & {
  readonly body?: string | Uint8Array;
};

/** A layer ready to be stored. */
export interface PackedLayer {
  readonly mediaType: string;
  /** The stored and transferred form. */
  readonly bytes: Buffer;
  readonly digest: string;
  /** Of the bytes before compression; the configuration of an image names layers by it. */
  readonly diffId: string;
}

/** Packs entries in the order of their paths, with parents before children. Default: owned by root, from 1970. */
export function packLayer(entries: readonly LayerEntry[]): PackedLayer {
  const whole = withParents(entries);
  const parts = whole.flatMap(({ body = "", ...entry }) => {
    const bytes = typeof body === "string" ? Buffer.from(body) : body;
    return [formatHeader({ ...entry, size: bytes.length }), bytes, Buffer.alloc(padding(bytes.length))];
  });
  const tar = Buffer.concat([...parts, endOfArchive]);
  // Level 6 and no file name or time in the header: zlib then gives the same bytes for the same input.
  const bytes = gzipSync(tar, { level: 6 });
  bytes[9] = 0xff;
  return { mediaType: mediaTypes.layerGzip, bytes, digest: digestOf(bytes), diffId: digestOf(tar) };
}

function withParents(entries: readonly LayerEntry[]): LayerEntry[] {
  const byPath = new Map<string, LayerEntry>();
  for (const entry of entries) {
    const path = posix.normalize(entry.path).replace(/^\/+|\/+$/g, "");
    for (let parent = posix.dirname(path); parent !== "."; parent = posix.dirname(parent)) {
      if (!byPath.has(parent)) byPath.set(parent, { path: parent, type: "directory" });
    }
    byPath.set(path, { ...entry, path });
  }
  return [...byPath.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

export interface FolderOptions {
  /** The path of the folder in the image. */
  readonly at: string;
  /** Selects paths, relative to the folder. */
  readonly include?: (path: string) => boolean;
}

/** The files of a folder as entries; modes are normalized, so that a different umask does not make a different image. */
export async function folderEntries(
  folder: string,
  { at, include = () => true }: FolderOptions,
): Promise<LayerEntry[]> {
  const entries: LayerEntry[] = [];
  const visit = async (below: string): Promise<void> => {
    for (const name of (await readdir(join(folder, below))).sort()) {
      const relative = posix.join(below, name);
      if (include(relative)) entries.push(await entryOf(join(folder, relative), posix.join(at, relative)));
      if (entries.at(-1)?.path === posix.join(at, relative) && entries.at(-1)?.type === "directory")
        await visit(relative);
    }
  };
  await visit("");
  return entries;
}

async function entryOf(source: string, path: string): Promise<LayerEntry> {
  const found = await lstat(source);
  if (found.isDirectory()) return { path, type: "directory" };
  if (found.isSymbolicLink()) return { path, type: "symlink", target: await readlink(source), mode: 0o777 };
  return { path, type: "file", mode: (found.mode & 0o111) === 0 ? 0o644 : 0o755, body: await readFile(source) };
}
