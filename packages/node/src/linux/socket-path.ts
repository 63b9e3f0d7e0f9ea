/** Paths of Unix sockets: the kernel accepts 107 bytes, and folders of users can be deeper than that. */
import { closeSync, constants, openSync } from "node:fs";
import { basename, dirname } from "node:path";

const longest = 107;

/**
 * Calls `use` with a path that is short enough: a longer one goes through a file descriptor of its folder, which is open during the call.
 */
export function atSocket<T>(path: string, use: (name: string) => T): T {
  if (Buffer.byteLength(path) <= longest) return use(path);
  const folder = openSync(dirname(path), constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    return use(`/proc/self/fd/${folder}/${basename(path)}`);
  } finally {
    closeSync(folder);
  }
}
