/** Names of sockets in the file system: the kernel takes 107 bytes, and folders of users can be deeper than that. */
import { closeSync, constants, openSync } from "node:fs";
import { basename, dirname } from "node:path";

const longest = 107;

/** Does something with a socket, at once, by a name that is short enough: one that is not leads through its folder, which is held meanwhile. */
export function atSocket<T>(path: string, use: (name: string) => T): T {
  if (Buffer.byteLength(path) <= longest) return use(path);
  const folder = openSync(dirname(path), constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    return use(`/proc/self/fd/${folder}/${basename(path)}`);
  } finally {
    closeSync(folder);
  }
}
