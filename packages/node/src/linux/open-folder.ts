/** Creates folders that all users of pods may enter, regardless of the umask of the process. */
import { chmod } from "node:fs/promises";
import { dirname } from "node:path";
import { makeFolders } from "./make-folders.ts";

/** Creates a folder and its missing parents; returns whether it was missing itself. */
export async function makeOpenFolder(path: string): Promise<boolean> {
  const first = makeFolders(path);
  if (first === undefined) return false;
  for (let made = path; made.length >= first.length; made = dirname(made)) await chmod(made, 0o755);
  return true;
}
