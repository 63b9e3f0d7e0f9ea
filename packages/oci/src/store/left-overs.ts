/** Leftovers of killed processes in a store: incomplete blobs that no process will finish. */
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/** The name prefix of blobs that are being written. */
export const incoming = ".incoming-";

/** The name prefix of partial blobs, which may be continued. */
export const partly = ".partial-";

/** A writer without progress for this long is dead. Its process cannot be checked, since other machines may use the store too. */
const longestPause = 60 * 60 * 1000;

/** Removes incomplete blobs that are at least an hour older than a newly written file. */
export async function removeLeftOvers(folder: string, newFile: string): Promise<void> {
  const now = await modified(newFile);
  for (const name of await readdir(folder)) {
    if (!name.startsWith(incoming) && !name.startsWith(partly)) continue;
    const path = join(folder, name);
    if (now - (await modified(path)) >= longestPause) await rm(path, { force: true });
  }
}

/** By the clock of the disk; a file that is gone meanwhile has no age. */
function modified(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => Number.POSITIVE_INFINITY,
  );
}
