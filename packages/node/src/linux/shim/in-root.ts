/**
 * Resolves paths in the rootfs of a container that has not started yet. Links resolve as in the container, and no other process can
 * change its files meanwhile. Missing folders are created on request, owned by root and accessible to all users.
 */
import { lstatSync, mkdirSync, readlinkSync, writeFileSync, type Stats } from "node:fs";

export interface Search {
  readonly root: string;
  readonly path: string;
  /** What to create at the end if nothing exists. */
  readonly make: "folder" | "file" | "nothing";
  /** Whether a mount covers a path of the container: the search ends there, because the image does not determine what follows. */
  readonly isCovered: (path: string) => boolean;
}

/** A path of a container, without links. */
export interface Place {
  readonly path: string;
  /** The remaining path below a covered path. */
  readonly rest: readonly string[];
}

const mostLinks = 40;

export function findInRoot({ root, path, make, isCovered }: Search): Place {
  let way = partsOf(path);
  let at: readonly string[] = [];
  let linksSeen = 0;
  for (let part = way.shift(); part !== undefined; part = way.shift()) {
    if (part === "..") {
      at = at.slice(0, -1);
      continue;
    }
    const next = [...at, part];
    if (isCovered(toPath(next))) return { path: toPath(next), rest: way };
    const info =
      lookAt(root + toPath(next)) ?? makeAt(root + toPath(next), way.length > 0 && make === "file" ? "folder" : make);
    if (info?.isSymbolicLink() === true) {
      if (++linksSeen > mostLinks) throw new Error(`too many levels of symbolic links in ${path}`);
      const target = readlinkSync(root + toPath(next));
      way = [...partsOf(target), ...way];
      if (target.startsWith("/")) at = [];
      continue;
    }
    at = next;
    // Nothing is below a file, and the remaining path may contain `..`, which would lead to an unchecked path.
    if (info?.isDirectory() === false && way.length > 0) throw new Error(`mkdir ${path}: not a directory`);
  }
  return { path: toPath(at), rest: [] };
}

function lookAt(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

function makeAt(path: string, what: Search["make"]): undefined {
  if (what === "nothing") throw new Error(`${path}: no such file or directory`);
  if (what === "folder") mkdirSync(path, 0o755);
  else writeFileSync(path, "", { flag: "wx", mode: 0o644 });
}

function partsOf(path: string): string[] {
  return path.split("/").filter((part) => part !== "" && part !== ".");
}

function toPath(parts: readonly string[]): string {
  return `/${parts.join("/")}`;
}
