/**
 * Creates a folder and its missing parents, as `mkdir -p`. In the shim instead of the `recursive` of Node, which tries forever when the
 * folder above was deleted: then the mount of that folder in the shim exists, and nothing can be created in it.
 */
import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** Returns the topmost folder that was created, or `undefined` if nothing was missing. */
export function makeFolders(path: string): string | undefined {
  try {
    mkdirSync(path);
    return path;
  } catch (error) {
    if (isFolder(path)) return undefined;
    const above = dirname(path);
    if (!isMissing(error) || above === path || isFolder(above)) throw error;
    const first = makeFolders(above) ?? path;
    makeFolders(path);
    return first;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
