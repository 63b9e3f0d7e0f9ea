/**
 * Finds places in the files of a container that has not started yet. Links in an image lead where they would in the container, and nobody
 * else can change its files meanwhile. What is missing is made if it is to be, as root's and for everybody to pass.
 */
import { lstatSync, mkdirSync, readlinkSync, writeFileSync, type Stats } from "node:fs";

/** What to find. */
export interface Search {
  readonly root: string;
  readonly path: string;
  /** What to make at the end if there is nothing. */
  readonly make: "folder" | "file" | "nothing";
  /** Whether something else is shown at a path of the container: the search ends there, because the image has no say in it. */
  readonly isCovered: (path: string) => boolean;
}

/** A place of a container, without links on the way. */
export interface Place {
  readonly path: string;
  /** What is left of the way where something else is shown at the path. */
  readonly rest: readonly string[];
}

const mostLinks = 40;

/** Finds a place. */
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
    // Nothing is below a file, and what is left of the way may have steps back, which lead where nobody has looked.
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
