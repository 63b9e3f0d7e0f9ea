/** Applies changes to a folder: all of them, or none. */
import { chmod, copyFile, lstat, mkdir, realpath, rename, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { FileChange } from "@capstan/scaffold";
import { atPath } from "../disk-error.ts";
import { CliError, toCliError } from "../errors.ts";

/** The disk operations of a change. */
export interface Disk {
  /** The permissions of a path, or undefined if it does not exist. */
  readonly modeOf: (path: string) => Promise<number | undefined>;
  /** The target of a path: links are followed, so that they stay links. */
  readonly targetOf: (path: string) => Promise<string>;
  /** Creates one folder. */
  readonly makeFolder: (path: string) => Promise<void>;
  readonly removeFolder: (path: string) => Promise<void>;
  readonly write: (path: string, text: string, mode?: number) => Promise<void>;
  readonly copy: (from: string, to: string) => Promise<void>;
  /** Replaces one file by another, atomically. */
  readonly move: (from: string, to: string) => Promise<void>;
  /** Removes a file if it exists. */
  readonly remove: (path: string) => Promise<void>;
}

/** The disk of this machine. */
export const realDisk: Disk = {
  modeOf: async (path) => {
    const isThere = await lstat(path).then(
      () => true,
      () => false,
    );
    return isThere ? (await stat(path)).mode & 0o7777 : undefined;
  },
  targetOf: async (path) => {
    const isLink = await lstat(path).then(
      (found) => found.isSymbolicLink(),
      () => false,
    );
    return isLink ? realpath(path) : path;
  },
  makeFolder: (path) => mkdir(path),
  removeFolder: rmdir,
  write: async (path, text, mode) => {
    await writeFile(path, text);
    if (mode !== undefined) await chmod(path, mode);
  },
  copy: copyFile,
  move: rename,
  remove: (path) => rm(path, { force: true }),
};

/** Applies changes. New texts and copies of the old ones are written beside their files first, so that later steps need no disk space. */
export async function writeChanges(root: string, changes: readonly FileChange[], disk: Disk = realDisk): Promise<void> {
  const undo: (() => Promise<void>)[] = [];
  const wanted = await placed(root, changes, disk);
  try {
    for (const change of wanted) await prepare(change, { disk, undo });
    for (const change of wanted) await commit(change, { disk, undo });
  } catch (error) {
    await takeBack(undo, error);
    throw error;
  }
  for (const { path } of wanted) await atPath(old(path), disk.remove(old(path)));
}

/** The changes by absolute path. A deletion removes a link itself; a write goes to the target of a link, once. */
async function placed(root: string, changes: readonly FileChange[], disk: Disk): Promise<readonly FileChange[]> {
  const found = new Map<string, FileChange>();
  for (const change of changes) {
    if (change.action === "leave") continue;
    const path = join(root, change.path);
    const target = change.action === "delete" ? path : await atPath(path, disk.targetOf(path));
    found.set(target, { ...change, path: target });
  }
  return [...found.values()];
}

interface Ongoing {
  readonly disk: Disk;
  /** Undoes the steps so far, in reverse order. */
  readonly undo: (() => Promise<void>)[];
}

async function prepare(change: FileChange, { disk, undo }: Ongoing): Promise<void> {
  const { path } = change;
  const mode = await atPath(path, disk.modeOf(path));
  if ("text" in change) {
    await makeFolders(dirname(path), { disk, undo });
    undo.push(() => disk.remove(fresh(path)));
    await atPath(path, disk.write(fresh(path), change.text, mode));
  }
  if (mode === undefined) return;
  undo.push(() => disk.remove(old(path)));
  await atPath(path, disk.copy(path, old(path)));
}

async function commit(change: FileChange, { disk, undo }: Ongoing): Promise<void> {
  const { path } = change;
  const wasThere = (await disk.modeOf(old(path))) !== undefined;
  await atPath(path, "text" in change ? disk.move(fresh(path), path) : disk.remove(path));
  undo.push(() => (wasThere ? disk.move(old(path), path) : disk.remove(path)));
}

/** One by one: Node's recursive mkdir never ends if the system reports a missing parent for a new folder, as in /proc. */
async function makeFolders(folder: string, { disk, undo }: Ongoing): Promise<void> {
  const missing: string[] = [];
  for (let at = folder; (await disk.modeOf(at)) === undefined && at !== dirname(at); at = dirname(at))
    missing.unshift(at);
  for (const path of missing) {
    await atPath(path, disk.makeFolder(path));
    undo.push(() => disk.removeFolder(path));
  }
}

async function takeBack(undo: readonly (() => Promise<void>)[], cause: unknown): Promise<void> {
  const problems: string[] = [];
  for (const step of undo.toReversed()) {
    await step().catch((error: unknown) => problems.push(toCliError(error).message));
  }
  if (problems.length > 0)
    throw new CliError("Disk", `writing failed, and so did taking it back: ${problems.join("; ")}`, { cause });
}

function fresh(path: string): string {
  return `${path}.capstan-new`;
}

function old(path: string): string {
  return `${path}.capstan-old`;
}
