/** Finds the file of a command in a container's files as the container itself would: where its variable PATH says. */
import { lstatSync } from "node:fs";
import { posix } from "node:path";
import { findInRoot } from "./in-root.ts";

/** What to find. */
export interface CommandSearch {
  /** The files of the container. */
  readonly root: string;
  readonly command: string;
  /** Its variable. */
  readonly path: string;
}

/** The path that is executed for a command; only a command without a slash is searched for. */
export function lookPath({ root, command, path }: CommandSearch): string | undefined {
  if (command.includes("/")) return command;
  const candidates = path.split(":").map((folder) => posix.join(folder, command));
  return command === "" ? undefined : candidates.find((candidate) => isExecutable(root, candidate));
}

function isExecutable(root: string, path: string): boolean {
  try {
    const { path: found } = findInRoot({ root, path, make: "nothing", isCovered: () => false });
    const info = lstatSync(root + found);
    return info.isFile() && (info.mode & 0o111) !== 0;
  } catch {
    return false;
  }
}
