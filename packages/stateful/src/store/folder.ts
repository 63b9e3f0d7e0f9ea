/** A folder of a store, opened part by part without following links: other programs may write to the volume, too. */
import { constants } from "node:fs";
import { lstat, mkdir, open, stat } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { StoreError } from "./store.ts";

/** An open folder. A link that takes its place meanwhile leads nowhere. */
export interface Folder extends AsyncDisposable {
  /** The path of a file in it. */
  at(name: string): string;
  /** Makes new names durable. */
  sync(): Promise<void>;
}

/** The place of a folder in a store. */
export interface FolderPlace {
  /** The folder of the store. The administrator names it, so it may be a link. */
  readonly root: string;
  /** The names of the folders below. */
  readonly parts: readonly string[];
  /** Creates the folders that are missing. */
  readonly create?: boolean;
}

const forFolders = constants.O_RDONLY | constants.O_DIRECTORY;

export async function openFolder({ root, parts, create = false }: FolderPlace): Promise<Folder> {
  let folder = await openAt(root, forFolders);
  for (const part of parts) {
    await using above = folder;
    if (create) await mkdir(above.at(part)).catch(unlessPresent);
    folder = await openBelow(above, part);
  }
  return folder;
}

/** A folder in an open folder. */
export async function openBelow(above: Folder, name: string): Promise<Folder> {
  const path = above.at(name);
  if ((await lstat(path)).isDirectory()) return openAt(path, forFolders | constants.O_NOFOLLOW);
  throw new StoreError("Refused", `${name} is a link or a file where a folder is expected; remove it`);
}

/** A regular file, for reading. Opening a pipe does not wait for its writer. */
export async function openFile(folder: Folder, name: string): Promise<FileHandle> {
  const path = folder.at(name);
  if (!(await lstat(path)).isFile()) throw noFile(name);
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw noFile(name);
}

function noFile(name: string): StoreError {
  return new StoreError("Refused", `${name} is a link, a pipe or a device, and no regular file; remove it`);
}

/** On Linux, names are looked up in the folder that was opened, whatever its path leads to now. */
async function openAt(path: string, flags: number): Promise<Folder> {
  const handle = await open(path, flags);
  const opened = `/proc/self/fd/${handle.fd}`;
  const reached = await stat(opened).then(
    () => opened,
    () => path,
  );
  return {
    at: (name) => `${reached}/${name}`,
    sync: () => handle.sync(),
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

function unlessPresent(error: NodeJS.ErrnoException): void {
  if (error.code !== "EEXIST") throw error;
}
