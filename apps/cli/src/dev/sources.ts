/** Watches the sources of a project. */
import { type FSWatcher, readdirSync, watch } from "node:fs";
import { join } from "node:path";

/** Editors write a file in several steps: what comes within this time is one change. */
const CALM = 60;
const source = /\.(ts|mts|js|mjs|json)$/;
const skipped: ReadonlySet<string> = new Set(["node_modules", ".git", ".capstan", "dist"]);

/**
 * Calls back once for each burst of changes, with one of the files. Folders are watched one by one: a watch on a file, which is what a
 * recursive watch is made of on Linux, is lost when an editor replaces the file.
 */
export function watchSources(root: string, changed: (path: string) => void): Disposable {
  const watchers = new Map<string, FSWatcher>();
  let timer: NodeJS.Timeout | undefined;
  const follow = (): void => {
    for (const folder of foldersOf(root)) {
      if (!watchers.has(folder))
        watchers.set(
          folder,
          watch(folder, (_event, name) => noticed(folder, name)),
        );
    }
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
      for (const watcher of watchers.values()) watcher.close();
    },
  };
}

function foldersOf(folder: string): string[] {
  const inner = readdirSync(folder, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && !skipped.has(entry.name),
  );
  return [folder, ...inner.flatMap(({ name }) => foldersOf(join(folder, name)))];
}
