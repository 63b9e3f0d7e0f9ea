/** Makes changes to a folder: all of them, or none. */
import { chmod, copyFile, lstat, mkdir, realpath, rename, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { FileChange } from "@capstan/scaffold";
import { atPath } from "../disk-error.ts";
import { CliError, toCliError } from "../errors.ts";

/** What changing a folder asks of a disk. */
export interface Disk {
  /** The permissions of what is at a path, if something is there. */
  readonly modeOf: (path: string) => Promise<number | undefined>;
  /** Where a path leads: links are followed, so that they stay links. */
  readonly targetOf: (path: string) => Promise<string>;
  /** Makes one folder. */
  readonly makeFolder: (path: string) => Promise<void>;
  readonly removeFolder: (path: string) => Promise<void>;
  readonly write: (path: string, text: string, mode?: number) => Promise<void>;
  readonly copy: (from: string, to: string) => Promise<void>;
  /** Puts one file in the place of another, at once. */
  readonly move: (from: string, to: string) => Promise<void>;
  /** Removes a file, if it is there. */
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

/** Makes changes. New texts and copies of the old ones are laid beside their files first, so that no later step needs room. */
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

/** What is to be done, by whole paths. A link that goes is removed itself; what is written goes where it leads, once. */
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
  /** What takes back the steps so far; the last goes first. */
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

/** One by one: what Node offers for all at once never ends where the system says that a new folder's parent is not there, as in /proc. */
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
