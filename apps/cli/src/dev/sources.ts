/** Watches the sources of a project. */
import { type FSWatcher, readdirSync, statSync, watch } from "node:fs";
import { join } from "node:path";

/** Editors write a file in several steps: changes within this time count as one. */
const CALM = 60;
const source = /\.(ts|mts|js|mjs|json)$/;
const skipped: ReadonlySet<string> = new Set(["node_modules", ".git", ".capstan", "dist"]);
/** The error codes of a folder that was just removed. */
const gone: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR"]);

/** Callbacks for changes of the sources. */
export interface SourceEvents {
  /** Called once for each burst of changes, with one of the files. */
  readonly changed: (path: string) => void;
  /** A folder cannot be watched, so changes in it are missed. */
  readonly failed: (error: Error) => void;
}

interface Followed {
  readonly watcher: FSWatcher;
  readonly identity: string;
}

/**
 * Watches folders one by one. A recursive watch on Linux consists of watches on files, which are lost when an editor replaces the file.
 * Folders may be created and removed at any moment, also while they are read.
 */
export function watchSources(root: string, { changed, failed: tell }: SourceEvents): Disposable {
  const failed = once(tell);
  const followed = new Map<string, Followed>();
  let timer: NodeJS.Timeout | undefined;
  const leave = (folder: string): void => {
    followed.get(folder)?.watcher.close();
    followed.delete(folder);
  };
  const followOne = (folder: string, identity: string): void => {
    if (followed.get(folder)?.identity === identity) return;
    leave(folder);
    const watcher = watch(folder, (_event, name) => noticed(folder, name));
    followed.set(folder, { watcher, identity });
    watcher.on("error", (error) => {
      if (followed.get(folder)?.watcher !== watcher) return;
      leave(folder);
      if (!isGone(error)) failed(error);
    });
  };
  const follow = (): void => {
    const folders = foldersOf(root, failed);
    for (const folder of followed.keys()) if (!folders.has(folder)) leave(folder);
    for (const [folder, identity] of folders) unlessGone(() => followOne(folder, identity), failed);
  };
  const noticed = (folder: string, name: string | null): void => {
    if (name === null || skipped.has(name)) return;
    follow();
    if (!source.test(name) || name.endsWith(".test.ts")) return;
    clearTimeout(timer);
    timer = setTimeout(() => changed(join(folder, name)), CALM);
  };
  follow();
  return {
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      for (const folder of followed.keys()) leave(folder);
    },
  };
}

/** A folder and the folders below it, each with its identity. */
function foldersOf(root: string, failed: SourceEvents["failed"]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const visit = (folder: string): void => {
    found.set(folder, identityOf(folder));
    for (const entry of readdirSync(folder, { withFileTypes: true }))
      if (entry.isDirectory() && !skipped.has(entry.name)) unlessGone(() => visit(join(folder, entry.name)), failed);
  };
  unlessGone(() => visit(root), failed);
  return found;
}

/** Distinguishes a folder from its replacement, which may reuse the inode number. */
function identityOf(folder: string): string {
  const { ino, birthtimeNs } = statSync(folder, { bigint: true });
  return `${ino} ${birthtimeNs}`;
}

/** Runs work on a folder; that the folder is removed meanwhile is not a failure. */
function unlessGone(work: () => void, failed: SourceEvents["failed"]): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (!isGone(error)) failed(error);
  }
}

function isGone(error: Error): boolean {
  return "code" in error && gone.has(String(error.code));
}

/** Reports each failure once: folders are scanned again with every change. */
function once(tell: SourceEvents["failed"]): SourceEvents["failed"] {
  const told = new Set<string>();
  return (error) => {
    if (told.has(error.message)) return;
    told.add(error.message);
    tell(error);
  };
}
