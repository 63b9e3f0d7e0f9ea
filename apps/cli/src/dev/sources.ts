/** Watches the sources of a project. */
import { type FSWatcher, readdirSync, statSync, watch } from "node:fs";
import { join } from "node:path";

/** Editors write a file in several steps: what comes within this time is one change. */
const CALM = 60;
const source = /\.(ts|mts|js|mjs|json)$/;
const skipped: ReadonlySet<string> = new Set(["node_modules", ".git", ".capstan", "dist"]);
/** What is said of a folder that was there a moment ago. */
const gone: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR"]);

/** What is told about the sources. */
export interface SourceEvents {
  /** Once for each burst of changes, with one of the files. */
  readonly changed: (path: string) => void;
  /** A folder cannot be watched, so what happens in it is not seen. */
  readonly failed: (error: Error) => void;
}

interface Followed {
  readonly watcher: FSWatcher;
  readonly identity: string;
}

/**
 * Watches folders one by one: a watch on a file, which is what a recursive watch is made of on Linux, is lost when an editor replaces
 * the file. Folders come and go at any moment, also while they are read.
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

/** The folders below one, itself included, each with its identity. */
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

/** Tells a folder from one that was put in its place, which may get the number of the one that was deleted. */
function identityOf(folder: string): string {
  const { ino, birthtimeNs } = statSync(folder, { bigint: true });
  return `${ino} ${birthtimeNs}`;
}

/** Does something with a folder that may vanish meanwhile, which is no failure. */
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

/** Tells each failure once: folders are looked at again with every change. */
function once(tell: SourceEvents["failed"]): SourceEvents["failed"] {
  const told = new Set<string>();
  return (error) => {
    if (told.has(error.message)) return;
    told.add(error.message);
    tell(error);
  };
}
